"""Functions whose truth is known, as objectives of a hyperparameter optimization.

Each has a search space and a cost (smaller is better) without noise. The truth about it is computed
here from the function itself, on points that no model sees: never by the package's own analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from scipy.stats import qmc

from hpo_explain import CategoricalParameter, FloatParameter, SearchSpace

N_POINTS = 4096
GRID = 33
N_STARTS = 20  # of a descent


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
    exact : callable, optional
        From encoded rows to where the objective is observed without noise, (n,).
    tried : mapping of str to (float, float)
        Ranges to which a run keeps, though the space is larger.
    """

    name: str
    space: SearchSpace
    cost: Callable[[np.ndarray], np.ndarray]
    exact: Callable[[np.ndarray], np.ndarray] | None = None
    tried: Mapping[str, tuple[float, float]] = field(default_factory=dict)

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

    @property
    def constant(self) -> bool:
        """Whether there is nothing but noise."""
        return self.spread == 0.0

    @property
    def scale(self) -> float:
        """The signal's standard deviation, that noise is a share of; 1 where there is none."""
        return self.spread or 1.0

    # ------------------------------------------------------------------ variance

    @cached_property
    def _halves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        both = qmc.Sobol(2 * len(self.space), seed=1).random(N_POINTS * 4)
        A, B = both[:, : len(self.space)], both[:, len(self.space) :]
        return A, B, self.at(A)

    @cache  # noqa: B019 (problems live as long as the process)
    def closed(self, *names: str) -> float:
        """Share of variance that some explain, alone and with each other: Sobol's closed index."""
        if self.constant:
            return 0.0
        A, B, y = self._halves
        members = [self.space.index(name) for name in names]
        mixed = B.copy()
        mixed[:, members] = A[:, members]
        centre = y.mean()
        return float(np.mean((y - centre) * (self.at(mixed) - centre)) / y.var())

    @cached_property
    def shares(self) -> Mapping[tuple[str, ...], float]:
        """Shares of variance of all single hyperparameters and pairs, by Sobol's indices."""
        names = self.space.names
        found = {(name,): max(self.closed(name), 0.0) for name in names}
        for a, b in combinations(names, 2):
            beyond = self.closed(a, b) - self.closed(a) - self.closed(b)
            found[a, b] = max(beyond, 0.0)
        return found

    # ------------------------------------------------------------------ effects

    @cache  # noqa: B019
    def along(self, name: str) -> tuple[np.ndarray, np.ndarray]:
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
        grid, costs = self.along(name)
        return self._positions(name, grid), np.nanmean(costs, axis=0)

    @cache  # noqa: B019
    def attainable(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions, and the best cost over all others with them, where it is active.

        The optimum's position is among them, however narrow it is.
        """
        grid, _ = self.along(name)
        j = self.space.index(name)
        best = self.optimum[0][j]
        if not isinstance(self.space.parameters[j], CategoricalParameter) and not np.isnan(best):
            grid = np.unique(np.append(grid, best))  # a range's latent value is its position
        starts = []
        for value in grid:
            moved = self.points[:2048].copy()
            moved[:, j] = value
            rows = self.rows(moved)
            costs = np.where(np.isnan(rows[:, j]), np.inf, self.cost(rows))
            starts.append(moved[np.argsort(costs)[:N_STARTS]])
        found = self.at(self._descended(np.concatenate(starts), (j,), active=True))
        return self._positions(name, grid), found.reshape(len(grid), N_STARTS).min(axis=1)

    def _positions(self, name: str, latent: np.ndarray) -> np.ndarray:
        return np.asarray(self.space.parameters[self.space.index(name)].from_latent(latent))

    # ------------------------------------------------------------------ optimum

    @cached_property
    def optimum(self) -> tuple[np.ndarray, float]:
        """The encoded configuration of the least cost, and that cost."""
        costs = self.at(self.points)
        start = self.points[np.argsort(costs)[:N_STARTS]]
        latent = self._descended(start)
        rows = self.rows(latent)
        costs = self.cost(rows)
        best = int(np.argmin(costs))
        return rows[best], float(costs[best])

    def least(self, fixed: Mapping[str, float]) -> float:
        """The least cost where some stay at these encoded values."""
        columns = [self.space.index(name) for name in fixed]
        moved = self.points.copy()
        for j, value in zip(columns, fixed.values(), strict=True):
            parameter = self.space.parameters[j]
            if isinstance(parameter, CategoricalParameter):
                moved[:, j] = (value + 0.5) / len(parameter.choices)
            else:
                moved[:, j] = value  # ranges here are linear and without steps
        start = moved[np.argsort(self.at(moved))[:N_STARTS]]
        return float(self.at(self._descended(start, columns)).min())

    def _descended(
        self, start: np.ndarray, fixed: Collection[int] = (), *, active: bool = False
    ) -> np.ndarray:
        """Latent points moved downhill by a shrinking random search."""
        rng = np.random.default_rng(0)
        points, costs = start.copy(), self.at(start)
        step = 0.1
        for _ in range(120):
            tried = np.clip(points + step * rng.standard_normal(points.shape), 0.0, 1.0)
            tried[:, list(fixed)] = points[:, list(fixed)]
            found = self.at(tried)
            better = found < costs
            if active:  # a fixed one that is switched off would no longer be what is asked about
                better &= ~np.isnan(self.rows(tried)[:, list(fixed)]).any(axis=1)
            points[better], costs[better] = tried[better], found[better]
            step *= 0.95
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


def pure_noise() -> Problem:
    """Nothing matters: every objective is noise alone."""
    return Problem("pure noise", _cube(4), lambda X: np.zeros(len(X)))


def noisy_plateau() -> Problem:
    """Half of the space fails with the same bad value; the rest is noise alone."""

    def failed(X: np.ndarray) -> np.ndarray:
        return X[:, 0] + X[:, 1] > 1.1

    return Problem(
        "failures over noise", _cube(3), lambda X: 1.5 * failed(X).astype(float), exact=failed
    )


def partly_tried() -> Problem:
    """A tenth of one hyperparameter's range was tried; the optimum lies far from it."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 3 * (X[:, 0] - 0.8) ** 2 + (X[:, 1] - 0.5) ** 2 + 0.3 * X[:, 2]

    return Problem("a tenth tried", _cube(3), cost, tried={"x0": (0.0, 0.1)})


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
