"""Shapley values from the values of all coalitions, and by `shap.KernelExplainer` of any game.

What is kept out of KernelExplainer's result: the l1 regularization that drops players
(``l1_reg=False``), the rounding of contributions below 1e-10 to zero (outputs are centred and
rescaled), numpy's global random state (it is restored), and memory that grows with the background:
it averages over the background rows before it regresses, so it may as well be given the averages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import comb
from threading import Lock

import numpy as np

from hpo_explain.space import Array, Bools


def all_coalitions(n_players: int) -> Bools:
    """Return all coalitions, (2 ** n, n): player i is in coalition c where bit i of c is set.

    Examples
    --------
    >>> all_coalitions(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    codes = np.arange(2**n_players)
    return (codes[:, None] >> np.arange(n_players)) & 1 == 1


def free_columns(players: Sequence[Sequence[int]], d: int) -> Bools:
    """Return which of d columns are those of players in each of `all_coalitions`, (2 ** n, d).

    Examples
    --------
    >>> free_columns([[2], [0, 1]], 3).astype(int).tolist()
    [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    """
    coalitions = all_coalitions(len(players))
    free = np.zeros((len(coalitions), d), dtype=bool)
    for member, columns in zip(coalitions.T, players, strict=True):
        free[:, columns] = member[:, None]
    return free


def shapley_weights(n_players: int) -> Array:
    """Return the matrix W, (n, 2ⁿ), with which φ = W v for the values v of all coalitions.

    ``φ_i = Σ_{S ∌ i} |S|! (n - |S| - 1)! / n! (v(S ∪ i) - v(S))``, so that a coalition with
    player i weighs ``1 / (n C(n-1, |S|-1))`` and one without it ``-1 / (n C(n-1, |S|))``.

    Parameters
    ----------
    n_players : int
        Number of players n, at least 1.

    Returns
    -------
    ndarray of shape (n, 2 ** n)
        Column c belongs to row c of `all_coalitions`.

    References
    ----------
    .. [1] Shapley, L. S. (1953). A value for n-person games. Eq. 13.

    Examples
    --------
    >>> shapley_weights(2).tolist()
    [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]]
    """
    n = n_players
    member = all_coalitions(n).T
    size = member.sum(axis=0)
    joined = np.array([1.0 / (n * comb(n - 1, max(s - 1, 0))) for s in range(n + 1)])
    missed = np.array([1.0 / (n * comb(n - 1, min(s, n - 1))) for s in range(n + 1)])
    return np.where(member, joined[size], -missed[size])


EXACT_PLAYERS = 11  # up to here every coalition is valued: 2^11 - 2 = 2046
_SPREAD = 1e6  # outputs span this much, so that shap's 1e-10 is 1e-16 of the spread

_GLOBAL_STATE = Lock()  # of numpy's generator: one thread at a time seeds it

Game = Callable[[Bools], Array]


def kernel_shap(game: Game, n_players: int, *, seed: int = 0) -> Array:
    """Return Shapley values of a game.

    Parameters
    ----------
    game : callable
        ``game(coalitions)`` returns the values, (m, number of outputs), of coalitions given by
        membership, (m, n_players).
    n_players : int
        Number of players, at least 1.
    seed : int, default 0
        Seed of the coalitions drawn where there are too many to value each.

    Returns
    -------
    ndarray of shape (n_players, number of outputs)
        The Shapley values: exact up to 11 players, sampled above.

    References
    ----------
    .. [1] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS, Theorem 2. https://arxiv.org/abs/1705.07874

    Examples
    --------
    >>> import numpy as np
    >>> def game(coalitions):  # two players earn 6 together, either one nothing
    ...     return 6.0 * coalitions.all(axis=1, keepdims=True)
    >>> kernel_shap(game, 2).round(9).tolist()
    [[3.0], [3.0]]
    """
    import shap

    one = np.eye(n_players, dtype=bool)
    nobody = np.zeros((1, n_players), dtype=bool)
    first = game(np.vstack([~nobody, nobody, one, ~one]))
    whole = first[0]
    spread = np.abs(first - whole).max(axis=0)
    scale = np.divide(_SPREAD, spread, out=np.ones_like(spread), where=spread > 0)

    def scaled(missing: Array) -> Array:
        return (game(missing == 0) - whole) * scale

    n_coalitions = 2**n_players - 2 if n_players <= EXACT_PLAYERS else "auto"
    explainer = shap.KernelExplainer(scaled, np.ones((1, n_players)))
    with _global_seed(seed):
        # of one row alone, shap asks for no progress bar
        values = explainer.shap_values(np.zeros(n_players), nsamples=n_coalitions, l1_reg=False)
    return values / scale


@contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which shap draws from, and restore its state at the end."""
    with _GLOBAL_STATE:
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(state)  # noqa: NPY002
