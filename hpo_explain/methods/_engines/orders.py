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

What a player's joining earns is told by each term, and of a split criterion by mean and
uncertainty (symbols as in `models.acquisition.split`). Shapley values are means of gains over
coalitions, so that the shares of their gains are shares of the values; and D needs no other
predictions than those of all coalitions, or of a walk.

References
----------
.. [1] Štrumbelj, E. and Kononenko, I. (2014). Explaining prediction models and individual
   predictions with feature contributions. Knowledge and Information Systems 41, 647-665.
.. [2] Mitchell, R., Cooper, J., Frank, E. and Holmes, G. (2022). Sampling permutations for Shapley
   value estimation. Journal of Machine Learning Research 23(43). Section 4.1 (antithetic sampling).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_explain.base import steps
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.models import Acquisition, Split
from hpo_explain.space import Array, Ints

COMPOSED_ROWS = 10_000  # at once: bounds the memory, whatever model receives them


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
    p = len(players)
    by_row = []
    at_once = max(1, COMPOSED_ROWS // (2 * (p + 1)))
    for start in range(0, len(background), at_once):
        rows = background[start : start + at_once]
        rank = drawn_ranks(len(rows), p, rng)
        there, back = (_gains(acquisition, x, players, rows, one) for one in (rank, p - 1 - rank))
        by_row.append((there + back) / 2.0)
    ends = np.cumsum([len(cube) for cube in cubes])
    of_cubes = np.split(np.concatenate(by_row), ends[:-1])
    return np.stack([rows.mean(axis=0) for rows in of_cubes])


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
    at_once = max(1, 2 * COMPOSED_ROWS // (p + 1))
    for start in steps(range(0, orders, at_once), "batches"):
        some = min(at_once, orders - start)
        rows = background[rng.integers(len(background), size=some)]
        rank = drawn_ranks(some, p, rng)
        contributions[start : start + some] = _gains(acquisition, x, players, rows, rank)
    return contributions


def _gains(acquisition: Acquisition, x: Array, players: Ints, rows: Array, rank: Ints) -> Array:
    """Return what each player earns where all join background rows, (rows, player, column)."""
    walked = joining(x, players, rows, rank)
    terms = terms_at(acquisition, walked.reshape(-1, len(x)))
    shape = walked.shape[:2]
    gains = step_gains(acquisition, {name: u.reshape(shape) for name, u in terms.items()})
    return np.take_along_axis(gains, rank[:, :, None], axis=1)


def terms_at(acquisition: Acquisition, latent: Array) -> dict[str, Array]:
    """Return the terms, each (n,), at the configurations that latent rows stand for."""
    return acquisition.terms(acquisition.space.project(latent))


def drawn_ranks(n: int, p: int, rng: np.random.Generator) -> Ints:
    """Return orders of p players: in which step each joins, (n, p)."""
    order = rng.permuted(np.tile(np.arange(p), (n, 1)), axis=1)
    return np.argsort(order, axis=1)


def joining(x: Array, players: Ints, background: Array, rank: Ints) -> Array:
    """Return rows in which the players join one by one.

    Parameters
    ----------
    x, players
        The explained row, and the columns of the p players.
    background : ndarray of shape (n, d)
        Latent rows from which the players start.
    rank : ndarray of int, shape (n, p)
        The step after which each player joins.

    Returns
    -------
    ndarray of shape (n, p + 1, d)
        Latent rows; in step s the first s players have the values of x.
    """
    joined = rank[:, None, :] < np.arange(len(players) + 1)[:, None]
    rows = np.repeat(background[:, None, :], len(players) + 1, axis=1)
    rows[:, :, players] = np.where(joined, x[players], rows[:, :, players])
    return rows


SHARES = ("mean", "uncertainty")


def columns_of(acquisition: Acquisition) -> tuple[str, ...]:
    """Return what is known of each player: the terms, and of a split criterion the shares."""
    names = acquisition.term_names
    return (*names, *SHARES) if isinstance(acquisition, Split) else names


def with_shares(gains: Array, crossed: Array, own: int) -> Array:
    """Return gains (..., terms) and the shares of the sum of the first `own`; D is `crossed`."""
    whole = gains[..., :own].sum(axis=-1)
    shares = np.stack([whole + crossed, whole - crossed], axis=-1) / 2.0
    return np.concatenate([gains, shares], axis=-1)


def step_gains(acquisition: Acquisition, walked: Mapping[str, Array]) -> Array:
    """Return what each step of walks earns, (..., steps, columns).

    `walked` holds each term, (..., steps + 1), before the first step and after each.
    """
    gains = [np.diff(walked[name]) for name in acquisition.term_names]
    stacked = np.stack(gains, axis=-1)
    if not isinstance(acquisition, Split):
        return stacked
    before = {name: values[..., :-1] for name, values in walked.items()}
    after = {name: values[..., 1:] for name, values in walked.items()}
    crossed = acquisition.crossed(before, after)
    return with_shares(stacked, crossed, acquisition.own)


def crossed_in_coalitions(criterion: Split, valued: Mapping[str, Array], n_players: int) -> Array:
    """Return the mean D of each player over coalitions, (rows, players).

    `valued` holds each term, (rows, 2ⁿ), in the order of `all_coalitions`.
    """
    members, weights = all_coalitions(n_players), shapley_weights(n_players)
    crossed = []
    for member, weight in zip(members.T, weights, strict=True):
        before = {name: values[:, ~member] for name, values in valued.items()}
        after = {name: values[:, member] for name, values in valued.items()}
        crossed.append(criterion.crossed(before, after) @ weight[member])
    return np.stack(crossed, axis=1)
