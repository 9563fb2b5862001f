"""Shapley values from orders in which players join a background row one by one.

`walked_shapley` walks orders of every background row, there and back; `sampled_shapley` draws rows
and orders (Štrumbelj and Kononenko 2014, Algorithm 2 of Croppi's thesis).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
b          a background row, each once
π          an order of the players, drawn for each b and walked in both directions
φ_j        the mean gain of the steps in which player j joins
=========  ============================================================================

A player joins early in one walk of a row and late in the other (antithetic pairs), so that fewer
steps are needed for the same error than by orders drawn independently. The gains of a walk sum to
u(x) - u(b): contributions are efficient whatever the number of walks.

References
----------
.. [1] Štrumbelj, E. and Kononenko, I. (2014). Explaining prediction models and individual
   predictions with feature contributions. Knowledge and Information Systems 41, 647-665.
.. [2] Mitchell, R., Cooper, J., Frank, E. and Holmes, G. (2022). Sampling permutations for Shapley
   value estimation. Journal of Machine Learning Research 23(43). Section 4.1 (antithetic sampling).
"""

from __future__ import annotations

import numpy as np

from hpo_explain.base import steps
from hpo_explain.methods._engines.split_gains import columns_of, step_gains
from hpo_explain.models import Acquisition
from hpo_explain.space import Array, Ints


def walked_shapley(
    acquisition: Acquisition, x: Array, players: Ints, cubes: list[Array], *, seed: int = 0
) -> Array:
    """Return Shapley values by hypercube of the background, (hypercube, player, column).

    The columns are those of `columns_of`.

    Parameters
    ----------
    acquisition : Acquisition
        The utility.
    x : ndarray of shape (d,)
        The explained row, encoded.
    players : ndarray of int
        The columns of the hyperparameters that take part.
    cubes : list of ndarray
        Latent rows of the hypercubes.
    seed : int, default 0
        Seed of the orders.
    """
    background = np.vstack(cubes)
    rng = np.random.default_rng(seed)
    places = np.searchsorted(np.sort(players), players)

    def mean_gains(rows: Array) -> Array:
        """Return what each player earns on average, (rows, player, column)."""
        there = rng.permuted(np.tile(players, (len(rows), 1)), axis=1)
        orders = np.stack([there, there[:, ::-1]], axis=1)
        gains = step_gains(acquisition, _composed_terms(acquisition, x, rows, orders))
        # in which step each player joins, by the order of `players`
        joins = np.argsort(orders, axis=2)[:, :, places, None]
        return np.asarray(np.take_along_axis(gains, joins, axis=2).mean(axis=1))

    at_once = max(1, _STEPS // (2 * (len(players) + 1)))
    by_row = np.concatenate(
        [
            mean_gains(background[start : start + at_once])
            for start in range(0, len(background), at_once)
        ]
    )
    ends = np.cumsum([len(cube) for cube in cubes])
    return np.stack([rows.mean(axis=0) for rows in np.split(by_row, ends[:-1])])


def _composed_terms(
    acquisition: Acquisition, x: Array, background: Array, orders: Ints
) -> dict[str, Array]:
    """Return the terms while players take the values of `x` in orders (n, w, p), (n, w, p + 1)."""
    n, walks, p = orders.shape
    players = np.sort(orders[0, 0])
    walked = {name: np.empty((n, walks, p + 1)) for name in acquisition.term_names}
    step = max(1, COMPOSED_ROWS // (walks * (p + 1)))
    for a in range(0, n, step):
        some = slice(a, a + step)
        # what is no player never joins
        place = np.full((*orders[some].shape[:2], len(x)), p)
        place[..., players] = np.argsort(orders[some], axis=2)
        # in step s the first s players of the order have the values of x
        joined = place[:, :, None, :] < np.arange(p + 1)[:, None]
        rows = np.where(joined, x, background[some, None, None, :])
        terms = terms_at(acquisition, rows.reshape(-1, len(x)))
        for name, values in walked.items():
            values[some] = terms[name].reshape(joined.shape[:3])
    return walked


_STEPS = 500_000  # of walks at once: bounds the memory, however many rows there are
COMPOSED_ROWS = 10_000  # at once: bounds the memory, whatever model receives them


def terms_at(acquisition: Acquisition, latent: Array) -> dict[str, Array]:
    """Return the terms, each (n,), at the configurations that latent rows stand for."""
    return acquisition.terms(acquisition.space.project(latent))


_ROWS = 20_000  # composed at once: bounds the memory


def sampled_shapley(
    acquisition: Acquisition,
    x: Array,
    players: Ints,
    background: Array,
    *,
    orders: int,
    seed: int = 0,
) -> Array:
    """Return the contributions of each draw, (orders, player, column); their mean is the estimate.

    Parameters
    ----------
    acquisition, x, players
        As in `walked_shapley`.
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
    p = len(players)
    contributions = np.zeros((orders, p, len(columns_of(acquisition))))
    if not p:
        return contributions
    at_once = max(1, _ROWS // (p + 1))
    for start in steps(range(0, orders, at_once), "batches"):
        some = min(at_once, orders - start)
        z = background[rng.integers(len(background), size=some)]
        rows, rank = joining(x, players, z, rng)
        terms = terms_at(acquisition, rows.reshape(-1, rows.shape[2]))
        gains = step_gains(acquisition, {name: u.reshape(some, p + 1) for name, u in terms.items()})
        contributions[start : start + some] = np.take_along_axis(gains, rank[:, :, None], axis=1)
    return contributions


def joining(
    x: Array, players: Ints, background: Array, rng: np.random.Generator
) -> tuple[Array, Ints]:
    """Return rows in which the players join one by one, in an order drawn for each row.

    Parameters
    ----------
    x, players
        The explained row, and the columns of the p players.
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
    p = len(players)
    order = rng.permuted(np.tile(np.arange(p), (len(background), 1)), axis=1)
    rank = np.argsort(order, axis=1)
    joined = rank[:, None, :] < np.arange(p + 1)[None, :, None]
    rows = np.repeat(background[:, None, :], p + 1, axis=1)
    rows[:, :, players] = np.where(joined, x[players], rows[:, :, players])
    return rows, rank
