"""Functions that are not smooth: rugged ones, cliffs, plateaus, valleys, needles, steps."""

from __future__ import annotations

import numpy as np

from hpo_explain import FloatParameter, IntParameter, SearchSpace
from tests.claims.families.smooth import cube, function
from tests.claims.problem import Problem


def ackley() -> Problem:
    """Ackley's function of three."""

    def cost(X: np.ndarray) -> np.ndarray:
        x = 6 * X - 2.2
        far = -20 * np.exp(-0.2 * np.sqrt((x**2).mean(axis=1)))
        return far - np.exp(np.cos(2 * np.pi * x).mean(axis=1)) + 20 + np.e

    return function("ackley", 3, cost, "rugged")


def rastrigin() -> Problem:
    """A bowl with three ripples a side."""

    def cost(X: np.ndarray) -> np.ndarray:
        x = 3 * (X - 0.43)
        return (x**2 - 0.8 * np.cos(2 * np.pi * x)).sum(axis=1)

    return function("rastrigin", 2, cost, "rugged")


def diverging() -> Problem:
    """A learning rate above which training diverges, best shortly below it."""
    space = SearchSpace(
        [
            FloatParameter("lr", 1e-5, 1.0, log=True),
            FloatParameter("momentum", 0.0, 0.99),
            IntParameter("width", 16, 256, log=True),
        ]
    )

    def cost(X: np.ndarray) -> np.ndarray:
        lr = -5.0 + 5.0 * X[:, 0]
        edge = -1.0 - 0.6 * X[:, 1]
        learned = 0.1 * (edge - 0.3 - lr) ** 2 + 0.2 * (X[:, 2] - 0.7) ** 2
        return np.where(lr > edge, 2.3, learned)

    return Problem("diverging", space, cost, family="cliffs")


def plateau() -> Problem:
    """Half of the space fails with the same bad value; the rest is a bowl."""

    def cost(X: np.ndarray) -> np.ndarray:
        below = ((X[:, :2] - 0.3) ** 2).sum(axis=1) + 0.2 * X[:, 2]
        return np.where(X[:, 0] + X[:, 1] > 1.1, 1.5, below)

    return function("plateau", 3, cost, "plateaus")


def wide_plateau() -> Problem:
    """Chance level in 70 % of the space."""

    def cost(X: np.ndarray) -> np.ndarray:
        hill = 1.0 - 4.0 * ((X[:, :2] - [0.7, 0.25]) ** 2).sum(axis=1) - 0.1 * X[:, 2]
        return 0.9 - np.maximum(hill - 0.55, 0.0)

    return function("wide plateau", 4, cost, "plateaus")


def valley() -> Problem:
    """A narrow valley across two hyperparameters, along which a third one decides."""

    def cost(X: np.ndarray) -> np.ndarray:
        across = X[:, 0] + 0.5 * X[:, 1] - 0.8
        return 1.0 - np.exp(-0.5 * (across / 0.07) ** 2) * (1.0 - 0.4 * (X[:, 2] - 0.3) ** 2)

    return function("valley", 3, cost, "hidden")


def narrow_optimum() -> Problem:
    """A wide bowl, and far from its bottom a well that holds the optimum."""

    def cost(X: np.ndarray) -> np.ndarray:
        wide = ((X[:, :2] - 0.25) ** 2).sum(axis=1)
        well = np.exp(-0.5 * ((X[:, :2] - 0.85) ** 2).sum(axis=1) / 0.03**2)
        return wide - 1.5 * well

    return function("narrow optimum", 3, cost, "hidden")


def rounded() -> Problem:
    """An accuracy on 200 examples: steps of 1/200."""

    def cost(X: np.ndarray) -> np.ndarray:
        accuracy = 0.95 - 0.5 * (X[:, 0] - 0.6) ** 2 - 0.2 * np.abs(X[:, 1] - 0.3)
        return -np.round(200 * accuracy) / 200

    return function("rounded", 3, cost, "steps")


def coarse() -> Problem:
    """Numbers of four values each, between which nothing is known."""
    space = SearchSpace(
        [
            FloatParameter("dropout", 0.0, 0.6, step=0.2),
            IntParameter("layers", 1, 4),
            IntParameter("units", 32, 128, step=32),
            *cube(1).parameters,
        ]
    )

    def cost(X: np.ndarray) -> np.ndarray:
        at = np.array([0.3, 0.0, 0.45, 0.2])[np.rint(3 * X[:, 1]).astype(int) % 4]
        return (X[:, 0] - 0.5) ** 2 + at + 0.4 * X[:, 2] * X[:, 0] + 0.1 * X[:, 3]

    return Problem("coarse", space, cost, family="steps")
