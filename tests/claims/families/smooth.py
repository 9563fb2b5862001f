"""Smooth functions of 2 to 12 hyperparameters, with and without idle ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_explain import FloatParameter, SearchSpace
from hpo_explain.space import Parameter
from tests.claims.problem import Problem


def cube(d: int, *extra: Parameter) -> SearchSpace:
    """Return a space of d hyperparameters from 0 to 1, and others."""
    floats = [FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d)]
    return SearchSpace([*floats, *extra])


def function(
    name: str, d: int, cost: Callable[[np.ndarray], np.ndarray], family: str = "smooth"
) -> Problem:
    """Return the problem of a function on the unit cube."""
    return Problem(name, cube(d), cost, family=family)


def quadratic() -> Problem:
    """x0² + 4 x1² on [-1, 1]²: the share of x1 is 16/17."""
    return function("quadratic", 2, lambda X: (2 * X - 1) ** 2 @ [1.0, 4.0])


def bowl() -> Problem:
    """A bowl off the centre, of which one hyperparameter is worth .88."""
    weights = np.array([3.0, 1.0, 0.5])
    return function("bowl", 3, lambda X: (X - 0.35) ** 2 @ weights)


def branin_idle() -> Problem:
    """Branin's function, and two hyperparameters that do not matter."""

    def cost(X: np.ndarray) -> np.ndarray:
        a, b = 15 * X[:, 0] - 5, 15 * X[:, 1]
        bent = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
        return bent**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10

    return function("branin, idle", 4, cost, "idle")


def rosenbrock() -> Problem:
    """Rosenbrock's function of three on [-1.5, 1.5]³."""

    def cost(X: np.ndarray) -> np.ndarray:
        x = 3 * X - 1.5
        curved = 100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2
        return (curved + (1 - x[:, :-1]) ** 2).sum(axis=1)

    return function("rosenbrock", 3, cost)


def friedman() -> Problem:
    """Friedman's function: five of seven matter, two of them by their product."""

    def cost(X: np.ndarray) -> np.ndarray:
        waves = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        return waves + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]

    return function("friedman", 7, cost)


def additive() -> Problem:
    """Effects that only add up: three that matter, by half each, and one that hardly does."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 4 * (X[:, 0] - 0.3) ** 2 + np.sin(3 * X[:, 1]) + 0.5 * X[:, 2] + 0.05 * X[:, 3]

    return function("additive", 4, cost)


def hyper_ellipsoid() -> Problem:
    """The thesis's function: squares with weights 1 to 4, optimum off the centre."""
    return function(
        "hyper-ellipsoid", 4, lambda X: (np.arange(1, 5) * (4 * X - 1.6) ** 2).sum(axis=1)
    )


def product() -> Problem:
    """Nothing but an interaction of two, and two that do not matter."""
    return function("product", 4, lambda X: (2 * X[:, 0] - 1) * (2 * X[:, 1] - 1), "idle")


def ishigami() -> Problem:
    """Ishigami's function on [-π, π]³, with one that does not matter."""

    def cost(X: np.ndarray) -> np.ndarray:
        a, b, c = (np.pi * (2 * X[:, j] - 1) for j in range(3))
        return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)

    return function("ishigami", 4, cost, "rugged")


def irrelevant() -> Problem:
    """Two of six hyperparameters matter."""
    return function(
        "irrelevant hyperparameters", 6, lambda X: 3 * (X[:, 0] - 0.2) ** 2 + X[:, 1], "idle"
    )


def fading() -> Problem:
    """Eight squares, each with half of the weight of the one before."""
    weights = 0.5 ** np.arange(8)
    return function("fading", 8, lambda X: (X - 0.4) ** 2 @ weights)


def twelve() -> Problem:
    """Twelve hyperparameters of which a hidden direction and one product matter."""
    along = np.array([3.0, -2.0, 1.0, *np.zeros(9)]) / 3.0

    def cost(X: np.ndarray) -> np.ndarray:
        return np.tanh(2 * (X @ along) - 0.5) ** 2 + X[:, 3] * (1 - X[:, 4])

    return function("twelve", 12, cost, "idle")


def partly_tried() -> Problem:
    """A tenth of one hyperparameter's range was tried; the optimum lies far from it."""

    def cost(X: np.ndarray) -> np.ndarray:
        return 3 * (X[:, 0] - 0.8) ** 2 + (X[:, 1] - 0.5) ** 2 + 0.3 * X[:, 2]

    return Problem("a tenth tried", cube(3), cost, tried=(0.0, 0.1), family="hidden")
