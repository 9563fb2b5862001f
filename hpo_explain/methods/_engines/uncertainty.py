"""What the model does not know of a contribution: its posterior, not the error of integrating.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f          the objective, of which the model knows a posterior
z_r        composed rows: background rows on which players take the explained values
φ_j(f)     contribution of player j to f: linear, ``Σ_r w_jr f(z_r)``
K          the posterior covariance of f at all z_r
=========  ============================================================================

Because φ_j is linear in f, its posterior is normal with variance ``w_jᵀ K w_j``: the idea of Eq. 4
of Moosbauer et al. [1]_ for a partial dependence, here for a Shapley value. It is exact for the
rows it is computed with: all coalitions of the background if that makes at most 1024 rows, else
1024 rows in which the players join one by one, each time in another order and from another
background row. A hyperparameter's std then varies by a few percent with the draw.

Where the model has no joint posterior but trees, the std is that over the trees, as its own is.
Densities are those of other trials of as many: 80 bootstraps.

.. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial dependence
   plots. NeurIPS. https://arxiv.org/abs/2111.04820
"""

from __future__ import annotations

import numpy as np

from hpo_explain.methods._engines.certainty import ObjectiveContributions
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import joining
from hpo_explain.methods._engines.spread import sums_under
from hpo_explain.models.densities.ratio import DensityRatio
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate
from hpo_explain.space import Array

ROWS = 1024
BOOTSTRAPS = 80


def objective_contributions(
    game: CoalitionGame,
    surrogate: Surrogate,
    background: Array,
    *,
    known: tuple[Array, Array] | None = None,
    seed: int = 0,
) -> ObjectiveContributions | None:
    """Return what each hyperparameter does to the predicted objective, and how sure the model is.

    Parameters
    ----------
    game : CoalitionGame
        The explained row and the players.
    surrogate : Surrogate
        The model of the objective.
    background : ndarray of shape (n, d)
        Latent rows.
    known : tuple of ndarray, optional
        The contributions and their errors of integrating, each (d,), where they are known better
        than from the few rows drawn here.
    seed : int, default 0
        Seed of the orders and of the rows drawn.

    Returns
    -------
    ObjectiveContributions or None
        In the objective's units, of a model with a joint posterior or trees.
    """
    if not isinstance(surrogate, (SupportsJoint, ForestSurrogate)):
        return None
    d, players = len(game.x), game.players
    phi, error = (np.zeros(d), np.zeros(d)) if known is None else known
    std, covariance = np.zeros(d), None
    if len(players):
        rows, weights = functionals(game, background, seed=seed)
        X = surrogate.space.project(rows)
        n = weights.shape[1]
        if known is None:
            one = np.vecdot(weights, surrogate.predict(X)[0].reshape(n, -1))
            phi[players] = one.sum(axis=1)
            if n > 1:
                error[players] = np.sqrt(n) * one.std(axis=1, ddof=1)
        sums = sums_under(surrogate, X, weights.reshape(len(players), -1))
        if sums is not None:
            std[players] = sums.std
            if sums.covariance is not None:
                covariance = np.zeros((d, d))
                covariance[np.ix_(players, players)] = sums.covariance
    return ObjectiveContributions(phi, error, std, covariance)


def bootstrap_std(
    game: CoalitionGame, acquisition: DensityRatio, background: Array, *, seed: int = 0
) -> Array:
    """Return the std of contributions, (d, terms + 1), over bootstraps of the trials."""
    terms = game.acquisition.term_names
    std = np.zeros((len(game.x), len(terms) + 1))
    if len(game.players):
        rows, weights = functionals(game, background, seed=seed)
        X = game.acquisition.space.project(rows)
        drawn = acquisition.bootstrap_terms(X, BOOTSTRAPS, seed=seed)
        flat = weights.reshape(len(game.players), -1)
        phi = np.stack([flat @ drawn[name] for name in terms], axis=1)
        phi = np.concatenate([phi, phi.sum(axis=1, keepdims=True)], axis=1)
        std[game.players] = phi.std(axis=2, ddof=1)
    return std


def functionals(game: CoalitionGame, background: Array, *, seed: int = 0) -> tuple[Array, Array]:
    """Return composed rows and the weights with which values at them make contributions.

    Parameters
    ----------
    game : CoalitionGame
        The explained row and the players.
    background : ndarray of shape (n, d)
        Latent rows.
    seed : int, default 0
        Seed of the orders and of the rows drawn.

    Returns
    -------
    rows : ndarray of shape (number of rows, d)
        Latent rows, those of one background row after the other.
    weights : ndarray of shape (number of players, background rows, rows of each)
        The sum over both last axes of weights times values is a contribution.
    """
    x, players = game.x, game.players
    p = len(players)
    if len(background) * 2**p <= ROWS:
        coalitions = all_coalitions(p)
        rows = np.repeat(background[:, None, :], len(coalitions), axis=1)
        rows[:, :, players] = np.where(coalitions, x[players], rows[:, :, players])
        weights = np.repeat(shapley_weights(p)[:, None, :], len(background), axis=1)
        return rows.reshape(-1, len(x)), weights / len(background)
    rng = np.random.default_rng(seed)
    n = max(2, ROWS // (p + 1))
    chosen = rng.permutation(len(background)) if n <= len(background) else np.arange(n)
    rows, rank = joining(x, players, background[chosen[:n] % len(background)], rng)
    weights = np.zeros((p, n, p + 1))
    j, i = np.indices((p, n))
    weights[j, i, rank.T + 1] += 1.0 / n
    weights[j, i, rank.T] -= 1.0 / n
    return rows.reshape(-1, len(x)), weights
