"""Categories, and hyperparameters that are there under a condition only."""

from __future__ import annotations

import numpy as np

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from tests.claims.families.smooth import cube
from tests.claims.problem import Problem


def conditional() -> Problem:
    """A category that decides which other hyperparameters there are."""
    space = SearchSpace(
        [
            CategoricalParameter("family", ["a", "b", "c"]),
            FloatParameter("of_a", 0.0, 1.0, active_when={"family": ["a"]}),
            FloatParameter("of_b", 0.0, 1.0, active_when={"family": ["b"]}),
            FloatParameter("of_c", 0.0, 1.0, active_when={"family": ["c"]}),
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

    return Problem("conditional", space, cost, family="conditions")


def layers() -> Problem:
    """The number of layers decides how many widths there are."""
    space = SearchSpace(
        [
            IntParameter("layers", 1, 3),
            FloatParameter("first", 0.0, 1.0),
            FloatParameter("second", 0.0, 1.0, active_when={"layers": [2, 3]}),
            FloatParameter("third", 0.0, 1.0, active_when={"layers": [3]}),
        ]
    )

    def cost(X: np.ndarray) -> np.ndarray:
        deep = np.rint(2 * X[:, 0])
        second = np.where(deep >= 1, 0.5 * (X[:, 2] - 0.8) ** 2 - 0.15, 0.0)
        third = np.where(deep >= 2, 0.3 - 0.1 * X[:, 3], 0.0)
        return (X[:, 1] - 0.4) ** 2 + np.nan_to_num(second) + np.nan_to_num(third)

    return Problem("layers", space, cost, family="conditions")


def threshold() -> Problem:
    """Another hyperparameter is asked for above a real value; the best is there."""
    space = SearchSpace(
        [
            FloatParameter("x", 0.0, 1.0),
            FloatParameter("deep", 0.0, 1.0),
            FloatParameter("other", 0.0, 1.0),
        ]
    )

    def cost(X: np.ndarray) -> np.ndarray:
        plain = 0.5 + 0.3 * (X[:, 0] - 0.3) ** 2
        deep = 0.2 + 1.5 * (np.nan_to_num(X[:, 1]) - 0.7) ** 2 + 0.2 * X[:, 0]
        return np.where(X[:, 0] > 0.5, deep, plain) + 0.1 * X[:, 2]

    return Problem(
        "threshold",
        space,
        cost,
        family="conditions",
        asked=lambda name, config: name != "deep" or config["x"] > 0.5,
    )


def categorical() -> Problem:
    """A category of twenty levels that does not matter, and one of three that does."""
    space = cube(
        2,
        CategoricalParameter("irrelevant", [f"level {i}" for i in range(20)]),
        CategoricalParameter("kernel", ["rbf", "poly", "linear"]),
    )

    def cost(X: np.ndarray) -> np.ndarray:
        kernel = np.array([0.0, 0.25, 0.5])[X[:, 3].astype(int)]
        return (X[:, 0] - 0.6) ** 2 + 0.3 * X[:, 1] + kernel

    return Problem("categorical", space, cost, family="categories")


def three_categories() -> Problem:
    """Three categories of eight values, of which two act together."""
    names = ("optimizer", "activation", "schedule")
    space = cube(
        1, *[CategoricalParameter(name, [f"{name} {i}" for i in range(8)]) for name in names]
    )
    rng = np.random.default_rng(3)
    first, both = rng.normal(0.0, 1.0, 8), rng.normal(0.0, 0.7, (8, 8))

    def cost(X: np.ndarray) -> np.ndarray:
        a, b = X[:, 1].astype(int), X[:, 2].astype(int)
        return first[a] + both[a, b] + (X[:, 0] - 0.3) ** 2

    return Problem("three categories", space, cost, family="categories")
