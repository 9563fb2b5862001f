"""Shapley values from the values of all coalitions."""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array


def all_coalitions(n_players: int) -> npt.NDArray[np.bool_]:
    """Return all coalitions, (2 ** n, n): player i is in coalition c where bit i of c is set.

    Examples
    --------
    >>> all_coalitions(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    codes = np.arange(2**n_players)
    return np.asarray((codes[:, None] >> np.arange(n_players)) & 1 == 1)


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
    return np.asarray(np.where(member, joined[size], -missed[size]))
