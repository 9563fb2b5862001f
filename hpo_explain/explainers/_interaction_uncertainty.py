"""What the model does not know of an interaction: its posterior.

An interaction is linear in the explained function f, ``φ(S) = Σ_r w_r f(z_r)`` over composed rows
z_r, so its posterior is normal with variance ``wᵀ K w``, as that of a contribution
(`_model_uncertainty`). It is computed for at most 1024 composed rows: all coalitions of some
background rows where eight have room, and else, for the largest sets of the highest order alone,
32 draws of the discrete derivatives of which such an index is a weighted mean. Fewer background
rows make a std larger, not smaller: an average over all of them scatters less.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.explainers._coalition_game import Coalitions
from hpo_explain.explainers._model_uncertainty import ROWS
from hpo_explain.explainers.exact_shapley import all_coalitions
from hpo_explain.explainers.interaction_indices import Sets
from hpo_explain.space import Array
from hpo_explain.surrogates import SupportsJoint, SupportsTrees, Surrogate

_LEAST = 8  # background rows
_LARGEST = 12  # sets
_DRAWS = 32


def interaction_std(
    surrogate: Surrogate,
    x: Array,
    players: list[list[int]],
    background: Array,
    sets: Sets,
    weights: Array,
    values: Array,
    *,
    seed: int = 0,
) -> Array | None:
    """Return the std of each set's interaction under the model, (m,).

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    x : ndarray of shape (d,)
        The explained row.
    players : list of list of int
        The columns of each player.
    background : ndarray of shape (n, d)
        Latent rows.
    sets : tuple of tuple of int
        The sets.
    weights : ndarray of shape (m, 2 ** number of players)
        Their weights of the coalitions' values, as `interaction_weights` returns them.
    values : ndarray of shape (m,)
        The interactions: the largest are looked at where not all can be.
    seed : int, default 0
        Seed of the rows drawn.

    Returns
    -------
    ndarray or None
        In the objective's units; NaN where it was not computed, None where the model has neither a
        joint posterior nor trees.
    """
    if not isinstance(surrogate, (SupportsJoint, SupportsTrees)):
        return None
    rng = np.random.default_rng(seed)
    coalitions = all_coalitions(len(players))
    n = min(len(background), ROWS // len(coalitions))
    if n >= min(_LEAST, len(background)):
        some = background[rng.permutation(len(background))[:n]]
        rows = compose(x, np.repeat(some, len(coalitions), axis=0), players,
                       np.tile(coalitions, (n, 1)))  # fmt: skip
        return _std(surrogate, rows, np.tile(weights, n) / n)
    found = np.full(len(sets), np.nan)
    top = [i for i, s in enumerate(sets) if len(s) == len(sets[-1])]
    for i in sorted(top, key=lambda i: -abs(float(values[i])))[:_LARGEST]:
        inside = coalitions[:, list(sets[i])]
        whole = np.flatnonzero(inside.all(axis=1))
        chance = weights[i, whole] / weights[i, whole].sum()
        drawn = coalitions[rng.choice(whole, size=_DRAWS, p=chance)]
        corners = all_coalitions(len(sets[i]))
        joined = np.repeat(drawn, len(corners), axis=0)
        joined[:, list(sets[i])] = np.tile(corners, (_DRAWS, 1))
        start = background[rng.integers(len(background), size=_DRAWS)]
        sign = np.where((len(sets[i]) - corners.sum(axis=1)) % 2, -1.0, 1.0)
        rows = compose(x, np.repeat(start, len(corners), axis=0), players, joined)
        found[i] = _std(surrogate, rows, np.tile(sign / _DRAWS, _DRAWS)[None, :])[0]
    return found


def compose(x: Array, rows: Array, players: list[list[int]], coalitions: Coalitions) -> Array:
    """Return latent rows in which the players of a coalition, one per row, have x's values."""
    rows = np.array(rows)
    for p, columns in enumerate(players):
        joined = np.flatnonzero(coalitions[:, p])
        rows[joined[:, None], columns] = x[columns]
    return rows


def _std(surrogate: SupportsJoint | SupportsTrees, rows: Array, weights: Array) -> Array:
    X = surrogate.space.project(rows)  # type: ignore[union-attr]
    if isinstance(surrogate, SupportsJoint):
        return surrogate.std_of_sums(X, weights)
    by_tree = surrogate.predict_trees(X)
    # counted from the first tree, equal trees have no spread, not even from rounding
    return np.asarray((weights @ (by_tree - by_tree[:, :1])).std(axis=1))
