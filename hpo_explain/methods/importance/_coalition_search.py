"""The best configuration in every coalition: the hyperparameters S free, the others at a default.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
c(z)       the predicted cost of a latent row z: smaller is better
z_S        the row that is searched for: free on S, the default's values elsewhere
=========  ============================================================================

All coalitions are searched at once. The starting rows are valued in every coalition by the model's
own structure. The three best of each are changed by several values at once, and the best by one
value after the other: over the whole range of each hyperparameter, at last by smaller and smaller
steps. The best row of a coalition is one of every larger coalition as well, so that the best cost
never rises with S.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from hpo_explain.base import steps
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.space import (
    Array,
    Bools,
    FloatParameter,
    Ints,
    SearchSpace,
    Ties,
    changed,
    filled,
)

_KEPT = 3
# of the encoded range, by which several values are changed at once
_STEPS = (0.2, 0.1)
_EVALUATIONS = 100_000
_FEWEST, _MOST = 4, 60  # children of a row in each step
_VALUES = 11  # of a real hyperparameter in a sweep
_COUNTED = 21  # up to so many values of a counted one
# rows at which draws are looked at: in all coalitions, least in each
_DRAWN, _FEW = (24_000, 16)
# of the encoded range, around the best value
_NEAR = (0.05, 0.02, 0.01, 0.005, 0.002)

Cost = Callable[[Array], Array]


def predicted_in_coalitions(
    surrogate: Surrogate,
    default: Array,
    rows: Array,
    free: Bools,
) -> Array:
    """Return the mean, (n, m), where some hyperparameters are a row's and the others the default's.

    Parameters
    ----------
    surrogate : Surrogate
        The model.
    default : ndarray of shape (d,)
        A latent row.
    rows : ndarray of shape (n, d)
        Latent rows.
    free : ndarray of bool, shape (m, d)
        For each coalition the columns that have a row's values.
    """
    costs = np.empty((len(rows), len(free)))
    at_once = max(1, COMPOSED_ROWS // max(len(rows), 1))
    for start in steps(range(0, len(free), at_once), "batches"):
        some = free[start : start + at_once]
        z = np.where(some[None, :, :], rows[:, None, :], default)
        mean = mean_of(
            surrogate, surrogate.space.project(z.reshape(-1, len(default)))
        )
        costs[:, start : start + at_once] = mean.reshape(len(rows), len(some))
    return costs


def best_in_coalitions(
    cost: Cost,
    space: SearchSpace,
    default: Array,
    start: Array,
    costs: Array,
    free: Bools,
    *,
    seed: int = 0,
) -> tuple[Array, Array]:
    """Return the best cost in every coalition, (m,), and the latent row that has it, (m, d).

    Parameters
    ----------
    cost : callable
        Returns c, (n,), at latent rows (n, d).
    space : SearchSpace
        The space.
    default : ndarray of shape (d,)
        A latent row.
    start : ndarray of shape (n, d)
        Latent rows from which the search starts.
    costs : ndarray of shape (n, m)
        Their costs in each coalition.
    free : ndarray of bool, shape (m, d)
        The columns that are free in each of all 2^p coalitions, in the order of `all_coalitions`.
    seed : int, default 0
        Seed of the changes.
    """
    # the coalitions in the order of the space, so that changes are drawn for the same ones
    place = in_order(space, free)
    ties = Ties.among(costs)
    rows = _searched(
        lambda z: ties.settled(cost(z)),
        space,
        default,
        start,
        ties.settled(costs[:, place]),
        free[place],
        seed,
    )
    best = _costs(cost, rows)
    again = np.argsort(place)
    return best[again], rows[again]


def in_order(space: SearchSpace, free: Bools) -> Ints:
    """Return where the coalitions are whose players are counted in the order of the space."""
    place = np.argsort(space.order)
    codes = np.arange(len(free))
    bits = 2 ** np.arange(int(np.log2(len(free))))
    players = bits[
        np.argsort([place[free[bit]].min() for bit in bits.tolist()])
    ]
    return np.asarray(((codes[:, None] & bits) > 0) @ players)


def _searched(
    cost: Cost,
    space: SearchSpace,
    default: Array,
    start: Array,
    costs: Array,
    free: Bools,
    seed: int,
) -> Array:
    rng = np.random.default_rng(seed)
    m, most = len(free), min(_KEPT, len(start))
    first = np.argpartition(costs, most - 1, axis=0)[:most].T
    rows = np.where(free[:, None, :], start[first], default)
    best = np.take_along_axis(costs.T, first, axis=1)
    at_default = float(cost(default[None, :])[0])
    rows = np.concatenate(
        [rows, np.broadcast_to(default, (m, 1, len(default)))], axis=1
    )
    best = np.concatenate([best, np.full((m, 1), at_default)], axis=1)
    children = int(
        np.clip(_EVALUATIONS // (m * most * len(_STEPS)), _FEWEST, _MOST)
    )
    order = space.order.tolist()
    ranges = [_range(space, j) for j in range(len(space))]
    for step in _STEPS:
        rows, best = _first(*_inherited(rows, best), most)
        _sweep(
            cost, rows[:, 0], best[:, 0], free, order, partial(_whole, ranges)
        )
        new = changed(
            space,
            np.repeat(rows, children, axis=1).reshape(-1, len(default)),
            step,
            rng,
        )
        new = np.where(
            free[:, None, :], new.reshape(m, -1, len(default)), default
        )
        reached = _costs(cost, new.reshape(-1, len(default))).reshape(m, -1)
        rows, best = (
            np.concatenate([rows, new], axis=1),
            np.concatenate([best, reached], axis=1),
        )
    rows, best = _first(*_inherited(rows, best), 1)
    real = np.array(
        [
            isinstance(p, FloatParameter) and p.size is None
            for p in space.parameters
        ]
    )
    for near in _NEAR:
        moves = near * np.array([-1.0, -0.5, 0.5, 1.0])
        _sweep(
            cost,
            rows[:, 0],
            best[:, 0],
            free & real,
            order,
            partial(_around, moves),
        )
    rows, best = _first(*_inherited(rows, best), 1)
    return rows[:, 0]


def at_best_of(
    default: Array, start: Array, costs: Array, free: Bools
) -> tuple[Array, Array]:
    """Return the best cost of given rows in every coalition, (m,), and the composed row, (m, d)."""
    chosen = np.argmin(Ties.among(costs).settled(costs), axis=0)
    return costs[chosen, np.arange(len(free))], np.where(
        free, start[chosen], default
    )


def _whole(ranges: list[Array], j: int, _: Array) -> Array:
    return ranges[j]


def _around(moves: Array, _: int, at: Array) -> Array:
    return np.clip(at[:, None] + moves, 0.0, 1.0)


def _range(space: SearchSpace, j: int) -> Array:
    """Return values of a hyperparameter over its whole range, encoded."""
    parameter = space.parameters[j]
    if parameter.size is None:
        values = np.linspace(0.0, 1.0, _VALUES)
    else:
        latent = (np.arange(_COUNTED) + 0.5) / _COUNTED
        grid = parameter.grid() if parameter.size <= _COUNTED else None
        values = parameter.from_latent(latent) if grid is None else grid[0]
    values = values[np.argsort(space.places(j, values))]
    return values if parameter.optional is None else np.append(values, np.nan)


def _sweep(
    cost: Cost,
    rows: Array,
    best: Array,
    free: Bools,
    order: list[int],
    values: Callable[[int, Array], Array],
) -> None:
    """Set each free column in turn to its best value; update rows (m, d) and costs (m,)."""
    for j in steps([j for j in order if free[:, j].any()], "hyperparameters"):
        which = np.flatnonzero(free[:, j])
        tried = np.atleast_2d(values(j, rows[which, j]))
        z = np.repeat(rows[which][:, None, :], tried.shape[1], axis=1)
        z[:, :, j] = tried
        costs = _costs(cost, z.reshape(-1, rows.shape[1])).reshape(
            len(which), -1
        )
        first = np.argmin(costs, axis=1)
        found_best = costs[np.arange(len(which)), first]
        better = found_best < best[which]
        rows[which[better]] = z[better, first[better]]
        best[which[better]] = found_best[better]


def _costs(cost: Cost, rows: Array) -> Array:
    """Return the costs of latent rows, some at a time, which bounds the memory."""
    starts = range(0, len(rows), COMPOSED_ROWS)
    return np.concatenate(
        [cost(rows[a : a + COMPOSED_ROWS]) for a in steps(starts, "batches")]
    )


def _first(rows: Array, best: Array, most: int) -> tuple[Array, Array]:
    """Return the best rows of each coalition."""
    order = np.argsort(best, axis=1, kind="stable")[:, :most]
    return (
        np.take_along_axis(rows, order[:, :, None], axis=1),
        np.take_along_axis(best, order, axis=1),
    )


def _inherited(rows: Array, best: Array) -> tuple[Array, Array]:
    """Return the rows, and for each coalition also the best row of its subsets."""
    rows_one, best_one = (
        array[:, 0].copy() for array in _first(rows, best, 1)
    )
    codes = np.arange(len(rows))
    bit = 1
    while bit < len(rows):
        larger = codes[codes & bit != 0]
        better = larger[best_one[larger ^ bit] < best_one[larger]]
        rows_one[better], best_one[better] = (
            rows_one[better ^ bit],
            best_one[better ^ bit],
        )
        bit *= 2
    return (
        np.concatenate([rows, rows_one[:, None]], axis=1),
        np.concatenate([best, best_one[:, None]], axis=1),
    )


# ---------------------------------------------------------------------- of functions drawn


def least_of_draws(
    belief: Draws, default: Array, free: Bools, sign: float
) -> tuple[Array, Array]:
    """Return each draw's least cost times a sign in every coalition, (k, m), and a row, (m, d).

    The row is the one whose mean over the draws is least. Looked at are rows made of the values
    that are best one by one in a draw, those where draws are least in the space, and rows of the
    whole space. What is least in a coalition is so in every larger one.

    Parameters
    ----------
    belief : Draws
        The functions.
    default : ndarray of shape (d,)
        A latent row.
    free : ndarray of bool, shape (m, d)
        The columns that are free in each of all 2^p coalitions.
    sign : {1.0, -1.0}
        Whether the least cost is looked for, or the largest.
    """
    land, space = belief.landscape, belief.space
    alone = []
    for j in np.flatnonzero(free.any(axis=0)).tolist():
        centers = np.append(land.axes[j].centers, default[j])
        rows = np.repeat(default[None, :], len(centers), axis=0)
        rows[:, j] = centers
        costs = sign * belief.costs(space.project(rows))
        alone.append((j, centers, np.vstack([costs, costs.mean(axis=0)])))
    one_by_one = np.repeat(default[None, :], len(land.values) + 1, axis=0)
    for j, centers, costs in alone:
        one_by_one[:, j] = centers[costs.argmin(axis=1)]
    least = filled(
        space,
        land.all_rows[(sign * land.all_values).argmin(axis=1)],
        belief.seed,
    )
    most = max(_FEW, _DRAWN // len(free))
    start = np.vstack(
        [
            one_by_one[-1:],
            _commonest(space, one_by_one, most // 2),
            _commonest(space, least, most // 4),
            land.latent,
        ]
    )[:most]
    by_draw, mean, rows = _of_draws(
        belief, default, free, [start] * len(free), sign
    )
    codes, bit = np.arange(len(free)), 1
    while bit < len(free):
        larger = codes[codes & bit != 0]
        by_draw[:, larger] = np.minimum(
            by_draw[:, larger], by_draw[:, larger ^ bit]
        )
        better = larger[mean[larger ^ bit] < mean[larger]]
        mean[better], rows[better] = mean[better ^ bit], rows[better ^ bit]
        bit *= 2
    return by_draw, rows


def least_of_tried(
    belief: Draws, default: Array, free: Bools, tried: Array
) -> tuple[Array, Array]:
    """Return each draw's least cost among tried rows in every coalition, and a row, as above.

    Of many rows those are looked at whose values one by one make them the best in a draw.
    """
    space, most = belief.space, max(_FEW, _DRAWN // len(free))
    effects = np.zeros(
        (len(default), len(belief.landscape.values), len(tried)), np.float32
    )
    for j in np.flatnonzero(free.any(axis=0)).tolist():
        rows = np.repeat(default[None, :], len(tried), axis=0)
        rows[:, j] = tried[:, j]
        effects[j] = belief.costs(space.project(rows))
    chosen = [
        tried
        if len(tried) <= most
        else _commonest(space, tried[effects[own].sum(0).argmin(axis=1)], most)
        for own in free
    ]
    by_draw, _, rows = _of_draws(belief, default, free, chosen, 1.0)
    return by_draw, rows


def _of_draws(
    belief: Draws,
    default: Array,
    free: Bools,
    start: list[Array],
    sign: float,
) -> tuple[Array, Array, Array]:
    """Return each draw's least cost among rows in each coalition, the least mean, and its row."""
    by_draw = np.empty((len(belief.landscape.values), len(free)))
    mean, rows = np.empty(len(free)), np.empty((len(free), len(default)))
    at_once = max(1, COMPOSED_ROWS // (8 * max(map(len, start))))
    for first in steps(range(0, len(free), at_once), "batches"):
        some = range(first, min(first + at_once, len(free)))
        composed = [np.where(free[c], start[c], default) for c in some]
        values = sign * belief.costs(belief.space.project(np.vstack(composed)))
        ends = np.cumsum([len(z) for z in composed])[:-1]
        for c, z, costs in zip(
            some, composed, np.split(values, ends, axis=1), strict=True
        ):
            by_draw[:, c] = costs.min(axis=1)
            of_rows = costs.mean(axis=0)
            mean[c], rows[c] = of_rows.min(), z[of_rows.argmin()]
    return by_draw, mean, rows


def _commonest(space: SearchSpace, rows: Array, most: int) -> Array:
    """Return distinct rows, the commonest first; of equally common ones as the space is ordered."""
    keys = np.stack(
        [space.places(j, rows[:, j]) for j in space.order.tolist()], axis=1
    )
    _, first, counts = np.unique(
        keys, axis=0, return_index=True, return_counts=True
    )
    return np.asarray(rows[first[np.argsort(-counts, kind="stable")[:most]]])
