"""What the model does not know of interactions: their posterior.

An interaction is linear in the explained function f, ``φ(S) = Σ_r w_r f(z_r)`` over composed rows
z_r, so that the posterior of all of them is normal with covariance ``W K Wᵀ``, as that of
contributions (`_model_uncertainty`). It is computed for all coalitions of some background rows.
Fewer of these make a std larger, not smaller: an average over all of them scatters less.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.explainers._coalition_game import Coalitions
from hpo_explain.explainers._sums import Sums, sums_under
from hpo_explain.explainers.exact_shapley import all_coalitions
from hpo_explain.space import Array
from hpo_explain.surrogates import Surrogate

_ROWS = 2048  # composed rows
_MOST = 64  # background rows
_FEWEST = 2


def interactions_under(
    surrogate: Surrogate,
    x: Array,
    players: list[list[int]],
    background: Array,
    weights: Array,
    *,
    seed: int = 0,
) -> Sums | None:
    """Return what a model does not know of the interactions of m sets.

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
    weights : ndarray of shape (m, 2 ** number of players)
        Weights of the coalitions' values, as `interaction_weights` returns them.
    seed : int, default 0
        Seed of the rows drawn.

    Returns
    -------
    Sums or None
        In the objective's units; None where the model has neither a joint posterior nor trees.
    """
    coalitions = all_coalitions(len(players))
    n = int(np.clip(_ROWS // len(coalitions), _FEWEST, _MOST))
    some = background[np.random.default_rng(seed).permutation(len(background))[:n]]
    rows = compose(x, np.repeat(some, len(coalitions), axis=0), players,
                   np.tile(coalitions, (len(some), 1)))  # fmt: skip
    X = surrogate.space.project(rows)
    return sums_under(surrogate, X, np.tile(weights, len(some)) / len(some))


def compose(x: Array, rows: Array, players: list[list[int]], coalitions: Coalitions) -> Array:
    """Return latent rows in which the players of a coalition, one per row, have x's values."""
    rows = np.array(rows)
    for p, columns in enumerate(players):
        joined = np.flatnonzero(coalitions[:, p])
        rows[joined[:, None], columns] = x[columns]
    return rows
