"""Shapley interactions (k-SII) from the values of all coalitions: one matrix.

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

The dividend of a set T is shared out among the sets S ⊆ T of at most k players, by a weight that
depends on both sizes alone: ``φ(S) = Σ_{T ⊇ S} w(|S|, |T|) a(T)``. With k = 1 these are Shapley's
values, and where no more than k players act together the dividends. Every other index is one of
shapiq's, on the game that ``result.to_shapiq()`` returns.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

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
    return tuple(s for size in sizes for s in combinations(range(n_players), size))


@lru_cache(maxsize=16)
def interaction_weights(n_players: int, order: int) -> Array:
    """Return the matrix W with which φ = W v for the values v of all coalitions.

    Parameters
    ----------
    n_players : int
        Number of players n.
    order : int
        The order k, at least 1.

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
    sets = sets_up_to(n, k)
    weights = np.empty((len(sets), 2**n))
    for row, members in enumerate(sets):
        s, code = len(members), sum(1 << i for i in members)
        shares = np.zeros(n + 1)
        shares[s:] = [_share(s, t, k) for t in range(s, n + 1)]
        weights[row] = np.where(codes & code == code, shares[size], 0.0)
    # from weights of the dividends to weights of the values, player by player
    for i in range(n):
        halves = weights.reshape(len(sets), 2 ** (n - 1 - i), 2, 2**i)
        halves[:, :, 0] -= halves[:, :, 1]
    weights.setflags(write=False)
    return weights


def of_coalitions(values: Array, n_players: int, order: int) -> dict[str, Any]:
    """Return the fields of `Sets` by the values of all coalitions in each function, (k, 2 ** n)."""
    phi = values @ interaction_weights(n_players, order).T
    return {
        "sets": sets_up_to(n_players, order),
        "values": phi.mean(axis=0),
        "draws": phi,
        "half_width": np.full(phi.shape[1], np.nan),
        "coalitions": values.mean(axis=0),
    }


def _share(s: int, t: int, k: int) -> float:
    """Return what s of t players get of the dividend of all t (Bernoulli numbers)."""
    from scipy.special import bernoulli

    numbers = bernoulli(max(k - s, 1))  # B_0 = 1, B_1 = -1/2, ...
    more = range(min(k - s, t - s) + 1)
    return float(sum(numbers[j] * comb(t - s, j) / (t - s - j + 1) for j in more))
