"""Which levels of each hyperparameter to keep so that the best is hardly ever lost.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_s        a draw of the cost
near_s     rows with ``f_s(x) <= min f_s + lose``
goal       the whole space, or a branch: the rows in which a conditional one is active
=========  ============================================================================

The end of a range, or a category, is dropped while in at least 95 % of the draws of each part of
the belief a near row is left, first what loses least probability per logarithm of the volume. A
level is dropped only if its own best is near in at most 35 % of the draws: on exact tables the box
then held what it says in 97 to 100 % of runs, and with 50 % in 94. A conditional hyperparameter is
judged by what is near the best of its branch, too.

What is left of a hyperparameter that hardly matters there is one level, that of the tried
configuration of lowest mean, where no draw loses more than half of what is allowed by that: on
exact tables no run that was right became wrong, and of the volume half was left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hpo_explain.belief.decide import STRETCH, Decision, decide
from hpo_explain.belief.drawn import Draws
from hpo_explain.belief.functionals import least_in
from hpo_explain.methods.space.stay_fixed import stay_fixed
from hpo_explain.space import Array, Bools, CategoricalParameter, Ints, Parameter, lowest

HELD = 0.95  # share of the draws of each part that keep a near row
_FIXED = 0.5  # of what is allowed: no draw may lose more by one level of a hyperparameter
_MAY_BE_NEAR = 0.35  # of the draws: a level that is near in more is never dropped

_LEAST = 0.01  # of the way from the median to the best: less is never asked for

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
    feasible : callable, optional
        Probability of being feasible of encoded rows; what is rather infeasible counts for nothing.
    """

    def __init__(
        self, draws: Draws, lose: float, feasible: Callable[[Array], Array] | None = None
    ) -> None:
        self.draws, self.lose = draws, lose
        self.land = draws.landscape
        self._possible = np.ones(len(self.land.all_rows), bool)
        if feasible is not None and (feasible(self.land.all_rows) >= 0.5).any():
            self._possible = feasible(self.land.all_rows) >= 0.5
        self._starts = np.cumsum([0, *(len(axis.weights) for axis in self.land.axes)])

    def everything(self) -> Levels:
        """Return that all levels are kept."""
        return [np.ones(len(axis.weights), bool) for axis in self.land.axes]

    def loss(self, kept: Levels) -> Array:
        """Return what each draw loses with these levels only, (k,)."""
        best = least_in(self.land, self._possible)
        return least_in(self.land, self._possible & self.inside(kept)) - best

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
        return float(np.prod(self._factors(kept), axis=0) @ counts / counts.sum())

    def _factors(self, kept: Levels) -> Array:
        """Return of each hyperparameter the share of each branch that its levels leave, (d, b)."""
        return np.array([self._factor(kept, j) for j in range(len(kept))])

    def _factor(self, kept: Levels, j: int) -> Array:
        active, levels, counts = self._branches
        weight = kept[j][levels[:, j]].astype(float)
        if j not in self._parents:
            weight = np.full(len(counts), float(self.land.axes[j].weights[kept[j]].sum()))
        return np.where(active[:, j], weight, 1.0)

    def found(self, *, fix: bool = True) -> tuple[Levels, Array]:
        """Return the levels to keep, and what each draw loses with these only, (k,)."""
        kept = self.near()
        lost, inside = self.loss(kept), self.inside(kept) & self._possible
        X = self.draws.X
        columns = zip(X.T, self.land.axes, kept, strict=True)
        left = [np.append(of, True)[axis.level(x)] for x, axis, of in columns]
        X = X[np.all(left, axis=0)]
        if not fix or not len(X) or not inside.any():
            return kept, lost
        x = X[lowest(self.draws.costs(X).mean(axis=0))]
        fixed, then = stay_fixed(self.draws, x, _FIXED * self.lose, inside)
        for j in fixed:
            kept[j] = np.arange(len(kept[j])) == self.land.axes[j].level(x[[j]])
        return kept, then if fixed else lost

    def near(self) -> Levels:
        """Return the levels to keep of hyperparameters that matter."""
        kept, goals = self._near_in_some(), self._goals
        volume, sizes = self.volume(kept), self._branches[2]
        while True:
            factors = self._factors(kept)
            branches = np.prod(factors, axis=0) * sizes / sizes.sum()
            inside = self.inside(kept)
            left = [self._left(near & inside) for near in goals]
            best: tuple[tuple[float, float], tuple[int, int], float] | None = None
            for j, level in self._moves(kept):
                smaller = self._factor(self._without(kept, j, level), j)
                # a branch of which nothing is left stays so
                of_branch = np.divide(
                    smaller, factors[j], out=np.zeros_like(smaller), where=factors[j] > 0.0
                )
                then = float(branches @ of_branch)
                if not 0.0 < then < volume:
                    continue
                lost = mass = 0.0
                for counts, total in (left[goal] for goal in {0, self._goal_of[j]}):
                    stays = total - counts[:, self._starts[j] + level] > 0.5
                    if self._share(stays) < HELD:
                        break
                    lost = max(lost, float((total > 0.5).mean() - stays.mean()))
                    mass = max(mass, float(counts[:, self._starts[j] + level].sum() / total.sum()))
                else:
                    worth = np.log(volume / then)
                    # sums differ by rounding, and equal ones are dropped in the same order
                    score = (round(lost / worth, 9), round(mass / worth, 9))
                    if best is None or score < best[0]:
                        best = score, (j, level), then
            if best is None:
                return kept
            kept, volume = self._without(kept, *best[1]), best[2]

    def _near_in_some(self) -> Levels:
        """Return all levels but those of categories that are near in no draw: they cost nothing."""
        kept, left = self.everything(), [self._left(near) for near in self._goals]
        for j, axis in enumerate(self.land.axes):
            if axis.category and j not in self._parents:
                own = slice(self._starts[j], self._starts[j + 1])
                some = sum(left[goal][0][:, own].sum(axis=0) for goal in {0, self._goal_of[j]})
                kept[j] = some > 0.0 if np.any(some > 0.0) else kept[j]
        return kept

    def _moves(self, kept: Levels) -> Iterator[tuple[int, int]]:
        """Return what may be dropped next: hyperparameter and level, however these are written."""
        space = self.draws.space
        for j in space.order.tolist():
            stays, axis = np.flatnonzero(kept[j]), self.land.axes[j]
            ends = stays[[0, -1]]
            if axis.category:
                ends = stays[np.argsort(space.places(j, axis.centers[stays]))]
            for level in ends.tolist() if len(stays) > 1 else ():
                if self._near_at[self._starts[j] + level] <= _MAY_BE_NEAR:
                    yield j, level

    @staticmethod
    def _without(kept: Levels, j: int, level: int) -> Levels:
        found = list(kept)
        found[j] = found[j].copy()
        found[j][level] = False
        return found

    def _left(self, near: Bools) -> tuple[Array, Array]:
        """Return how many near rows each draw has at each level, and in all."""
        some = near.any(axis=0)
        rows = near[:, some].astype(np.float32)
        return np.ascontiguousarray((self._at_level[np.flatnonzero(some)].T @ rows.T).T), rows.sum(
            axis=1
        )

    def _share(self, holds: Bools) -> float:
        """Return the share of the draws that hold something, of the part with the least."""
        return float(holds.mean())

    @cached_property
    def _at_level(self) -> csr_array:
        """Whether each row has each level of each hyperparameter, (M, number of levels)."""
        active = self.land.level >= 0
        places = (self.land.level + self._starts[:-1])[active]
        ends = np.concatenate([[0], np.cumsum(active.sum(axis=1))])
        return csr_array(
            (np.ones(len(places), np.float32), places, ends), (len(active), self._starts[-1])
        )

    @cached_property
    def _goal_of(self) -> list[int]:
        """By hyperparameter the goal that it is judged by beside the first, the whole space."""
        return self._branched[1]

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
    def _goals(self) -> list[Bools]:
        """What is near in each draw, (k, M), of each goal."""
        found = []
        for rows in self._branched[0]:
            rows = rows & self._possible
            limit = least_in(self.land, rows) + self.lose
            found.append((self.land.all_values <= limit[:, None]) & rows)
        return found

    @cached_property
    def _near_at(self) -> Array:
        """In which share of the draws each level's own best is near, (number of levels,)."""
        shares = [(self._left(near)[0] > 0.5).mean(axis=0) for near in self._goals]
        goal = np.repeat(self._goal_of, np.diff(self._starts))
        return np.asarray(np.array(shares)[goal, np.arange(len(goal))])

    @cached_property
    def _parents(self) -> set[int]:
        return {parent for rules in self.draws.space.conditions for parent, _ in rules}

    @cached_property
    def _branches(self) -> tuple[Bools, Ints, Ints]:
        """What is active and the parents' levels in each branch, and how many rows it has."""
        levels = self.land.level[: len(self.land.rows)]
        others = [j for j in range(levels.shape[1]) if j not in self._parents]
        levels = levels.copy()
        levels[:, others] = np.minimum(levels[:, others], 0)
        found, counts = np.unique(levels, axis=0, return_counts=True)
        return found >= 0, found, counts


def usual_loss(draws: Draws, noise: float = 1.0) -> float:
    """Return what may be lost unless it is said: one evaluation's noise, or 1 % of the spread."""
    return max(noise * draws.noise_std, _LEAST * float(np.median(draws.landscape.spread)))


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
