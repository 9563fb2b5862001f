"""Contributions to each of the functions that the trials allow the objective to be.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f          the objective, of which a belief draws functions
z_r        composed rows: background rows on which players take the explained values
φ_j(f)     contribution of player j to f: linear, ``Σ_r w_jr f(z_r)``
=========  ============================================================================

The rows are all coalitions of the background if that makes at most 1024, else 1024 rows in which
the players join one by one, each time in another order and from another background row.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.belief import Draws
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import drawn_ranks, joining
from hpo_explain.space import Array

ROWS = 1024


def drawn_contributions(
    game: CoalitionGame,
    belief: Draws,
    background: Array,
    *,
    values_and_error: tuple[Array, Array] | None = None,
    fixed: bool = False,
    seed: int = 0,
) -> Array:
    """Return what each hyperparameter contributes to each draw of the objective, (k, d).

    The error of integrating over the background is in their spread.

    Parameters
    ----------
    game : CoalitionGame
        The explained row and the players.
    belief : Draws
        Functions that the objective may be.
    background : ndarray of shape (n, d)
        Latent rows.
    values_and_error : tuple of ndarray, optional
        The contributions to the draws' mean and their errors of integrating, each (d,), where they
        are known better than from the few rows drawn here.
    fixed : bool, default False
        Whether the background is all that is meant, so that averaging over it is no error.
    seed : int, default 0
        Seed of the orders and of the rows drawn.
    """
    players = game.players
    if not len(players):
        return np.zeros((len(belief.costs(game.x[None])), len(game.x)))
    rows, weights = functionals(game, background, seed=seed)
    n = weights.shape[1]
    values = belief.draws(belief.space.project(rows))
    phi = values @ weights.reshape(len(players), -1).T
    by_row = np.einsum("jnr,nr->jn", weights, values.mean(axis=0).reshape(n, -1))
    exact = n == 1 or (fixed and n == len(background))
    error = 0.0 if exact else np.sqrt(n) * by_row.std(axis=1, ddof=1)
    # to a constant draw nothing contributes, whatever is known of the others
    varies = np.ptp(values, axis=1) > 0.0
    contributions = np.zeros((len(phi), len(game.x)))
    if not varies.any():
        return contributions
    phi = phi[varies]
    if values_and_error is not None:
        phi += values_and_error[0][players] / varies.mean() - phi.mean(axis=0)
        error = values_and_error[1][players]
    contributions[np.ix_(varies, players)] = widened(phi, error)
    return contributions


def widened(draws: Array, error: Array | float) -> Array:
    """Return draws (k, ...) moved away from their mean, so that an error is in their spread."""
    mean, variance = draws.mean(axis=0), draws.var(axis=0)
    variance = np.where(variance > 0.0, variance, 1.0)
    return mean + (draws - mean) * np.sqrt(1.0 + error**2 / variance)


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
    rank = drawn_ranks(n, p, rng)
    rows = joining(x, players, background[chosen[:n] % len(background)], rank)
    weights = np.zeros((p, n, p + 1))
    j, i = np.indices((p, n))
    weights[j, i, rank.T + 1] += 1.0 / n
    weights[j, i, rank.T] -= 1.0 / n
    return rows.reshape(-1, len(x)), weights
