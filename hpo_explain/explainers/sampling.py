"""Shapley values from draws of background rows and orders (Štrumbelj and Kononenko 2014).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained row, encoded
z          a background row, drawn with replacement
π          an order of the players, drawn
x_+j       z with the values of x for j and all players before it in π
x_-j       the same, but j keeps the value of z
φ_j^k      u(x_+j) - u(x_-j) in draw k; φ_j is its mean over K draws
=========  ============================================================================

One draw of z and π serves all players: x_-j of a player is x_+i of the one before it, so that K
draws take K (p + 1) evaluations, and those of one draw sum to u(x) - u(z).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.base.progress import steps
from hpo_explain.explainers._coalition_game import CoalitionGame
from hpo_explain.explainers._terms import evaluate
from hpo_explain.space import Array

_ROWS = 20_000  # composed at once: bounds the memory


def sampled_shapley(game: CoalitionGame, background: Array, *, orders: int, seed: int = 0) -> Array:
    """Return the contributions of each draw, (orders, player, term); their mean is the estimate.

    Parameters
    ----------
    game : CoalitionGame
        The acquisition, the explained row and the players.
    background : ndarray of shape (n, d)
        Latent rows.
    orders : int
        Number of orders K, each with a background row.
    seed : int, default 0
        Seed of rows and orders.

    References
    ----------
    .. [1] Štrumbelj, E. and Kononenko, I. (2014). Explaining prediction models and individual
       predictions with feature contributions. Knowledge and Information Systems 41, 647-665.
       Algorithm 1; Algorithm 2 of Croppi's thesis (2021).
    """
    rng = np.random.default_rng(seed)
    p, n_terms = len(game.players), len(game.acquisition.term_names)
    found = np.zeros((orders, p, n_terms))
    if not p:
        return found
    at_once = max(1, _ROWS // (p + 1))
    for start in steps(range(0, orders, at_once), "batches"):
        some = min(at_once, orders - start)
        z = background[rng.integers(len(background), size=some)]
        rows, rank = joining(game, z, rng)
        u = evaluate(game.acquisition, rows.reshape(-1, rows.shape[2])).reshape(some, p + 1, -1)
        gains = np.diff(u, axis=1)
        found[start : start + some] = np.take_along_axis(gains, rank[:, :, None], axis=1)
    return found


def joining(
    game: CoalitionGame, background: Array, rng: np.random.Generator
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return rows in which the players join one by one, in an order drawn for each row.

    Parameters
    ----------
    game : CoalitionGame
        The explained row and the p players.
    background : ndarray of shape (n, d)
        Latent rows from which the players start.
    rng : numpy.random.Generator
        Draws the orders.

    Returns
    -------
    rows : ndarray of shape (n, p + 1, d)
        Latent rows; in step s the first s players have the values of x.
    rank : ndarray of int, shape (n, p)
        The step after which each player joins.
    """
    p = len(game.players)
    order = rng.permuted(np.tile(np.arange(p), (len(background), 1)), axis=1)
    rank = np.argsort(order, axis=1)
    joined = rank[:, None, :] < np.arange(p + 1)[None, :, None]
    rows = np.repeat(background[:, None, :], p + 1, axis=1)
    rows[:, :, game.players] = np.where(joined, game.x[game.players], rows[:, :, game.players])
    return rows, rank
