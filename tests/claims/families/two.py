"""Two objectives over one space, and the shares of their weighted sums and of their front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.claims.families.smooth import cube
from tests.claims.problem import Problem, Rows

Cost = Callable[[Rows], np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Two(Problem):
    """A problem with another objective beside its cost.

    Attributes
    ----------
    other : Problem
        The other objective, as a problem of its own over the same space.
    """

    other: Problem

    def shares_between(self, first: float, second: float) -> np.ndarray:
        """Return what each hyperparameter explains alone of a weighted sum, (d,)."""
        return alone(first * self.table + second * self.other.table)

    @cached_property
    def both(self) -> np.ndarray:
        """Both costs of each cell of the table, (n, 2)."""
        return np.column_stack([self.costs, self.other.costs])

    @cached_property
    def dominated(self) -> np.ndarray:
        """Share of the space that dominates each cell of the table by what counts, (n,)."""
        some = np.random.default_rng(0).permutation(self.both)[:4096]
        counts = 0.01 * (np.median(self.both, axis=0) - self.both.min(axis=0))
        found = np.zeros(len(self.both))
        for row in some:
            nowhere_worse = (row <= self.both).all(axis=1)
            found += nowhere_worse & (row < self.both - counts).any(axis=1)
        return found / len(some)

    def shares_of_front(self, top: float | None) -> np.ndarray:
        """Return what each hyperparameter explains alone of being dominated, or the least, (d,)."""
        found = self.dominated
        if top is not None:
            found = (found <= np.quantile(found, top, method="inverted_cdf")).astype(float)
        return alone(found.reshape(self.table.shape))


def alone(table: np.ndarray) -> np.ndarray:
    """Return what each axis of a table explains alone of its variance, (d,)."""
    whole = float(table.var())
    axes = range(table.ndim)
    if whole < 1e-12:
        return np.zeros(table.ndim)
    means = [table.mean(axis=tuple({*axes} - {j})) for j in axes]
    return np.array([mean.var() / whole for mean in means])


def two(name: str, d: int, first: Cost, second: Cost) -> Two:
    """Return two functions on the unit cube as objectives."""
    space = cube(d)
    other = Problem(f"{name}: the other", space, second)
    return Two(name, space, first, family="two objectives", other=other)


def lines() -> Two:
    """Two lines that have one of three hyperparameters in common."""
    return two("two lines", 3, lambda X: X @ [2.0, 1.0, 0.0], lambda X: X @ [0.0, -1.0, 3.0])


def apart() -> Two:
    """Two smooth functions, each of hyperparameters of its own."""
    return two(
        "apart",
        4,
        lambda X: np.sin(4.0 * X[:, 0]) + (X[:, 1] - 0.3) ** 2,
        lambda X: 2.0 * (X[:, 2] - 0.6) ** 2 + 0.3 * X[:, 3],
    )


def conflict() -> Two:
    """Two bowls whose optima lie apart in what matters most for both."""
    return two(
        "conflict",
        3,
        lambda X: (X[:, 0] - 0.1) ** 2 + 0.5 * X[:, 1],
        lambda X: (X[:, 0] - 0.9) ** 2 + 0.5 * X[:, 2] ** 2,
    )


def together() -> Two:
    """One hyperparameter that matters with another one for each objective."""
    return two(
        "together",
        3,
        lambda X: X[:, 0] * X[:, 1] + 0.2 * X[:, 1],
        lambda X: X[:, 0] * X[:, 2] + 0.2 * X[:, 0],
    )


def mixed() -> Two:
    """A function of two hyperparameters, and one of all three."""
    return two(
        "mixed",
        3,
        lambda X: np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2,
        lambda X: X[:, 0] * X[:, 2] + 0.5 * X[:, 1],
    )


def one_is_noise() -> Two:
    """Of the other objective nothing but noise is seen."""
    return two(
        "one is noise",
        3,
        lambda X: 2.0 * X[:, 0] + (X[:, 1] - 0.4) ** 2,
        lambda X: np.zeros(len(X)),
    )


def same() -> Two:
    """The other objective is a multiple of the first: nothing changes with the weight."""

    def cost(X: Rows) -> np.ndarray:
        return np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2

    return two("the same twice", 3, cost, lambda X: 5.0 * cost(X) + 1.0)


PAIRS: tuple[Callable[[], Two], ...] = (lines, apart, conflict, together, mixed, one_is_noise, same)
