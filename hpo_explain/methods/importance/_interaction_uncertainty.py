"""What the model does not know of interactions: their posterior.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
φ(S)       an interaction: linear in the explained function f, ``Σ_r w_r f(z_r)``, over rows z_r
           composed of the explained one and background rows, in all coalitions
K          the posterior covariance of f
D          a design: some of the composed rows; ``q(z, z') = K(z, D) K(D, D)⁻¹ K(D, z')``
=========  ============================================================================

The posterior of all interactions is normal with covariance ``W K Wᵀ``, as that of contributions
(`_model_uncertainty`). The average over few background rows scatters much more than that over many,
and K among the rows of many is too large a matrix. So what D explains (Nyström's q) is summed over
many background rows, and what it leaves open, ``K - q``, over few of them: both are covariances,
and the second is too large rather than too small. The trees of a forest predict all of them.

References
----------
.. [1] Williams, C. and Seeger, M. (2000). Using the Nyström method to speed up kernel machines.
   NeurIPS 13.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.methods._engines.game import Coalitions
from hpo_explain.methods._engines.spread import Sums, sums_under
from hpo_explain.methods.importance._drawn_functions import inverse_root
from hpo_explain.models.protocols import SupportsJoint, Surrogate, std_from_variance
from hpo_explain.space import Array

_ROWS = 2048  # composed rows among which K is computed; trees predict all of `_MANY`
_MOST = 16  # background rows of these
_FEWEST = 2
_MANY = 8192  # composed rows of which K with the design is computed
_LEAST = 12  # background rows of these
_AT_ONCE = 4096
_DESIGN = 200


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
        In the objective's units, of a model with a joint posterior or trees.
    """
    coalitions = all_coalitions(len(players))
    rng, m = np.random.default_rng(seed), len(coalitions)
    some = background[rng.permutation(len(background))[: max(_LEAST, _MANY // m)]]
    joint = isinstance(surrogate, SupportsJoint)
    few = int(np.clip(_ROWS // m, _FEWEST, _MOST)) if joint else len(some)

    def composed(rows: Array) -> Array:
        each = np.tile(coalitions, (len(rows), 1))
        return surrogate.space.project(compose(x, np.repeat(rows, m, axis=0), players, each))

    X = composed(some[:few])
    found = sums_under(surrogate, X, np.tile(weights, few)[:, : len(X)] * (m / len(X)))
    if found is None or not isinstance(surrogate, SupportsJoint) or len(some) <= few:
        return found
    X = composed(some)
    chance = np.tile(np.abs(weights).max(axis=0), len(some))
    size = min(_DESIGN, int((chance > 0.0).sum()))
    design = X[rng.choice(len(X), size, replace=False, p=chance / chance.sum())]
    root = inverse_root(surrogate, design)
    at_once = m * max(1, _AT_ONCE // m)
    parts = [X[start : start + at_once] for start in range(0, len(X), at_once)]
    blocks = [surrogate.covariance_with(part, design).reshape(-1, m, size) for part in parts]
    of_rows = np.concatenate([weights @ block for block in blocks]) @ root
    many, fewer = of_rows.mean(axis=0), of_rows[:few].mean(axis=0)
    covariance = many @ many.T + (found.covariance - fewer @ fewer.T)
    return Sums(std_from_variance(np.diag(covariance)), covariance)


def compose(x: Array, rows: Array, players: list[list[int]], coalitions: Coalitions) -> Array:
    """Return latent rows in which the players of a coalition, one per row, have x's values."""
    rows = np.array(rows)
    for p, columns in enumerate(players):
        joined = np.flatnonzero(coalitions[:, p])
        rows[joined[:, None], columns] = x[columns]
    return rows
