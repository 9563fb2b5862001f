"""The best configuration in every coalition: the hyperparameters S free, the others at a default.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
c(z)       the cost of a latent row z in a function: smaller is better
z_S        the row that is searched for: free on S, the default's values elsewhere
=========  ============================================================================

All coalitions are searched at once, and each function for itself, among the same rows. Where there
is one function alone, no spread tells what its search may miss, so that the best row of each
coalition is improved by one value after the other. The best row of a coalition is one of every
larger coalition as well, so that the best cost never rises with S.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.base import steps
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.orders import COMPOSED_ROWS
from hpo_explain.space import Array, Bools, SearchSpace, changed, filled

# rows at which draws are looked at: in all coalitions, least in each
_DRAWN, _FEW = (24_000, 16)
# of the encoded range, by which several values are changed at once
_STEPS, _CHILDREN = (0.2, 0.1), 60
# of the encoded range, around the best value
_NEAR = (0.05, 0.02, 0.01, 0.005, 0.002)


def least_of_draws(belief: Draws, default: Array, free: Bools, sign: float) -> tuple[Array, Array]:
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
    one_by_one = np.repeat(default[None, :], len(land.values) + 1, axis=0)
    for j in np.flatnonzero(free.any(axis=0)).tolist():
        centers = np.append(land.axes[j].centers, default[j])
        costs = sign * _alone(belief, default, j, centers)
        one_by_one[:-1, j] = centers[costs.argmin(axis=1)]
        one_by_one[-1, j] = centers[costs.mean(axis=0).argmin()]
    least = filled(space, land.all_rows[(sign * land.all_values).argmin(axis=1)], belief.seed)
    most = max(_FEW, _DRAWN // len(free))
    start = np.vstack(
        [
            one_by_one[-1:],
            _commonest(space, one_by_one, most // 2),
            _commonest(space, least, most // 4),
            land.latent,
        ]
    )[:most]
    by_draw, mean, rows = _of_draws(belief, default, free, [start] * len(free), sign)
    _inherit(by_draw, mean, rows)
    if not belief.joint:
        by_draw = _improved(belief, rows, free, sign)
        _inherit(by_draw, by_draw.mean(axis=0), rows)
    return by_draw, rows


def _alone(belief: Draws, default: Array, j: int, values: Array) -> Array:
    """Return the costs of a default in which one column has each of some values, (k, n)."""
    rows = np.repeat(default[None, :], len(values), axis=0)
    rows[:, j] = values
    return belief.costs(belief.space.project(rows))


def _inherit(by_draw: Array, mean: Array, rows: Array) -> None:
    """Give every coalition what smaller ones reach: by draw (k, m), on average (m,), and a row."""
    codes, bit = np.arange(len(rows)), 1
    while bit < len(rows):
        larger = codes[codes & bit != 0]
        by_draw[:, larger] = np.minimum(by_draw[:, larger], by_draw[:, larger ^ bit])
        better = larger[mean[larger ^ bit] < mean[larger]]
        mean[better], rows[better] = mean[better ^ bit], rows[better ^ bit]
        bit *= 2


def _improved(belief: Draws, rows: Array, free: Bools, sign: float) -> Array:
    """Improve rows (m, d) where they are free; return their costs, (k, m).

    Several values are changed at once, each in turn is set to the best one, and at last each is
    moved by smaller and smaller steps.
    """
    space = belief.space
    columns = space.order.tolist()
    for step in _STEPS:
        several = rows[:, None].repeat(_CHILDREN, axis=1)
        # the same changes in each, in whatever order coalitions are
        moved = [changed(space, one, step, np.random.default_rng(belief.seed)) for one in several]
        new = np.where(free[:, None], np.stack(moved), several)
        rows[:] = _best_of(belief, np.hstack([rows[:, None], new]), sign)
        for j in columns:
            values = belief.landscape.axes[j].centers
            values = values[np.argsort(space.places(j, values))]
            if space.parameters[j].optional < 1.0:
                values = np.append(values, np.nan)
            _set_best(belief, rows, free, sign, j, values[None])
    for near in _NEAR:
        for j in columns:
            if space.parameters[j].size is None:
                moves = near * np.array([-1.0, -0.5, 0.5, 1.0])
                values = np.clip(rows[free[:, j], j][:, None] + moves, 0, 1)
                _set_best(belief, rows, free, sign, j, values)
    return np.concatenate(
        [
            sign * belief.costs(space.project(rows[a : a + COMPOSED_ROWS]))
            for a in range(0, len(rows), COMPOSED_ROWS)
        ],
        axis=1,
    )


def _set_best(belief: Draws, rows: Array, free: Bools, sign: float, j: int, values: Array) -> None:
    """Set a column of rows, where it is free, to the best of some values if that is better."""
    own = rows[free[:, j]]
    tried = np.broadcast_to(values, (len(own), values.shape[1]))
    z = np.repeat(own[:, None], 1 + values.shape[1], axis=1)
    z[:, 1:, j] = tried
    rows[free[:, j]] = _best_of(belief, z, sign)


def _best_of(belief: Draws, candidates: Array, sign: float) -> Array:
    """Return the best row of each of several candidates (m, n, d), (m, d); the first of equals."""
    best = np.empty(candidates[:, 0].shape)
    at_once = max(1, COMPOSED_ROWS // candidates.shape[1])
    for first in steps(range(0, len(candidates), at_once), "batches"):
        z = candidates[first : first + at_once]
        X = belief.space.project(z.reshape(-1, z.shape[2]))
        costs = (sign * belief.costs(X)).mean(axis=0).reshape(z.shape[:2])
        chosen = z[np.arange(len(z)), costs.argmin(axis=1)]
        best[first : first + at_once] = chosen
    return best


def least_of_tried(belief: Draws, default: Array, free: Bools, tried: Array) -> tuple[Array, Array]:
    """Return each draw's least cost among tried rows in every coalition, and a row, as above.

    Of many rows those are looked at whose values one by one make them the best in a draw.
    """
    space, most = belief.space, max(_FEW, _DRAWN // len(free))
    effects = np.zeros((len(default), len(belief.landscape.values), len(tried)), np.float32)
    for j in np.flatnonzero(free.any(axis=0)).tolist():
        effects[j] = _alone(belief, default, j, tried[:, j])
    chosen = [
        tried
        if len(tried) <= most
        else _commonest(space, tried[effects[own].sum(0).argmin(axis=1)], most)
        for own in free
    ]
    by_draw, _, rows = _of_draws(belief, default, free, chosen, 1.0)
    return by_draw, rows


def _of_draws(
    belief: Draws, default: Array, free: Bools, start: list[Array], sign: float
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
        for c, z, costs in zip(some, composed, np.split(values, ends, axis=1), strict=True):
            by_draw[:, c] = costs.min(axis=1)
            of_rows = costs.mean(axis=0)
            mean[c], rows[c] = of_rows.min(), z[of_rows.argmin()]
    return by_draw, mean, rows


def _commonest(space: SearchSpace, rows: Array, most: int) -> Array:
    """Return distinct rows, the commonest first; of equally common ones as the space is ordered."""
    keys = np.stack([space.places(j, rows[:, j]) for j in space.order.tolist()], axis=1)
    _, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return rows[first[np.argsort(-counts, kind="stable")[:most]]]
