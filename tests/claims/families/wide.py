"""Functions of hundreds of hyperparameters, of which five matter: two of them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from tests.claims.families.smooth import cube
from tests.claims.problem import Problem, Rows

Curve = Callable[[np.ndarray], np.ndarray]
CURVES: tuple[Curve, ...] = (
    lambda x: 4.0 * (x - 0.3) ** 2,
    lambda x: 1.3 * np.sin(3.0 * x),
    lambda x: x,
    lambda x: 0.6 * x,
    lambda x: 0.6 * x**2,
)
TOGETHER = 3.0  # times how far the third and the last are from the middle
FINE = (np.arange(100_000) + 0.5) / 100_000  # where averages are taken
ROWS = 4096


@dataclass(frozen=True, eq=False)
class Wide(Problem):
    """A function of which everything is known by the averages of its five curves."""

    @property
    def active(self) -> tuple[int, ...]:
        """The columns of the five."""
        return active_of(len(self.space))

    @cached_property
    def rows(self) -> Rows:
        """Encoded rows drawn at random: Sobol's are few for so many hyperparameters."""
        rng = np.random.default_rng(0)
        return self._at(rng.random((ROWS, len(self.space))))

    @cached_property
    def variances(self) -> dict[tuple[int, ...], float]:
        """The variance of each curve, and of the product."""
        alone = [float(curve(FINE).var()) for curve in CURVES]
        of_one = {(j,): variance for j, variance in zip(self.active, alone, strict=True)}
        _, _, first, _, second = self.active
        return of_one | {(first, second): (TOGETHER / 12.0) ** 2}

    @cached_property
    def scale(self) -> float:
        """Standard deviation of the cost."""
        return float(np.sqrt(sum(self.variances.values())))

    @cached_property
    def shares(self) -> dict[tuple[int, ...], float]:
        """Share of each hyperparameter, and of each pair of those that matter."""
        alone = [(j,) for j in range(len(self.space))]
        sets = [*alone, *combinations(self.active, 2)]
        whole = self.scale**2
        return {of: self.variances.get(of, 0.0) / whole for of in sets}

    @cached_property
    def totals(self) -> np.ndarray:
        """Share of each hyperparameter with its pair, (d,)."""
        found = np.zeros(len(self.space))
        for members, share in self.shares.items():
            found[list(members)] += share
        return found


def active_of(d: int) -> tuple[int, ...]:
    """Return the columns of those that matter, among all."""
    return 3, d // 5, d // 3, d // 2, d - 2


def five_of(d: int) -> Wide:
    """Return a function of d hyperparameters of which five matter."""
    active = active_of(d)

    def cost(X: Rows) -> np.ndarray:
        columns = X[:, active].T
        alone = sum(curve(x) for curve, x in zip(CURVES, columns, strict=True))
        _, _, first, _, second = columns
        return alone + TOGETHER * (first - 0.5) * (second - 0.5)

    return Wide(f"five of {d}", cube(d), cost, family="wide")
