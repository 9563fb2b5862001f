"""Objectives whose truth is known: functions, and exact tables of real tuning problems.

The truth is computed here from all levels of all hyperparameters, never by the package's analyses.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from tests.source_tree import DATA

TABLES = DATA / "grids"
SIZE = 300_000  # cells of a function's table


@dataclass(frozen=True, eq=False)
class Problem:
    """A cost (smaller is better) over a search space, and what is true of it.

    Attributes
    ----------
    name : str
        Its name.
    space : SearchSpace
        Its search space.
    cost : callable
        From encoded rows (n, d) to costs (n,), without noise.
    draw : callable or None
        From an encoded row and a generator to one evaluation; None of a function, to which normal
        noise is added.
    tried : tuple of (float, float)
        The range of the first hyperparameter to which a run keeps.
    """

    name: str
    space: SearchSpace
    cost: Callable[[np.ndarray], np.ndarray]
    draw: Callable[[np.ndarray, np.random.Generator], float] | None = None
    tried: tuple[float, float] = (0.0, 1.0)

    @cached_property
    def levels(self) -> tuple[np.ndarray, ...]:
        """Encoded values of each hyperparameter, each as probable as the others."""
        kinds = self.space.parameters
        fixed = [
            len(p.choices)
            if isinstance(p, CategoricalParameter)
            else int(p.high - p.low + 1)
            if isinstance(p, IntParameter)
            else 0
            for p in kinds
        ]
        known = np.prod([n for n in fixed if n], dtype=float)
        floats = fixed.count(0)
        fine = min(int((SIZE / known) ** (1 / floats)), 48) if floats else 0
        found = []
        for p, n in zip(kinds, fixed, strict=True):
            U = (np.arange(n or fine) + 0.5) / (n or fine)
            found.append(p.from_latent(U))
        return tuple(found)

    @cached_property
    def table(self) -> np.ndarray:
        """The cost at all levels, (L_1, ..., L_d)."""
        grid = np.meshgrid(*self.levels, indexing="ij")
        rows = self.space.project(np.column_stack([g.ravel() for g in grid]))
        return self.cost(rows).reshape([len(x) for x in self.levels])

    def _mean(self, *kept: int) -> np.ndarray:
        return self.table.mean(axis=tuple(k for k in range(self.table.ndim) if k not in kept))

    @cached_property
    def shares(self) -> dict[tuple[int, ...], float]:
        """Share of the variance of each hyperparameter and each pair."""
        mean, variance = self.table.mean(), self.table.var()
        if variance < 1e-12:
            return dict.fromkeys([(j,) for j in range(self.table.ndim)], 0.0)
        alone = [self.curve(j) - mean for j in range(self.table.ndim)]
        found = {(j,): float((a**2).mean() / variance) for j, a in enumerate(alone)}
        for a, b in combinations(range(self.table.ndim), 2):
            both = self._mean(a, b) - mean - alone[a][:, None] - alone[b][None]
            found[a, b] = float((both**2).mean() / variance)
        return found

    def curve(self, j: int) -> np.ndarray:
        """Mean cost at each level of a hyperparameter."""
        return self._mean(j)

    def attainable(self, j: int) -> np.ndarray:
        """Least cost at each level of a hyperparameter."""
        return np.moveaxis(self.table, j, 0).reshape(self.table.shape[j], -1).min(axis=1)

    @property
    def scale(self) -> float:
        """Standard deviation of the cost, that a function's noise is a share of; 1 of none."""
        return float(self.table.std()) or 1.0

    @cached_property
    def spread(self) -> float:
        """Median minus least cost."""
        return float(np.median(self.table) - self.table.min())

    def level(self, j: int, value: float) -> int:
        """The level that is nearest to an encoded value."""
        return int(np.abs(self.levels[j] - value).argmin())


def table_of(path: Path) -> Problem:
    """Read one."""
    with np.load(path, allow_pickle=True) as found:
        values = found["values"].astype(float)
        return problem_of(path.stem, values, json.loads(str(found["space"])))


def problem_of(name: str, values: np.ndarray, names: dict[str, list[Any]]) -> Problem:
    """Return the problem of a table with an axis of levels per hyperparameter, then of seeds.

    Of errors that span decades the logarithm is the objective; all else is an accuracy.
    """
    values = np.log(values) if name.startswith("hpolib") else -values
    space = SearchSpace([
        IntParameter(name, 0, len(levels) - 1)
        if len(levels) > 2 and not isinstance(levels[0], str)
        else CategoricalParameter(name, [str(level) for level in levels])
        for name, levels in names.items()
    ])  # fmt: skip
    values[np.isnan(values).all(axis=-1)] = np.nanmax(values)
    mean = np.nanmean(values, axis=-1)
    levels = [
        p.from_latent((np.arange(n) + 0.5) / n)
        for p, n in zip(space.parameters, mean.shape, strict=True)
    ]

    def index(X: np.ndarray) -> tuple[np.ndarray, ...]:
        near = [np.abs(x[:, None] - at).argmin(axis=1) for x, at in zip(X.T, levels, strict=True)]
        return tuple(near)

    def draw(x: np.ndarray, rng: np.random.Generator) -> float:
        seen = values[tuple(i[0] for i in index(x[None]))]
        return float(rng.choice(seen[~np.isnan(seen)]))

    return Problem(name, space, lambda X: mean[index(X)], draw)


def _cube(d: int, *extra: object) -> SearchSpace:
    floats = [FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)]
    return SearchSpace([*floats, *extra])  # type: ignore[list-item]


def additive() -> Problem:
    """Effects that only add up: three that matter, by half each, and one that hardly does."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 4 * (X[:, 0] - 0.3) ** 2 + np.sin(3 * X[:, 1]) + 0.5 * X[:, 2] + 0.05 * X[:, 3]

    return Problem("additive", _cube(4), cost)


def hyper_ellipsoid() -> Problem:
    """The thesis's function: squares with weights 1 to 4, optimum off the centre."""

    def cost(X: np.ndarray) -> np.ndarray:
        return (np.arange(1, 5) * (4 * X - 1.6) ** 2).sum(axis=1)

    return Problem("hyper-ellipsoid", _cube(4), cost)


def product() -> Problem:
    """Nothing but an interaction of two, and two that do not matter."""

    def cost(X: np.ndarray) -> np.ndarray:
        return (2 * X[:, 0] - 1) * (2 * X[:, 1] - 1)

    return Problem("product", _cube(4), cost)


def ishigami() -> Problem:
    """Ishigami's function on [-π, π]³, with one that does not matter."""

    def cost(X: np.ndarray) -> np.ndarray:
        a, b, c = (np.pi * (2 * X[:, j] - 1) for j in range(3))
        return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)

    return Problem("ishigami", _cube(4), cost)


def narrow_optimum() -> Problem:
    """A wide bowl, and far from its bottom a well that holds the optimum."""

    def cost(X: np.ndarray) -> np.ndarray:
        bowl = ((X[:, :2] - 0.25) ** 2).sum(axis=1)
        well = np.exp(-0.5 * ((X[:, :2] - 0.85) ** 2).sum(axis=1) / 0.03**2)
        return bowl - 1.5 * well

    return Problem("narrow optimum", _cube(3), cost)


def plateau() -> Problem:
    """Half of the space fails with the same bad value; the rest is a bowl."""

    def cost(X: np.ndarray) -> np.ndarray:
        bowl = ((X[:, :2] - 0.3) ** 2).sum(axis=1) + 0.2 * X[:, 2]
        return np.where(X[:, 0] + X[:, 1] > 1.1, 1.5, bowl)

    return Problem("plateau of failures", _cube(3), cost)


def conditional() -> Problem:
    """Three families, each with a hyperparameter of its own; the best needs its value right."""
    space = SearchSpace(
        [
            CategoricalParameter("family", ["a", "b", "c"]),
            FloatParameter("a_width", 0.0, 1.0, active_when={"family": ["a"]}),
            FloatParameter("b_rate", 0.0, 1.0, active_when={"family": ["b"]}),
            FloatParameter("c_depth", 0.0, 1.0, active_when={"family": ["c"]}),
            FloatParameter("shared", 0.0, 1.0),
        ]
    )

    def cost(X: np.ndarray) -> np.ndarray:
        family, rest = X[:, 0], np.nan_to_num(X)
        branch = np.select(
            [family == 0, family == 1],
            [0.5 + 0.3 * rest[:, 1], 0.2 + 3.0 * (rest[:, 2] - 0.7) ** 2],
            0.9 - 0.2 * rest[:, 3],
        )
        return branch + 0.3 * (X[:, 4] - 0.5) ** 2

    return Problem("conditional", space, cost)


def categorical() -> Problem:
    """A category of twenty levels that does not matter, and one of three that does."""
    space = _cube(
        2,
        CategoricalParameter("irrelevant", [f"level {i}" for i in range(20)]),
        CategoricalParameter("kernel", ["rbf", "poly", "linear"]),
    )

    def cost(X: np.ndarray) -> np.ndarray:
        return (
            (X[:, 0] - 0.6) ** 2 + 0.3 * X[:, 1] + np.array([0.0, 0.25, 0.5])[X[:, 3].astype(int)]
        )

    return Problem("categorical", space, cost)


def irrelevant() -> Problem:
    """Two of six hyperparameters matter."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 3 * (X[:, 0] - 0.2) ** 2 + X[:, 1]

    return Problem("irrelevant hyperparameters", _cube(6), cost)


def pure_noise() -> Problem:
    """Nothing matters: every objective is noise alone."""
    return Problem("pure noise", _cube(4), lambda X: np.zeros(len(X)))


def noisy_plateau() -> Problem:
    """Half of the space fails with the same bad value; the rest is noise alone."""

    def failed(X: np.ndarray) -> np.ndarray:
        return X[:, 0] + X[:, 1] > 1.1

    def draw(x: np.ndarray, rng: np.random.Generator) -> float:
        return 1.5 if failed(x[None])[0] else float(rng.normal(0.0, 0.3))

    return Problem("failures over noise", _cube(3), lambda X: 1.5 * failed(X).astype(float), draw)


def partly_tried() -> Problem:
    """A tenth of one hyperparameter's range was tried; the optimum lies far from it."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 3 * (X[:, 0] - 0.8) ** 2 + (X[:, 1] - 0.5) ** 2 + 0.3 * X[:, 2]

    return Problem("a tenth tried", _cube(3), cost, tried=(0.0, 0.1))


PROBLEMS = (
    additive,
    hyper_ellipsoid,
    product,
    ishigami,
    narrow_optimum,
    plateau,
    conditional,
    categorical,
    irrelevant,
    pure_noise,
    noisy_plateau,
    partly_tried,
)
