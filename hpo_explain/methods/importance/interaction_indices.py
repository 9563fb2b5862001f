"""Shapley interaction indices from the values of all coalitions.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
N          the players, n of them
v(S)       value of a coalition S
a(T)       dividend of a set T: ``Σ_{S ⊆ T} (-1)^(|T| - |S|) v(S)``, what its players earn only
           together (Harsanyi), so that ``v(S) = Σ_{T ⊆ S} a(T)``
k          the order: sets of at most k players get a value
φ(S)       value of a set S, 1 ≤ |S| ≤ k; all of them sum to v(N) - v(∅)
=========  ============================================================================

Every index shares out the dividend of a set T among the sets S ⊆ T of at most k players, by a
weight that depends on both sizes alone: ``φ(S) = Σ_{T ⊇ S} w(|S|, |T|) a(T)``. With k = 1 all three
are Shapley's value, and where no more than k players act together all three are the dividends.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from hpo_explain.base import InteractionIndex
from hpo_explain.space import Array

Sets = tuple[tuple[int, ...], ...]


def sets_up_to(n_players: int, order: int) -> Sets:
    """Return all sets of 1 to `order` players, the smaller ones first.

    Examples
    --------
    >>> sets_up_to(3, 2)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    """
    sizes = range(1, min(order, n_players) + 1)
    return tuple(
        s for size in sizes for s in combinations(range(n_players), size)
    )


@lru_cache(maxsize=16)
def interaction_weights(
    n_players: int, order: int, index: InteractionIndex = "k-SII"
) -> Array:
    """Return the matrix W with which φ = W v for the values v of all coalitions.

    Parameters
    ----------
    n_players : int
        Number of players n, at least 1.
    order : int
        The order k, at least 1.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what players earn together is shared out among smaller sets: "k-SII" aggregates Shapley
        interaction values [1]_ [2]_, "STII" (Shapley-Taylor) keeps the dividends of sets below the
        order [3]_, "FSII" (faithful) is the best additive approximation of v by Shapley's weights
        [4]_.

    Returns
    -------
    ndarray of shape (number of sets, 2 ** n)
        Row s belongs to set s of `sets_up_to`, column c to row c of `all_coalitions`. It is shared:
        do not change it.

    References
    ----------
    .. [1] Grabisch, M. and Roubens, M. (1999). An axiomatic approach to the concept of interaction
       among players in cooperative games. International Journal of Game Theory 28, 547-565.
    .. [2] Bordt, S. and von Luxburg, U. (2023). From Shapley values to generalized additive models
       and back. AISTATS, Definition 3 and Theorem 6. https://arxiv.org/abs/2209.04012
    .. [3] Sundararajan, M., Dhamdhere, K. and Agarwal, A. (2020). The Shapley Taylor interaction
       index. ICML, Definition 2 and Proposition 4. https://arxiv.org/abs/1902.05622
    .. [4] Tsai, C.-P., Yeh, C.-K. and Ravikumar, P. (2023). Faith-Shap: The faithful Shapley
       interaction index. JMLR 24(94), Theorem 19. https://arxiv.org/abs/2203.00870

    Examples
    --------
    >>> interaction_weights(2, 1).tolist()
    [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]]
    >>> interaction_weights(2, 2)[2].tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    n, k = n_players, min(order, n_players)
    codes = np.arange(2**n)
    size = np.array([code.bit_count() for code in codes.tolist()])
    share = _SHARES[index]
    table = np.zeros((k + 1, n + 1))
    for s in range(1, k + 1):
        table[s, s:] = [share(s, t, k) for t in range(s, n + 1)]
    sets = sets_up_to(n, k)
    weights = np.empty((len(sets), 2**n))
    for row, members in enumerate(sets):
        code = sum(1 << i for i in members)
        weights[row] = np.where(
            codes & code == code, table[len(members)][size], 0.0
        )
    # from weights of the dividends to weights of the values, player by player
    for i in range(n):
        halves = weights.reshape(len(sets), 2 ** (n - 1 - i), 2, 2**i)
        halves[:, :, 0] -= halves[:, :, 1]
    weights.setflags(write=False)
    return weights


def _k_sii(s: int, t: int, k: int) -> float:
    """Return what s of t players get of the dividend of all t, by k-SII (Bernoulli numbers)."""
    from scipy.special import bernoulli

    numbers = bernoulli(max(k - s, 1))  # B_0 = 1, B_1 = -1/2, ...
    more = range(min(k - s, t - s) + 1)
    return float(
        sum(numbers[j] * comb(t - s, j) / (t - s - j + 1) for j in more)
    )


def _stii(s: int, t: int, k: int) -> float:
    """Return what s of t players get of the dividend of all t, by STII: 0 for s < k < t."""
    return 1.0 / comb(t, k) if s == k else float(s == t)


def _fsii(s: int, t: int, k: int) -> float:
    """Return what s of t players get of the dividend of all t, by FSII (best approximation)."""
    if t <= k:
        return float(s == t)
    sign = -1.0 if (k - s) % 2 else 1.0
    return (
        sign
        * s
        / (k + s)
        * comb(k, s)
        * comb(t - 1, k)
        / comb(t + k - 1, k + s)
    )


_SHARES = {"k-SII": _k_sii, "STII": _stii, "FSII": _fsii}
