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

The end of a range, or a category, is dropped while in at least 95 % of the draws of each process a
near row is left, first what loses least probability per logarithm of the volume. A level is dropped
only if its own best is near in at most 35 % of the draws. A conditional hyperparameter is judged by
what is near the best of its branch, too. What is left of a hyperparameter that hardly matters there
is one level, that of the configuration to keep, where no draw loses more than half of the rung by
that.

Never dropped are the levels of the configuration to keep, and what nobody tried: a category without
a trial, and levels in a stretch wider than a fifth of the range in which no trial lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hpo_explain.belief.decisions import STRETCH, Decision, decide
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.functionals import least_in
from hpo_explain.belief.landscape import Axis
from hpo_explain.belief.stay_fixed import stay_fixed
from hpo_explain.space import (
    Array,
    Bools,
    CategoricalParameter,
    Ints,
    Parameter,
)

# of the median minus the best
RUNGS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
HELD = 0.95  # share of the draws of each process that keep a near row
_FAILING = 0.05  # of a box: dropping more never makes more of it fail
UNTRIED = (
    0.2  # of a range: a stretch as wide in which no trial lies is not given up
)
_FIXED = (
    0.5  # of a rung: no draw may lose more by one level of a hyperparameter
)
_MAY_BE_NEAR = (
    0.35  # of the draws: a level that is near in more is never dropped
)

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
    """

    def __init__(
        self,
        draws: Draws,
        lose: float,
        *,
        keep: Array | None = None,
        tried: Array | None = None,
    ) -> None:
        self.draws, self.lose, self.keep = draws, lose, keep
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
        counts = self._branches[2]
        return float(
            np.prod(self._factors(kept), axis=0) @ counts / counts.sum()
        )

    def _factors(self, kept: Levels) -> Array:
        """Return of each hyperparameter the share of each branch that its levels leave, (d, b)."""
        return np.array([self._factor(kept, j) for j in range(len(kept))])

    def _factor(self, kept: Levels, j: int) -> Array:
        active, levels, counts = self._branches
        weight = kept[j][levels[:, j]].astype(float)
        if j not in self.parents:
            weight = np.full(
                len(counts), float(self.land.axes[j].weights[kept[j]].sum())
            )
        return np.where(active[:, j], weight, 1.0)

    @property
    def rungs(self) -> list[float]:
        """The losses that are allowed one after the other, in the objective's units."""
        spread = float(np.median(self.land.spread))
        return [
            share * spread
            for share in RUNGS
            if share * spread <= self.lose * (1.0 + 1e-9)
        ]

    def found(self) -> tuple[Levels, Array]:
        """Return the levels to keep, and what each draw loses with these only, (k,)."""
        kept, _ = self.kept_and_ranges()
        return kept, self.loss(kept)

    def kept_and_ranges(self) -> tuple[Levels, dict[int, Bools]]:
        """Return the levels to keep, and by column the range in which one of its levels does."""
        kept, fixed = self.everything(), list[int]()
        ranges = dict[int, Bools]()
        for rung in self.rungs:
            kept = _Rung(self, rung).narrowed(kept)
            if self.keep is not None:
                ranged = kept
                kept, fixed = self._fixed(kept, fixed, rung)
                ranges = {j: ranged[j] for j in fixed} | ranges
        return kept, ranges

    def _fixed(
        self, kept: Levels, fixed: list[int], rung: float
    ) -> tuple[Levels, list[int]]:
        """Return the levels to keep where what hardly matters has one level, and which that is."""
        x = self.keep
        if x is None:
            return kept, fixed
        tried = [
            j for j, of in enumerate(self.untried) if not (of & kept[j]).any()
        ]
        inside = self.inside(kept) & self.land.possible
        if not inside.any():
            return kept, fixed
        fixed, _ = stay_fixed(
            self.draws, x, _FIXED * rung, inside, among=tried, start=fixed
        )
        kept = list(kept)
        for j in fixed:
            kept[j] = np.arange(len(kept[j])) == self.land.axes[j].level(
                x[[j]]
            )
        return kept, fixed

    @cached_property
    def failing(self) -> Array | None:
        """The probability that rows of the space give no result that counts; None if all do."""
        known = self.draws.feasibility
        return (
            None if known is None else 1.0 - known.probability(self.land.rows)
        )

    @cached_property
    def untried(self) -> list[Bools]:
        """The levels of each hyperparameter that are not given up, as no trial was made there."""
        if not len(self.tried):
            return [
                np.zeros(len(axis.weights), bool) for axis in self.land.axes
            ]
        columns = zip(self.land.axes, self.tried.T, strict=True)
        return [untried(axis, x[~np.isnan(x)]) for axis, x in columns]

    def protected(self, j: int, level: int) -> bool:
        """Return whether a level is never dropped."""
        own = (
            None
            if self.keep is None
            else int(self.land.axes[j].level(self.keep[[j]])[0])
        )
        return level == own or bool(self.untried[j][level])

    def moves(self, kept: Levels) -> Iterator[tuple[int, int]]:
        """Return what may be dropped next: hyperparameter and level, however these are written."""
        space = self.draws.space
        for j in space.order.tolist():
            stays, axis = np.flatnonzero(kept[j]), self.land.axes[j]
            ends = stays[[0, -1]]
            if axis.category:
                ends = stays[np.argsort(space.places(j, axis.centers[stays]))]
            for level in ends.tolist() if len(stays) > 1 else ():
                if not self.protected(j, level):
                    yield j, level

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
            (np.ones(len(places), np.float32), places, ends),
            (len(active), self.starts[-1]),
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
            same = [
                i for i, known in enumerate(rows) if (known == column).all()
            ]
            which.append(same[0] if same else len(rows))
            rows += [] if same else [column]
        return rows, which

    @cached_property
    def parents(self) -> set[int]:
        """The hyperparameters on which others depend."""
        return {
            parent
            for rules in self.draws.space.conditions
            for parent, _ in rules
        }

    @cached_property
    def _branches(self) -> tuple[Bools, Ints, Ints]:
        """What is active and the parents' levels in each branch, and how many rows it has."""
        levels = self.land.level[: len(self.land.rows)]
        others = [j for j in range(levels.shape[1]) if j not in self.parents]
        levels = levels.copy()
        levels[:, others] = np.minimum(levels[:, others], 0)
        found, counts = np.unique(levels, axis=0, return_counts=True)
        return found >= 0, found, counts


class _Rung:
    """What may be dropped where a given loss is allowed."""

    def __init__(self, search: Narrowing, lose: float) -> None:
        self.search, self.land, self.starts = (
            search,
            search.land,
            search.starts,
        )
        self.near = [
            self._near(rows & self.land.possible, lose)
            for rows in search.goal_rows
        ]
        self.failing = search.failing

    def _near(self, rows: Bools, lose: float) -> Bools:
        """Return what is near in each draw among some rows, (k, M)."""
        limit = least_in(self.land, rows) + lose
        return np.asarray((self.land.all_values <= limit[:, None]) & rows)

    def narrowed(self, kept: Levels) -> Levels:
        """Return what is left of some levels where all that may be dropped is."""
        search = self.search
        kept = self._without_far_categories(kept)
        volume, sizes = search.volume(kept), search._branches[2]
        while True:
            factors = search._factors(kept)
            branches = np.prod(factors, axis=0) * sizes / sizes.sum()
            inside = search.inside(kept)
            left = [self._left(near & inside) for near in self.near]
            best: tuple[tuple[float, float], tuple[int, int], float] | None = (
                None
            )
            for j, level in search.moves(kept):
                if self._near_at[self.starts[j] + level] > _MAY_BE_NEAR:
                    continue
                smaller = search._factor(_without(kept, j, level), j)
                # a branch of which nothing is left stays so
                of_branch = np.divide(
                    smaller,
                    factors[j],
                    out=np.zeros_like(smaller),
                    where=factors[j] > 0.0,
                )
                then = float(branches @ of_branch)
                if not 0.0 < then < volume or self._fails_more(kept, j, level):
                    continue
                lost = mass = 0.0
                for counts, total in (
                    left[goal] for goal in {0, search.goal_of[j]}
                ):
                    stays = total - counts[:, self.starts[j] + level] > 0.5
                    if (
                        min(stays[part].mean() for part in search.draws.parts)
                        < HELD
                    ):
                        break
                    lost = max(
                        lost, float((total > 0.5).mean() - stays.mean())
                    )
                    mass = max(
                        mass,
                        float(
                            counts[:, self.starts[j] + level].sum()
                            / total.sum()
                        ),
                    )
                else:
                    worth = np.log(volume / then)
                    # sums differ by rounding, and equal ones are dropped in the same order
                    score = (round(lost / worth, 9), round(mass / worth, 9))
                    if best is None or score < best[0]:
                        best = score, (j, level), then
            if best is None:
                return kept
            kept, volume = _without(kept, *best[1]), best[2]

    def _fails_more(self, kept: Levels, j: int, level: int) -> bool:
        """Return whether a box without a level fails more often than with it, and often."""
        if self.failing is None:
            return False
        before = self.search.inside(kept)[: len(self.failing)]
        after = before & (self.land.level[: len(self.failing), j] != level)
        if not after.any():
            return False
        share = float(self.failing[after].mean())
        return share > max(_FAILING, float(self.failing[before].mean()))

    def _without_far_categories(self, kept: Levels) -> Levels:
        """Return levels without categories that are near in no draw: they cost nothing."""
        kept, left = (
            list(kept),
            [self._left(near)[0].sum(axis=0) for near in self.near],
        )
        for j, axis in enumerate(self.land.axes):
            if axis.category and j not in self.search.parents:
                own = slice(self.starts[j], self.starts[j + 1])
                some = sum(
                    left[goal][own] for goal in {0, self.search.goal_of[j]}
                )
                levels = range(len(axis.weights))
                never = np.array(
                    [self.search.protected(j, level) for level in levels]
                )
                stays = kept[j] & ((some > 0.0) | never)
                kept[j] = stays if stays.any() else kept[j]
        return kept

    def _left(self, near: Bools) -> tuple[Array, Array]:
        """Return how many near rows each draw has at each level, and in all."""
        some = near.any(axis=0)
        rows = near[:, some].astype(np.float32)
        counts = (self.search.at_level[np.flatnonzero(some)].T @ rows.T).T
        return np.ascontiguousarray(counts), rows.sum(axis=1)

    @cached_property
    def _near_at(self) -> Array:
        """In which share of the draws each level's own best is near, (number of levels,)."""
        shares = [
            (self._left(near)[0] > 0.5).mean(axis=0) for near in self.near
        ]
        goal = np.repeat(self.search.goal_of, np.diff(self.starts))
        return np.asarray(np.array(shares)[goal, np.arange(len(goal))])


def _without(kept: Levels, j: int, level: int) -> Levels:
    found = list(kept)
    found[j] = found[j].copy()
    found[j][level] = False
    return found


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
    if (
        axis.edges[:, 0] == axis.edges[:, 1]
    ).all():  # a value is all of its level
        tried = ~without
        first, last = ends[:-1][tried], ends[1:][tried]
    else:
        first = last = np.unique(x)
    starts, stops = np.append(0.0, last), np.append(first, 1.0)
    stretch = (np.searchsorted(stops, middle)).clip(max=len(stops) - 1)
    return np.asarray(
        without & (stops[stretch] - starts[stretch] > UNTRIED + 1e-9)
    )


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
        return replace(
            parameter, choices=[parameter.choices[code] for code in codes]
        )
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
