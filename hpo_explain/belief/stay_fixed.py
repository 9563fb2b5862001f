"""What can stay at a configuration's values, all at once, and leave one near the best.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ          the configuration
Θ          rows that may be the best: the least of the draw, and those of least mean
loss(F)    ``min f(Θ with F as in θ) - min f`` of a draw f of the cost
=========  ============================================================================

F can stay fixed if in 98 % of the draws no more is lost than allowed: with 95 % one in ten such
sets was wrong. Shares of variance cannot tell this: what explains
little of the whole may decide what is left to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hpo_explain.belief.draws import Draws
from hpo_explain.space import Array, Bools, filled, ranked

HELD = 0.98  # share of the draws
_LEAST_MEAN = 100
_FAILURES = 3  # so many that cannot be added: the others are not looked at
_RANKED = 20_000  # at most, values in rows that are looked at to say in which order they are added


def stay_fixed(
    draws: Draws,
    x: Array,
    lose: float,
    inside: Bools,
    *,
    among: Sequence[int],
    start: Sequence[int],
) -> tuple[list[int], Array]:
    """Return the columns that can stay fixed, all at once, and what each draw loses by that, (k,).

    Those with a single value are left out, and so is what is inactive there.

    Parameters
    ----------
    draws : Draws
        Functions that the trials allow.
    x : ndarray of shape (d,)
        The encoded configuration.
    lose : float
        What may be lost, in the objective's units.
    inside : ndarray of bool
        Which of the landscape's rows are left; what is lost by that already is not held against F.
    among : sequence of int
        The columns that may be fixed.
    start : sequence of int
        Columns that are fixed already.
    """
    space = draws.space
    losses = _losses(draws, x, inside)
    before = losses([[*start]])[0]
    allowed = np.maximum(lose, before)
    may = set(among) - set(start)
    columns = [
        j
        for j in space.order.tolist()
        if j in may and space.parameters[j].size != 1 and not np.isnan(x[j])
    ]
    fixed, failures = list(start), 0
    lost = before if fixed else np.zeros(len(before))
    few = max(1, _RANKED // max(1, len(columns) ** 2))
    alone = losses([[*start, j] for j in columns], few).mean(axis=1) if columns else np.empty(0)
    left, many = [columns[i] for i in ranked(alone)], 1
    while left and failures < _FAILURES:
        then = losses([[*fixed, *left[:many]]])[0]
        if (then <= allowed).mean() >= HELD:  # where some are too many, each is looked at alone
            fixed, lost, left, many = ([*fixed, *left[:many]], then, left[many:], 2 * many)
        elif many > 1:
            many //= 2
        else:
            left, failures = left[1:], failures + 1
    return sorted(fixed), lost


def _losses(draws: Draws, x: Array, inside: Bools) -> Callable[..., Array]:
    """Return what tells what each draw loses if sets of columns are as in a configuration.

    It may look at the first rows only: those of least mean.
    """
    land, space = draws.landscape, draws.space
    some = np.flatnonzero(inside)
    values = land.all_values[:, some]
    best = ranked(values.mean(axis=0))[:_LEAST_MEAN]
    complete = filled(space, land.all_rows[some[best]], draws.seed)
    least = land.all_rows[some[values.argmin(axis=1)]]
    own_least = filled(space, least, draws.seed)
    of_x = draws.costs(x[None])

    def at_x(rows: Array, columns: Sequence[int]) -> Array:
        changed = rows.copy()
        changed[:, columns] = x[columns]
        return space.project(changed)

    def where_possible(rows: Array, costs: Array) -> Array:
        if land.possible.all():
            return costs
        feasible = draws.feasible(rows.reshape(-1, len(x)))
        return np.where(feasible.reshape(-1, costs.shape[1]), costs, np.inf)

    def losses(sets: Sequence[Sequence[int]], few: int | None = None) -> Array:
        rows = np.concatenate([at_x(complete[:few], of) for of in sets])
        costs = where_possible(rows, draws.costs(rows))
        reached = costs.reshape(len(costs), len(sets), -1).min(axis=2)
        if few is None:
            own = np.stack([at_x(own_least, of) for of in sets], axis=1)
            own_costs = where_possible(own, draws.own_costs(own))
            reached = np.minimum(reached, own_costs)
        return np.asarray(np.maximum(np.minimum(reached, of_x).T - land.least, 0.0))

    return losses
