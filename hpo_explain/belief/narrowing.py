"""Which levels of each hyperparameter to keep so that the best is hardly ever lost.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_s        a draw of the cost
near_s     rows with ``f_s(x) <= min f_s + rung``, of those that give a result that counts
rung       an allowed loss: a share of the median minus the best
goal       the whole space, or a branch: the rows in which a conditional one is active
=========  ============================================================================

One box for one allowed loss: it is found by losing little first and more then, rung by rung, each
time from what was left. So what is enough for less is enough for more, and boxes of larger losses
lie in those of smaller ones.

The end of a range, or a category, is dropped while in at least 95 % of the draws, and 90 % of those
of each process, a near row is left, first what loses least probability per logarithm of the volume.
A level is dropped only if its own best is near, and within what counts of the best, in at most 35 %
of the draws. So what hardly matters stays open. A conditional hyperparameter is judged by what is
near the best of its branch, too.

Never dropped are the levels of the configuration to keep, and what nobody tried: a category without
a trial, and levels in a stretch wider than a fifth of the range in which no trial lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array

from hpo_explain.belief.decisions import STRETCH, Decision, decide
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.functionals import least_in
from hpo_explain.belief.landscape import Axis
from hpo_explain.space import Array, Bools, CategoricalParameter, Ints, Parameter

# The shares below were chosen by tests/claims/narrowing.py on the families that choose.
# of the median minus the best
RUNGS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
# share of all draws, and of those of each process, that keep a near row
HELD, HELD_EACH = (0.95, 0.9)
_FAILING = 0.05  # of a box: dropping more never makes more of it fail
_ROUNDING = 1e-12  # what shares of failures may differ by
UNTRIED = 0.2  # of a range: a stretch as wide in which no trial lies is not given up
_MAY_BE_NEAR = 0.35  # of the draws: a level that is near in more is never dropped

Levels = list[Bools]
"""Which levels of each hyperparameter are kept."""


class Narrowing:
    """The search for the smallest part of a space that holds a configuration near the best.

    Parameters
    ----------
    draws : Draws
        Functions that the trials allow.
    lose : float
        By how much the best of what is left may be worse, in the objective's units.
    keep : ndarray of shape (d,), optional
        The encoded configuration that is kept in any case.
    tried : ndarray of shape (n, d), optional
        Encoded rows of all trials, those without a result too; where there are none, it is not
        known what was tried.
    enough : float, default 0
        What counts: a level that loses less is not given up.
    """

    def __init__(
        self,
        draws: Draws,
        lose: float,
        *,
        keep: Array | None = None,
        tried: Array | None = None,
        enough: float = 0.0,
    ) -> None:
        self.draws, self.lose, self.keep = draws, lose, keep
        self.enough = enough
        self.tried = draws.X if tried is None else tried
        self.land = draws.landscape

    def everything(self) -> Levels:
        """Return that all levels are kept."""
        return [np.ones(len(axis.weights), bool) for axis in self.land.axes]

    def loss(self, kept: Levels) -> Array:
        """Return what each draw loses with these levels only, (k,)."""
        return least_in(self.land, self.inside(kept)) - self.land.least

    def inside(self, kept: Levels) -> Bools:
        """Return which of the landscape's rows have these levels only, (M,)."""
        found = np.ones(len(self.land.level), bool)
        for j, of in enumerate(kept):
            # what is inactive is last
            found &= np.append(of, True)[self.land.level[:, j]]
        return found

    def volume(self, kept: Levels) -> float:
        """Return the share of the space's measure that has these levels only."""
        factors = [self.factor(j, of) for j, of in enumerate(kept)]
        return float(np.prod(factors, axis=0) @ self.branches.weight)

    def factor(self, j: int, of: Bools) -> Array:
        """Return the share of each branch that levels of a hyperparameter leave, (b,)."""
        branches = self.branches
        if j in self.parents:
            share = of[branches.level[:, j]].astype(float)
        else:
            own = float(self.land.axes[j].weights[of].sum())
            share = np.full(len(branches.active), own)
        return np.where(branches.active[:, j], share, 1.0)

    @property
    def rungs(self) -> list[float]:
        """The losses that are allowed one after the other, in the objective's units."""
        spread = float(np.median(self.land.spread))
        return [share * spread for share in RUNGS if share * spread <= self.lose * (1.0 + 1e-9)]

    def found(self) -> Levels:
        """Return the levels to keep: of smaller losses the first ones."""
        known = _STEPS.setdefault(self.draws, {})
        keep = None if self.keep is None else self.keep.tobytes()
        about = keep, self.tried.tobytes(), self.enough
        steps = known.get(about, (self.everything(),))
        count = 1 + len(self.rungs)
        for rung in self.rungs[len(steps) - 1 :]:
            steps = (*steps, _Rung(self, rung, steps[-1]).narrowed())
            known[about] = steps
        return steps[:count][-1]

    @cached_property
    def failing(self) -> Array | None:
        """The probability that rows of the space give no result that counts; None if all do."""
        known = self.draws.feasibility
        return None if known is None else 1.0 - known.probability(self.land.rows)

    @cached_property
    def untried(self) -> list[Bools]:
        """The levels of each hyperparameter that are not given up, as no trial was made there."""
        if not len(self.tried):
            return [np.zeros(len(axis.weights), bool) for axis in self.land.axes]
        columns = zip(self.land.axes, self.tried.T, strict=True)
        return [untried(axis, x[~np.isnan(x)]) for axis, x in columns]

    @cached_property
    def protected(self) -> Bools:
        """Which levels are never dropped, (number of levels,)."""
        never = np.concatenate(self.untried)
        if self.keep is not None:
            columns = zip(self.land.axes, self.keep[:, None], strict=True)
            own = np.array([int(axis.level(x)[0]) for axis, x in columns])
            active = own >= 0
            never[(self.starts[:-1] + own)[active]] = True
        return never

    @cached_property
    def in_order(self) -> Ints:
        """All levels, in an order that is the same however the space is written."""
        space = self.draws.space
        places = []
        for j in space.order.tolist():
            axis = self.land.axes[j]
            own = np.arange(len(axis.weights))
            if axis.category:
                own = np.argsort(space.places(j, axis.centers))
            places.append(self.starts[j] + own)
        return np.concatenate(places)

    @cached_property
    def starts(self) -> Ints:
        """The place of each hyperparameter's first level among all levels, and their number."""
        return np.cumsum([0, *(len(axis.weights) for axis in self.land.axes)])

    @cached_property
    def at_level(self) -> csr_array:
        """Whether each row has each level of each hyperparameter, (M, number of levels)."""
        active = self.land.level >= 0
        places = (self.land.level + self.starts[:-1])[active]
        ends = np.concatenate([[0], np.cumsum(active.sum(axis=1))])
        return csr_array(
            (np.ones(len(places), np.float32), places, ends), (len(active), self.starts[-1])
        )

    @property
    def goal_of(self) -> list[int]:
        """By hyperparameter the goal that it is judged by beside the first, the whole space."""
        return self._branched[1]

    @property
    def goal_rows(self) -> list[Bools]:
        """Which rows each goal is about: all, or those in which a branch is active."""
        return self._branched[0]

    @cached_property
    def _branched(self) -> tuple[list[Bools], list[int]]:
        active = self.land.level >= 0
        rows, which = [np.ones(len(active), bool)], []
        for column in active.T:
            same = [i for i, known in enumerate(rows) if (known == column).all()]
            which.append(same[0] if same else len(rows))
            rows += [] if same else [column]
        return rows, which

    @cached_property
    def parents(self) -> set[int]:
        """The hyperparameters on which others depend."""
        return {parent for rules in self.draws.space.conditions for parent, _ in rules}

    @cached_property
    def branches(self) -> Branches:
        """The branches of the space."""
        level = self.land.level[: len(self.land.rows)].copy()
        others = [j for j in range(level.shape[1]) if j not in self.parents]
        level[:, others] = np.minimum(level[:, others], 0)
        distinct, counts = np.unique(level, axis=0, return_counts=True)
        return Branches(distinct >= 0, distinct, counts / counts.sum())


# by what is kept in any case, what was tried and what counts, so that boxes of several losses are
# found at once
_STEPS: WeakKeyDictionary[Draws, dict[tuple[bytes | None, bytes, float], tuple[Levels, ...]]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True, eq=False)
class Branches:
    """Parts of a space in which the same hyperparameters are active.

    Attributes
    ----------
    active : ndarray of bool, shape (b, d)
        Which are active in each.
    level : ndarray of int, shape (b, d)
        The level of hyperparameters on which others depend.
    weight : ndarray of shape (b,)
        Share of the space's measure.
    """

    active: Bools
    level: Ints
    weight: Array


class _Tally:
    """Sums over rows that are left: at each level, and of all.

    Parameters
    ----------
    at_level : csr_array of shape (M, number of levels)
        Which levels each row has.
    values : ndarray of shape (M, k)
        What is summed up.
    """

    def __init__(self, at_level: csr_array, values: Array | Bools) -> None:
        self._at_level, self._values = at_level, values
        self._counts = values.any(axis=1)
        precision = np.result_type(at_level.dtype, values.dtype)
        k = values.shape[1]
        self.at = np.zeros((at_level.shape[1], k), precision)
        self.total = np.zeros(k, precision)
        self._add(np.flatnonzero(self._counts), 1)

    def leave(self, rows: Bools) -> None:
        """Take rows out."""
        self._add(np.flatnonzero(rows & self._counts), -1)

    def _add(self, rows: Ints, sign: int) -> None:
        values = self._values[rows]
        self.at += sign * (self._at_level[rows].T @ values)
        self.total += sign * values.sum(axis=0)


class _Rung:
    """What is dropped where a given loss is allowed: level by level from some levels.

    What is known of a level is updated by the rows that leave, so that a level costs as much as its
    rows, and not as much as all of them.
    """

    def __init__(self, search: Narrowing, lose: float, kept: Levels) -> None:
        self._search, self._land = search, search.land
        self._parts = search.draws.parts
        self._near = self._tallies(lose)
        self._owner = np.repeat(np.arange(len(kept)), np.diff(search.starts))
        goal = np.array(search.goal_of)[self._owner]
        self._columns = [np.flatnonzero(goal == i) for i in range(len(self._near))]
        # the whole space judges every level, a branch its own ones only
        self._columns[0] = np.arange(len(goal))
        counting = self._near
        if lose < search.enough:
            counting = self._tallies(search.enough)
        shares = np.array([(of.at > 0).mean(axis=1) for of in counting])
        own_best = shares[goal, np.arange(len(goal))]
        self._never = search.protected | (own_best > _MAY_BE_NEAR)
        self._kept = self._without_far_categories(kept)
        self._inside = search.inside(self._kept)
        for of in self._near:
            of.leave(~self._inside)
        self._failing = self._tally_of_failing()
        self._factors = np.array([search.factor(j, of) for j, of in enumerate(self._kept)])
        self._may_go = np.concatenate([self._ends(j) for j in range(len(kept))])

    def _tallies(self, lose: float) -> list[_Tally]:
        """Return what is near where so much is allowed, for each goal."""
        search = self._search
        return [_Tally(search.at_level, self._near_of(rows, lose)) for rows in search.goal_rows]

    def _near_of(self, rows: Bools, lose: float) -> Bools:
        """Return what is near in each draw among some rows, (M, k)."""
        among = rows & self._land.possible
        limit = least_in(self._land, among) + lose
        near = (self._land.all_values <= limit[:, None]) & among
        return np.ascontiguousarray(near.T)

    def narrowed(self) -> Levels:
        """Return what is left where all that may be dropped is."""
        while (place := self._best_move()) is not None:
            self._drop(place)
        return self._kept

    def _best_move(self) -> int | None:
        """Return the level whose loss buys most volume; None if none may be dropped."""
        volume, smaller = self._volumes()
        may_go = self._may_go & (smaller > 0.0) & (smaller < volume)
        if self._failing is not None:
            may_go &= ~self._fails_more(self._failing)
        places = self._search.in_order
        places = places[may_go[places]]
        lost, mass = self._losses(places)
        enough = lost < np.inf
        places, lost, mass = places[enough], lost[enough], mass[enough]
        if not len(places):
            return None
        worth = np.log(volume / smaller[places])
        # sums differ by rounding, and equal ones are dropped in the same order
        score = np.round(lost / worth, 9), np.round(mass / worth, 9)
        return int(places[np.lexsort(score[::-1])[0]])

    def _losses(self, places: Ints) -> tuple[Array, Array]:
        """Return what is lost with levels: the share of draws, and of near rows, each (m,).

        An infinite share where fewer draws would keep a near row than have to.
        """
        lost, mass = np.zeros((2, len(places)))
        for near, columns in zip(self._near, self._columns, strict=True):
            judged = np.isin(places, columns)
            at = near.at[places[judged]]
            stays = near.total - at > 0.5
            least = np.min([stays[:, part].mean(axis=1) for part in self._parts], axis=0)
            share = (near.total > 0.5).mean() - stays.mean(axis=1)
            too_few = (stays.mean(axis=1) < HELD) | (least < HELD_EACH)
            share[too_few] = np.inf
            lost[judged] = np.maximum(lost[judged], share)
            of_near = at.sum(axis=1) / max(near.total.sum(), 1.0)
            mass[judged] = np.maximum(mass[judged], of_near)
        return lost, mass

    def _volumes(self) -> tuple[float, Array]:
        """Return the volume, and what it is without each level, (number of levels,)."""
        branches = self._search.branches
        weight = np.prod(self._factors, axis=0) * branches.weight
        volume = float(weight.sum())
        own = np.concatenate([axis.weights for axis in self._land.axes])
        kept = np.where(np.concatenate(self._kept), own, 0.0)
        left = np.add.reduceat(kept, self._search.starts[:-1])
        of_active = weight @ branches.active
        smaller = volume - (of_active / left)[self._owner] * own
        for j in self._search.parents:
            levels = np.arange(len(self._kept[j]))
            others = branches.level[:, j, None] != levels
            smaller[self._owner == j] = weight @ others
        return volume, smaller

    def _drop(self, place: int) -> None:
        """Drop a level."""
        search, j = self._search, int(self._owner[place])
        level = place - search.starts[j]
        of = self._kept[j].copy()
        of[level] = False
        self._kept[j] = of
        gone = self._inside & (self._land.level[:, j] == level)
        self._inside = self._inside & ~gone
        for tally in (*self._near, self._failing):
            if tally is not None:
                tally.leave(gone)
        self._factors[j] = search.factor(j, of)
        self._may_go[self._owner == j] = self._ends(j)

    def _ends(self, j: int) -> Bools:
        """Return which levels of a hyperparameter may be dropped next: the ends of a range."""
        of = self._kept[j]
        own = slice(self._search.starts[j], self._search.starts[j + 1])
        if of.sum() == 1:
            return np.zeros(len(of), bool)
        ends: Bools = of.copy()
        if not self._land.axes[j].category:
            first, last = np.flatnonzero(of)[[0, -1]]
            ends[first + 1 : last] = False
        ends &= ~self._never[own]
        return ends

    def _tally_of_failing(self) -> _Tally | None:
        """Return how probable it is that rows of the space fail, and how many there are."""
        failing = self._search.failing
        if failing is None:
            return None
        values = np.zeros((len(self._inside), 2))
        values[: len(failing)] = np.column_stack([failing, np.ones(len(failing))])
        values[~self._inside] = 0.0
        return _Tally(self._search.at_level, values)

    def _fails_more(self, failing: _Tally) -> Bools:
        """Return whether a box without each level fails more often than with it, and often."""
        failures, rows = (failing.total - failing.at).T
        before = failing.total[0] / max(failing.total[1], 1.0)
        share = failures / np.maximum(rows, 1.0)
        limit = max(_FAILING, before)
        return (share > limit + _ROUNDING) & (rows > 0.5)

    def _without_far_categories(self, kept: Levels) -> Levels:
        """Return levels without categories that are near in no draw: they cost nothing."""
        search, kept = self._search, list(kept)
        near = np.zeros(len(self._owner), bool)
        for of, columns in zip(self._near, self._columns, strict=True):
            near[columns] |= (of.at[columns] > 0.0).any(axis=1)
        stays = near | search.protected
        for j, axis in enumerate(self._land.axes):
            own = kept[j] & stays[search.starts[j] : search.starts[j + 1]]
            if axis.category and j not in search.parents and own.any():
                kept[j] = own
        return kept


def untried(axis: Axis, x: Array) -> Bools:
    """Return the levels of a hyperparameter that are not given up, as no trial was made there.

    Of a category those without a trial, of a number those in a stretch wider than a fifth of its
    range between two tried values, or beyond the outermost.

    Parameters
    ----------
    axis : Axis
        The levels.
    x : ndarray of shape (n,)
        The encoded values that were tried.
    """
    without = np.ones(len(axis.weights), bool)
    without[axis.level(x)] = False
    if axis.category or not len(x):
        return without
    ends = np.concatenate([[0.0], np.cumsum(axis.weights)])
    middle = (ends[1:] + ends[:-1]) / 2.0
    if (axis.edges[:, 0] == axis.edges[:, 1]).all():  # a value is all of its level
        tried = ~without
        first, last = ends[:-1][tried], ends[1:][tried]
    else:
        first = last = np.unique(x)
    starts, stops = np.append(0.0, last), np.append(first, 1.0)
    stretch = (np.searchsorted(stops, middle)).clip(max=len(stops) - 1)
    return without & (stops[stretch] - starts[stretch] > UNTRIED + 1e-9)


def allowed(loss: Array, lose: float) -> Decision:
    """Return whether no more is lost than allowed, from the loss of each draw."""
    limit = float(np.nextafter(lose, np.inf))  # as much is allowed
    return decide(loss, limit, side="below", stretch=STRETCH["least"])


def part_of(draws: Draws, kept: Sequence[Bools], j: int) -> Parameter:
    """Return a hyperparameter with the levels that are kept of it."""
    if kept[j].all():
        return draws.space.parameters[j]
    parameter, axis = draws.space.parameters[j], draws.landscape.axes[j]
    if isinstance(parameter, CategoricalParameter):
        codes = axis.centers[kept[j]].astype(int).tolist()
        return replace(parameter, choices=[parameter.choices[code] for code in codes])
    first, last = np.flatnonzero(kept[j])[[0, -1]]
    low, high = axis.edges[first, 0], axis.edges[last, 1]
    if parameter.size is None:  # levels meet between their outermost values
        low = (axis.edges[max(first - 1, 0), 1] + low) / 2.0
        high = (axis.edges[min(last + 1, len(axis.edges) - 1), 0] + high) / 2.0
    start, end = parameter.decode(np.array([low, high]))
    ends: dict[str, Any] = {
        "low": parameter.low if first == 0 else start,
        "high": parameter.high if last == len(axis.edges) - 1 else end,
    }
    return replace(parameter, **ends)
