"""The belief: functions that the trials allow the objective to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.numbers import unit_of
from hpo_explain.base.options import Direction
from hpo_explain.base.progress import steps
from hpo_explain.belief.drawn import Draws
from hpo_explain.belief.scales import Bounds, Scale, from_table, half_rank, logarithm
from hpo_explain.models.pathwise import Functions, draw, levels, valued
from hpo_explain.models.product_kernel import Pairs, Parameters, Prior, settings
from hpo_explain.space import Array, Ints, SearchSpace

SETTINGS, DRAWS = 8, 12  # kernels of each scale, and functions of each kernel
MOST, SEARCHED = 500, 200  # trials that it learns from, and that kernels are searched with
TEMPER = 0.5
_KEPT_ROWS = 5000  # at most: costs at more are computed each time
REACH = 0.2  # of the median minus the best: so far beyond the best trial draws may lie


@dataclass(frozen=True, eq=False)
class _Component:
    scale: Scale
    pairs: Pairs
    kernels: tuple[Parameters, ...]
    functions: tuple[Functions, ...]
    tables: tuple[tuple[Array, Array], ...]  # mean and sd of an evaluation, of each kernel

    @property
    def inverses(self) -> list[Array]:
        """The inverse covariance of the trials' values with each kernel, (n, n)."""
        return [self.pairs.inverse(p) for p in self.kernels]


class Belief(Draws):
    """What the trials allow the objective to be: draws of functions from one posterior.

    Two Gaussian processes, on the half-rank and on the logarithmic scale of the cost, each with
    several settings of its kernel drawn from their tempered posterior. A claim about the objective
    is a functional of it; its interval is that over the draws.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The trials' encoded rows, n at least 2.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    direction : {"minimize", "maximize"}
        Which way is better.
    noise_std : float, optional
        Standard deviation of one evaluation where it is known.
    bounds : tuple of (float, float), optional
        The objective's natural range: no draw leaves it.
    seed : int, default 0
        Seed of everything random.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0.0, 1.0, 21)[:, None]
    >>> belief = Belief(space, X, (X[:, 0] - 0.3) ** 2, "minimize")
    >>> belief.draws(np.array([[0.3], [0.9]])).shape
    (192, 2)
    """

    parts: ClassVar[int] = 2

    def __init__(
        self,
        space: SearchSpace,
        X: Array,
        objective: Array,
        direction: Direction,
        *,
        noise_std: float | None = None,
        bounds: Bounds | None = None,
        seed: int = 0,
    ) -> None:
        sign = 1.0 if direction == "minimize" else -1.0
        cost = sign * np.asarray(objective, float)
        in_order = np.lexsort((cost, *_columns(space, X).T))
        X, cost = X[in_order], cost[in_order]
        kept = thinned(cost, MOST, seed)
        super().__init__(space, X[kept], direction, seed)
        self.cost, self.bounds, self.known_noise = cost[kept], bounds, noise_std
        # a power of two, and an origin amid the costs: no digit is lost, whatever the units are
        self._origin, self._unit = float(np.median(self.cost)), unit_of(self.cost)
        self._scaled = (self.cost - self._origin) / self._unit
        self.of_trials = len(cost)
        self._last: dict[tuple[tuple[int, ...], bytes], Array] = {}

    @property
    def label(self) -> str:
        """What it is called."""
        return "the belief"

    @cached_property
    def _limits(self) -> Bounds:
        """The least and the largest scaled cost that a draw may have."""
        best, worst = float(self._scaled.min()), float(self._scaled.max())
        spread = float(np.median(self._scaled)) - best
        least = best - REACH * (spread if spread > 0.0 else worst - best)
        most = worst + (worst - best)
        if self.bounds is not None:
            ends = (self.sign * np.asarray(self.bounds) - self._origin) / self._unit
            low, high = sorted(ends.tolist())
            least, most = max(least, low), min(most, high)
        return min(least, best), max(most, worst)

    @cached_property
    def components(self) -> tuple[_Component, ...]:
        """The two processes with their functions."""
        with one_blas_thread():
            return tuple(map(self._component, steps((0, 1), "scales")))

    @cached_property
    def _categories(self) -> Ints:
        """How many values each categorical column has, 0 of a number, in the space's own order."""
        of = [getattr(parameter, "choices", ()) for parameter in self.space.parameters]
        return np.array([len(choices) for choices in of])[self.space.order]

    def _component(self, which: int) -> _Component:
        """Return the process on the half-rank scale (0), or on the logarithmic one (1)."""
        categories = self._categories
        columns = _columns(self.space, self.X)
        scale_of = (half_rank, logarithm)[which]
        scale = scale_of(self._scaled, self._limits[0])
        noise = None
        if self.known_noise is not None:
            good = scale.z[self._scaled <= np.median(self._scaled)]
            noise = scale.variance(good, self.known_noise / self._unit, self._limits)
        prior = Prior(categories == 0, scale.additive, noise)
        pairs = Pairs(columns, scale.z, prior, TEMPER)
        some = thinned(self.cost, SEARCHED, self.seed)
        temper = min(TEMPER * len(columns) / len(some), 1.0)
        searched = Pairs(columns[some], scale.z[some], prior, temper)
        kernels = settings(searched, kept=SETTINGS, seed=self.seed)
        return _Component(
            scale=scale,
            pairs=pairs,
            kernels=tuple(kernels),
            functions=tuple(
                draw(columns, pairs, p, categories, DRAWS, [self.seed, which, i])
                for i, p in enumerate(steps(kernels, "kernels"))
            ),
            tables=tuple(scale.back(p.noise, self._limits) for p in kernels),
        )

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n); those asked for last are kept."""
        X = np.asarray(X, float)
        asked = (X.shape, X.tobytes()) if len(X) <= _KEPT_ROWS else None
        found = self._last.get(asked) if asked else None
        if found is None:
            found = self._in_units(np.concatenate(self._read(X, 0)))
            found.setflags(write=False)
            if asked:
                self._last.clear()
                self._last[asked] = found
        return found

    def costs_at(self, X: Array, members: Sequence[int], values: Array) -> Array:
        """Return the cost of each draw at encoded rows with some columns at values, (G, k, n)."""
        space, order = self.space, self.space.order
        places = [int(np.flatnonzero(order == j)[0]) for j in members]
        others = [i for i in range(len(order)) if i not in places]
        pairs = zip(members, np.transpose(values), strict=True)
        moved = np.stack([space.places(j, x) for j, x in pairs], axis=1)
        at = levels(moved, self._categories, places)
        found = levels(_columns(space, X)[:, others], self._categories, others)
        with one_blas_thread():
            drawn = [
                from_table(functions.along(found, at).transpose(1, 2, 0), table[0])
                for component in self.components
                for functions, table in zip(component.functions, component.tables, strict=True)
            ]
        return self._in_units(np.concatenate(drawn, axis=1))

    def _in_units(self, scaled: Array) -> Array:
        """Return scaled costs in the user's units, inside the bounds."""
        found = scaled * self._unit + self._origin
        if self.bounds is not None:  # to the last digit
            np.clip(found, *sorted(self.sign * end for end in self.bounds), out=found)
        return found

    def _read(self, X: Array, which: int) -> list[Array]:
        """Return what one of the tables holds for each draw at encoded rows, scaled."""
        found = levels(_columns(self.space, X), self._categories)
        functions = [f for component in self.components for f in component.functions]
        tables = [table[which] for component in self.components for table in component.tables]
        with one_blas_thread():  # the last digits of sums depend on it
            drawn = valued(functions, found)
        return [from_table(z.T, table) for z, table in zip(drawn, tables, strict=True)]

    @cached_property
    def noise(self) -> Array:
        """Standard deviation of one evaluation at each trial, in the user's units, (n,)."""
        return self.noise_at(self.X)

    def noise_at(self, X: Array) -> Array:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        drawn = self._read(X, 1)
        return np.asarray(np.sqrt((np.concatenate(drawn) ** 2).mean(axis=0)) * self._unit)

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation among the better half of the trials."""
        better = self.noise[self._scaled <= np.median(self._scaled)] / self._unit
        return float(np.sqrt((better**2).mean()) * self._unit)


def _columns(space: SearchSpace, X: Array) -> Array:
    """Return encoded rows with columns and categories in the space's own order, (n, d)."""
    return np.stack([space.places(j, X[:, j]) for j in space.order.tolist()], axis=1)


def thinned(cost: Array, most: int, seed: int) -> Ints:
    """Return which trials it learns from: the best fifth, and of the others some at random."""
    n = len(cost)
    if n <= most:
        return np.arange(n)
    in_order = np.argsort(cost, kind="stable")
    best, others = in_order[: most // 5], in_order[most // 5 :]
    # every part of the other costs is there
    rng = np.random.default_rng(seed)
    places = (np.arange(most - len(best)) + rng.random(most - len(best))) / (most - len(best))
    return np.sort(np.concatenate([best, others[(places * len(others)).astype(int)]]))
