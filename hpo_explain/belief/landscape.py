"""Where the draws are looked at: rows that stand for the space, and rows around the best ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.space import Array, Bools, Ints, Parameter, SearchSpace, changed, filled
from hpo_explain.space.sobol import sobol

ROWS = 4096  # that stand for the space
_LATTICE = 64  # positions of a number among them
_PARTS = 12  # levels that a number with more values has in statements about levels
# rows around the best ones in each round, and how many these are
_AROUND, _BEST = (4000, 40)
# rows around the minimum of each draw, and how far, by round
_NEAR, _STEPS = (40, (0.06, 0.02))
# what has a number for each row, of which there are thousands
_OF_ROWS = ("latent", "rows", "values", "_everywhere", "possible_values", "level")


@dataclass(frozen=True, eq=False)
class Axis:
    """The levels of one hyperparameter: its values where they are few, otherwise equal parts.

    Attributes
    ----------
    centers : ndarray of shape (L,)
        The encoded value that stands for each level.
    edges : ndarray of shape (L, 2)
        Its least and largest encoded value.
    weights : ndarray of shape (L,)
        Its share of the measure.
    category : bool
        Whether levels are categories, without an order.
    """

    centers: Array
    edges: Array
    weights: Array
    category: bool

    def level(self, x: Array) -> Ints:
        """Return the level of encoded values, -1 of inactive ones."""
        cuts = (self.edges[1:, 0] + self.edges[:-1, 1]) / 2.0
        level = np.searchsorted(cuts, np.nan_to_num(x), "right")
        return np.where(np.isnan(x), -1, level)


def axes_of(space: SearchSpace) -> tuple[Axis, ...]:
    """Return the levels of each hyperparameter."""
    sizes = [_fineness(parameter) for parameter in space]
    # of all hyperparameters at once: each has its values for the same latent ones
    latent = {
        size: np.tile(((np.arange(size) + 0.5) / size)[:, None], len(space)) for size in set(sizes)
    }
    rows = {size: space.from_latent(U) for size, U in latent.items()}
    return tuple(
        _axis(parameter, rows[size][:, j])
        for j, (parameter, size) in enumerate(zip(space, sizes, strict=True))
    )


def _fineness(parameter: Parameter) -> int:
    """Return at how many latent values its measure is looked at."""
    return 12 * len(parameter.choices) if parameter.is_category else 960


def _axis(parameter: Parameter, positions: Array) -> Axis:
    """Return the levels of a hyperparameter by equally probable values; NaN where inactive."""
    category = parameter.is_category
    values, counts = np.unique(positions[~np.isnan(positions)], return_counts=True)
    fine = counts.sum()
    if category or len(values) <= _PARTS:
        return Axis(values, np.column_stack([values, values]), counts / fine, category)
    part = np.minimum((np.cumsum(counts) - 0.5 * counts) / fine * _PARTS, _PARTS - 1).astype(int)
    groups = [np.flatnonzero(part == i) for i in np.unique(part)]
    return Axis(
        centers=np.array([values[g[len(g) // 2]] for g in groups]),
        edges=np.array([[values[g[0]], values[g[-1]]] for g in groups]),
        weights=np.array([counts[g].sum() / fine for g in groups]),
        category=False,
    )


@dataclass(frozen=True, eq=False)
class Landscape:
    """The draws of a belief where statements about the whole space look at them.

    Attributes
    ----------
    belief : Draws
        The functions.
    """

    belief: Any  # Draws, whose landscape this is

    def __getstate__(self) -> dict[str, Any]:
        # costs at all rows are large, and computed again where they are needed
        return {k: v for k, v in vars(self).items() if k not in _OF_ROWS}

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The levels of each hyperparameter."""
        return axes_of(self.belief.space)

    @cached_property
    def latent(self) -> Array:
        """Latent rows that stand for the space, (N, d)."""
        space = self.belief.space
        U = sobol(len(space), ROWS, self.belief.seed)
        for i, j in enumerate(space.order):
            if not space.parameters[j].is_category:
                U[:, i] = (np.floor(U[:, i] * _LATTICE) + 0.5) / _LATTICE
        return space.from_latent(U)

    @cached_property
    def rows(self) -> Array:
        """The same as configurations."""
        return self.belief.space.project(self.latent)

    @cached_property
    def values(self) -> Array:
        """Cost of each draw there, (k, N)."""
        costs: Array = self.belief.costs_over_space()
        return costs

    @cached_property
    def _everywhere(self) -> tuple[Array, Array, Bools]:
        """All rows at which draws are known: the space's, trials', and around the best.

        With their costs, and which rather give a result that counts than not.
        """
        belief = self.belief
        rows, values = self.rows, self.values
        if len(belief.X):
            rows = np.concatenate([rows, belief.space.distinct(belief.X)])
            values = np.concatenate([values, belief.costs(rows[ROWS:])], axis=1)
        feasible = belief.feasible(rows)
        for best in (_BEST, _BEST // 2):
            some = feasible if feasible.any() else np.ones(len(rows), bool)
            near = self._around(rows[some], values[:, some], best)
            rows = np.concatenate([rows, near])
            values = np.concatenate([values, belief.costs(near)], axis=1)
            feasible = np.concatenate([feasible, belief.feasible(near)])
        return rows, values, feasible

    def _around(self, rows: Array, costs: Array, best: int) -> Array:
        """Return rows that differ in one hyperparameter from what is best in a draw."""
        lowest, counts = np.unique(costs.argmin(axis=1), return_counts=True)
        mean = np.argsort(costs.mean(axis=0), kind="stable")[:best]
        lowest = lowest[np.argsort(-counts, kind="stable")]
        size = sum(len(axis.centers) for axis in self.axes)
        count = max(1, min(best, _AROUND // size))
        half = count // 3
        chosen = list(dict.fromkeys([*mean[:half].tolist(), *lowest.tolist(), *mean.tolist()]))
        start = rows[chosen[:count]]
        nearby = []
        space = self.belief.space
        for j in space.order.tolist():  # rows do not depend on how the space is written
            axis = self.axes[j]  # an optimum may lie at the border, too
            values = np.unique([*axis.centers, axis.edges[0, 0], axis.edges[-1, 1]])
            for value in values[np.argsort(space.places(j, values))]:
                changed = start.copy()
                changed[:, j] = value
                nearby.append(changed)
        return self._as_configurations(np.concatenate(nearby))

    def _as_configurations(self, rows: Array) -> Array:
        """Return distinct configurations; what became active takes a value drawn at random."""
        space = self.belief.space
        rng = np.random.default_rng(self.belief.seed)
        sample = self.latent[rng.integers(0, ROWS, len(rows))]
        return space.distinct(space.project(np.where(np.isnan(rows), sample, rows)))

    @property
    def all_rows(self) -> Array:
        """Rows at which minima are looked for, (M, d)."""
        return self._everywhere[0]

    @property
    def all_values(self) -> Array:
        """Cost of each draw there, (k, M)."""
        return self._everywhere[1]

    @property
    def possible(self) -> Bools:
        """Which of `all_rows` rather give a result that counts; all of them where none does, (M,).

        What is rather infeasible counts for nothing where the best is looked for.
        """
        feasible = self._everywhere[2]
        return feasible if feasible.any() else np.ones(len(feasible), bool)

    @cached_property
    def possible_values(self) -> Array:
        """Cost of each draw at `all_rows`, infinite where none that counts is to be had, (k, M)."""
        if self.possible.all():
            return self.all_values
        return np.where(self.possible, self.all_values, np.inf)

    @cached_property
    def least(self) -> Array:
        """The least cost of each draw among `all_rows`, (k,)."""
        return np.asarray(self.possible_values.min(axis=1), float)

    @cached_property
    def least_around(self) -> Array:
        """The least cost of each draw, looked for around its own least row, too, (k,)."""
        belief, space, least = self.belief, self.belief.space, self.least
        rng = np.random.default_rng(belief.seed)
        rows = self.all_rows[self.possible_values.argmin(axis=1)]
        for step in _STEPS:
            parents = np.repeat(filled(space, rows, belief.seed), _NEAR, axis=0)
            near = space.project(changed(space, parents, step, rng))
            near = near.reshape(len(rows), _NEAR, len(space))
            costs = belief.own_costs(near)
            if not self.possible.all():
                allowed = belief.feasible(near.reshape(-1, len(space))).reshape(costs.shape)
                costs = np.where(allowed, costs, np.inf)
            best = costs.argmin(axis=1)
            draw = np.arange(len(rows))
            better = costs[draw, best] < least
            least = np.where(better, costs[draw, best], least)
            rows = np.where(better[:, None], near[draw, best], rows)
        return np.asarray(least, float)

    @cached_property
    def spread(self) -> Array:
        """Median minus least cost of each draw, (k,)."""
        return np.maximum(np.median(self.values, axis=1) - self.least, 1e-300)

    @cached_property
    def level(self) -> Ints:
        """Level of every row's value of each hyperparameter, (M, d); -1 where inactive."""
        columns = zip(self.axes, self.all_rows.T, strict=True)
        return np.column_stack([axis.level(x) for axis, x in columns])

    @cached_property
    def best(self) -> Ints:
        """Level of each hyperparameter where each draw is least, (k, d); -1 where inactive."""
        return self.level[self.possible_values.argmin(axis=1)]
