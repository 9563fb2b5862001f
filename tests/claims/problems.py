"""Functions whose truth is known, as objectives of a hyperparameter optimization.

Each has a search space and a cost (smaller is better) without noise. The truth about it is computed
here from the function itself, on points that no model sees: never by the package's own analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.stats import qmc

from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace

N_POINTS = 4096
GRID = 33


@dataclass(frozen=True, eq=False)
class Problem:
    """A function of encoded configurations, and what is true of it.

    Attributes
    ----------
    name : str
        Its name.
    space : SearchSpace
        Its search space.
    cost : callable
        From encoded rows (n, d) to costs (n,), without noise.
    """

    name: str
    space: SearchSpace
    cost: Callable[[np.ndarray], np.ndarray]

    @cached_property
    def points(self) -> np.ndarray:
        """Latent points of the whole space, (N, d)."""
        return qmc.Sobol(len(self.space), seed=0).random(N_POINTS)

    def rows(self, latent: np.ndarray) -> np.ndarray:
        """Encoded rows of latent points: positions, categories, NaN where inactive."""
        X = latent.copy()
        for j, parameter in enumerate(self.space.parameters):
            X[:, j] = parameter.from_latent(latent[:, j])
        return self.space.project(X)

    def at(self, latent: np.ndarray) -> np.ndarray:
        """Costs at latent points."""
        return self.cost(self.rows(latent))

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the cost over the space: the signal."""
        return float(self.at(self.points).std())

    # ------------------------------------------------------------------ variance

    @cached_property
    def shares(self) -> Mapping[tuple[str, ...], float]:
        """Shares of variance of all single hyperparameters and pairs, by Sobol's indices."""
        both = qmc.Sobol(2 * len(self.space), seed=1).random(N_POINTS * 4)
        A, B = both[:, : len(self.space)], both[:, len(self.space) :]
        y = self.at(A)
        whole, centre = y.var(), y.mean()
        names, d = self.space.names, len(self.space)

        def closed(members: tuple[int, ...]) -> float:
            mixed = B.copy()
            mixed[:, members] = A[:, members]
            return float(np.mean((y - centre) * (self.at(mixed) - centre)) / whole)

        alone = {j: closed((j,)) for j in range(d)}
        found: dict[tuple[str, ...], float] = {(names[j],): max(v, 0.0) for j, v in alone.items()}
        for j in range(d):
            for k in range(j + 1, d):
                beyond = closed((j, k)) - alone[j] - alone[k]
                found[names[j], names[k]] = max(beyond, 0.0)
        return found

    # ------------------------------------------------------------------ effects

    @cache  # noqa: B019 (problems live as long as the process)
    def _along(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Latent grid of a hyperparameter, and costs at it by point: (G,), (N, G)."""
        j = self.space.index(name)
        parameter = self.space.parameters[j]
        if isinstance(parameter, CategoricalParameter):
            k = len(parameter.choices)
            grid = (np.arange(k) + 0.5) / k
        else:
            grid = np.linspace(0.0, 1.0, GRID)
        latent = self.points[:1024]
        columns = []
        for value in grid:
            moved = latent.copy()
            moved[:, j] = value
            rows = self.rows(moved)
            columns.append(np.where(np.isnan(rows[:, j]), np.nan, self.cost(rows)))
        return grid, np.stack(columns, axis=1)

    def average_effect(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Grid (encoded positions) and average cost over all others, where it is active."""
        grid, costs = self._along(name)
        return self._positions(name, grid), np.nanmean(costs, axis=0)

    def attainable(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Grid (encoded positions) and the best cost over all others, where it is active."""
        grid, _ = self._along(name)
        j = self.space.index(name)
        best = []
        for value in grid:
            moved = self.points.copy()
            moved[:, j] = value
            rows = self.rows(moved)
            costs = np.where(np.isnan(rows[:, j]), np.inf, self.cost(rows))
            best.append(self._refined(moved[np.argsort(costs)[:20]], fixed=j))
        return self._positions(name, grid), np.array(best)

    def _positions(self, name: str, latent: np.ndarray) -> np.ndarray:
        return np.asarray(self.space.parameters[self.space.index(name)].from_latent(latent))

    # ------------------------------------------------------------------ optimum

    @cached_property
    def optimum(self) -> tuple[np.ndarray, float]:
        """The encoded configuration of the least cost, and that cost."""
        costs = self.at(self.points)
        start = self.points[np.argsort(costs)[:20]]
        latent = self._descended(start)
        rows = self.rows(latent)
        costs = self.cost(rows)
        best = int(np.argmin(costs))
        return rows[best], float(costs[best])

    def _refined(self, start: np.ndarray, fixed: int) -> float:
        return float(self.at(self._descended(start, fixed)).min())

    def _descended(self, start: np.ndarray, fixed: int | None = None) -> np.ndarray:
        """Latent points moved downhill by a shrinking random search."""
        rng = np.random.default_rng(0)
        points, costs = start.copy(), self.at(start)
        step = 0.1
        for _ in range(60):
            tried = np.clip(points + step * rng.standard_normal(points.shape), 0.0, 1.0)
            if fixed is not None:
                tried[:, fixed] = points[:, fixed]
            found = self.at(tried)
            better = found < costs
            points[better], costs[better] = tried[better], found[better]
            step *= 0.92
        return points


# ---------------------------------------------------------------------- the functions


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
)
