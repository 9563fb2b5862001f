"""Where the best configuration is, and whether there is more to get, by draws of the objective.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f_s         a draw of the cost, noise excluded
x*          the trial to keep
regret      ``f_s(x*) - min f_s``
region      the shortest range, or smallest set of categories, with the least of 90 % of the draws
near        tried, or a tried configuration with one number moved a little
==========  ============================================================================

What m further trials of the same search gain is read off the n trials: beyond the sixth best one,
costs are about exponential, with the mean excess σ of the best five [1]_. So m more are expected to
gain ``σ log(1 + m / n)``. That is no more than the share ``m / (n + m)`` of what is left to gain:
as probable it is that the best of n + m trials is among the last m [2]_.

References
----------
.. [1] Weissman, I. (1978). Estimation of parameters and large quantiles based on the k largest
   observations. Journal of the American Statistical Association 73(364).
.. [2] Arnold, B. C., Balakrishnan, N. and Nagaraja, H. N. (1998). Records. Wiley. Section 2.
"""

from __future__ import annotations

import math

import numpy as np

from hpo_explain.base import NothingToExplain, Option, check_count, fact, unit_of
from hpo_explain.belief import Decision, part_of
from hpo_explain.belief.landscape import Axis
from hpo_explain.belief.left import WITHIN
from hpo_explain.methods.advice._order import in_order
from hpo_explain.methods.advice.next_trials import TRIALS
from hpo_explain.methods.advice.optimum_result import Optimum, Region
from hpo_explain.question import RARELY_FEASIBLE, Question, RunDecision, explains
from hpo_explain.space import (
    Array,
    Bools,
    Ints,
    Parameter,
    SearchSpace,
    lowest,
    ranked,
    still_possible,
)

HELD = 0.9  # of the draws have their best value of a hyperparameter in its region
_STARTS = 20  # tried configurations of which neighbours are looked at
# of a number's scale: as far as a neighbour is; as far as it may be
_STEP, _CLOSE = (0.05, 0.125)
_EQUAL = 1e-5  # of the way from the median to the best: draws are of single precision
_TAIL = 5  # best trials, which say how dense trials are near the best


@explains(of="surrogate", without=("kind",))
def optimum(question: Question, *, more: int = TRIALS) -> Optimum:
    """Estimate where the best configuration is, and how much further trials could improve it.

    Parameters
    ----------
    more : int, default 20
        Number of further trials to forecast.

    Returns
    -------
    Optimum
        For each hyperparameter the values that hold the best one with 90 % probability, the
        configuration near the trials that is expected to be best, and the possible gain.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or `more` is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 40)})
    >>> table["loss"] = (table.x - 0.3) ** 2
    >>> found = hx.optimum(table, objective="loss")
    >>> round(found.config["x"], 1), found.space["x"].low < 0.3 < found.space["x"].high < 0.5
    (0.3, True)
    """
    run = question.run
    run.check_differences()
    more = check_count("more", more)
    decision = question.decision
    if decision is None:
        raise NothingToExplain(
            fact(
                "the model has no joint posterior, so it does not tell where the best is; leave ",
                Option("surrogate"),
                " out, then draws of the objective tell it",
            )
        )
    rarely = (RARELY_FEASIBLE,) if decision.draws.rarely_feasible else ()
    x, costs = _best_near(decision)
    promised = decision.predicted(x)
    regions = _regions(decision, x)
    parts = [part for _, part in regions]
    return Optimum(
        subject=question.subject(),
        notes=rarely,
        config=run.space.decode(x[None])[0],
        estimate=promised.estimate,
        interval=promised.interval,
        space=SearchSpace(still_possible(parts)[0]),
        regions=tuple(region for region, _ in regions),
        incumbent=run.incumbent,
        incumbent_trial=run.incumbent_trial,
        counts=decision.counts,
        tied=decision.tied,
        better=decision.better,
        keep=decision.keep,
        kept=run.config(decision.keep),
        in_order=in_order(question),
        why_another=decision.why_another,
        improved=decision.gained(decision.costs[:, decision.best] - costs),
        gained=_gained(decision, more),
        more=more,
    )


def _regions(decision: RunDecision, x: Array) -> list[tuple[Region, Parameter]]:
    """Return where the best value of each hyperparameter is, and that part of it; x is inside."""
    space, land = decision.draws.space, decision.draws.landscape
    axes = land.axes
    best_rows = land.all_rows[_first_least(decision, np.flatnonzero(land.possible))]
    inactive = np.isnan(best_rows).mean(axis=0).tolist()
    best = _best_levels(decision)
    kept = [
        _with(axis, _held(axis, at), value) for axis, at, value in zip(axes, best, x, strict=True)
    ]
    regions = []
    for j, parameter in enumerate(space):
        part = part_of(decision.draws, kept, j)
        region = Region.of(parameter, part, axes[j], best[j], kept[j], inactive[j])
        regions.append((region, part))
    return regions


def _first_least(decision: RunDecision, rows: Ints) -> Ints:
    """Return which of some rows is the least of each draw, of equal ones the first, (k,)."""
    land = decision.draws.landscape
    values = land.all_values[:, rows]
    limit = values.min(axis=1) + _EQUAL * land.spread
    return rows[(values <= limit[:, None]).argmax(axis=1)]


def _best_levels(decision: RunDecision) -> list[Ints]:
    """Return the best level of each hyperparameter in each draw, where it is active, (k,) each."""
    land = decision.draws.landscape
    first = dict[bytes, Ints]()  # most hyperparameters are active in the same rows
    levels = []
    for j, axis in enumerate(land.axes):
        active = land.level[:, j] >= 0
        some = active & land.possible
        rows = np.flatnonzero(some if some.any() else active)
        if not len(rows):  # a branch that no row has: every level is as probable
            levels.append(np.arange(len(land.all_values)) % len(axis.weights))
            continue
        if rows.tobytes() not in first:
            first[rows.tobytes()] = _first_least(decision, rows)
        levels.append(land.level[first[rows.tobytes()], j])
    return levels


def _held(axis: Axis, best: Ints) -> Bools:
    """Return the levels of the shortest range, or of the smallest set, that holds the best one.

    90 % of the draws, up to half of the error that so many draws leave.
    """
    n, least = (len(axis.weights), HELD - 0.5 * math.sqrt(HELD * (1.0 - HELD) / len(best)))
    probable, kept = (np.bincount(best, minlength=n) / len(best), np.zeros(n, bool))
    if axis.category:
        in_order = ranked(-probable)
        kept[in_order[: 1 + int(np.searchsorted(np.cumsum(probable[in_order]), least))]] = True
        return kept
    mass, size = (np.concatenate([[0.0], np.cumsum(x)]) for x in (probable, axis.weights))
    ranges = [
        (round(float(size[b] - size[a]), 9), round(float(mass[a] - mass[b]), 9), a, b)
        for a in range(n)
        for b in range(a + 1, n + 1)
        if mass[b] - mass[a] >= least
    ]
    _, _, first, end = min(ranges)
    kept[first:end] = True
    return kept


def _with(axis: Axis, kept: Bools, value: float) -> Bools:
    """Return the levels that are kept, with that of a value; of numbers those between as well."""
    level = int(axis.level(np.array([value]))[0])
    held = np.flatnonzero(kept)
    if level < 0:
        return kept
    among = [*held, level]
    if not axis.category:
        among = [*range(min(among), max(among) + 1)]
    return np.isin(np.arange(len(kept)), among)


def _best_near(decision: RunDecision) -> tuple[Array, Array]:
    """Return the row near trials with the lowest mean, (d,), and its cost in each draw, (k,).

    In the box, as is what is tried next.
    """
    space = decision.draws.space
    tried = decision.run.X[decision.rows]
    starts = tried[ranked(decision.costs.mean(axis=0))[:_STARTS]]
    near = _beside(space, starts)
    # before they are valued: the others are not asked for
    near = near[decision.box.holds(near)]
    near = near[decision.may_be_tried(near)]
    rows = np.concatenate([tried, near])
    costs = np.concatenate([decision.costs, decision.draws.costs(near)], axis=1)
    inside = decision.box.holds(rows)
    best = lowest(np.where(inside, costs.mean(axis=0), np.inf))
    worse = decision.predicted(rows[best]).estimate - decision.mean
    if decision.run.sign * worse > 0.0:  # than the trial to keep
        best = decision.best
    return rows[best], costs[:, best]


def _beside(space: SearchSpace, starts: Array) -> Array:
    """Return rows that differ from some in one number, by a little, (m, d)."""
    moves = []
    for j in space.order.tolist():
        parameter = space.parameters[j]
        if parameter.is_category:
            continue
        step = max(_STEP, 1.0 / max((parameter.size or np.inf) - 1.0, 1.0))
        if step > _CLOSE:
            continue
        for side in (-step, step):
            moved = starts.copy()
            there = np.clip(moved[:, j] + side, 0.0, 1.0)
            moved[:, j] = parameter.nearest(there)
            moves.append(moved)
    if not moves:
        return np.empty((0, len(space)))
    # one start after the other: its neighbors differ in little
    near = space.project(np.concatenate(np.stack(moves, axis=1)))
    return near[space.is_valid(near)]


def _gained(decision: RunDecision, more: int) -> Decision:
    """Return what further trials gain on the trial to keep.

    A search may gain nothing: the interval begins there, and ends as that of what is left.
    """
    run, left = decision.run, decision.better
    costs = np.sort(run.cost[run.feasible])
    n = len(costs)
    unit = unit_of(costs)  # in which no sum overflows
    tail = costs[: _TAIL + 1] / unit
    excess = float((tail[-1] - tail).sum()) / max(len(tail) - 1, 1) * unit
    most = left.estimate * more / (n + more)
    estimate = min(excess * math.log1p(more / n), most)
    # how many of them are better by what counts has a Poisson distribution
    beyond = math.exp(-decision.counts.between / excess) if excess > 0.0 else 0.0
    better = -math.expm1(-beyond * more / n)
    return Decision(
        estimate=estimate,
        interval=(0.0, min(WITHIN * estimate, left.interval[1])),
        probability=min(better, left.probability),
        certain=False,
        bound=0.0,
        threshold=decision.epsilon,
    )
