"""Where no result comes from: crashes with a border, by chance, and constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hpo_explain import FloatParameter, SearchSpace
from tests.claims.families.smooth import additive, cube, hyper_ellipsoid
from tests.claims.problem import Problem

NODES_DIE = 0.15


def steep_lr() -> Problem:
    """Accuracy rises with the learning rate, and above .1 the run crashes."""
    space = SearchSpace([FloatParameter("lr", 1e-4, 1.0, log=True), *cube(2).parameters])

    def cost(X: np.ndarray) -> np.ndarray:
        return -(0.5 + 0.4 * X[:, 0] - 0.1 * (X[:, 1] - 0.4) ** 2)

    return Problem(
        "steep learning rate",
        space,
        cost,
        family="crashes",
        fails=lambda X: (X[:, 0] > 0.75).astype(float),
    )


def smooth_border() -> Problem:
    """The nearer to a corner, the more often memory runs out; the best is there, too."""

    def fails(X: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + np.exp(-15 * (X[:, 0] + X[:, 1] - 1.25)))

    def cost(X: np.ndarray) -> np.ndarray:
        return -X[:, 0] - 0.6 * X[:, 1] + 0.5 * (X[:, 2] - 0.5) ** 2

    return Problem("smooth border", cube(4), cost, family="crashes", fails=fails)


def corner() -> Problem:
    """A corner of three hyperparameters crashes, and a tenth anywhere."""

    def fails(X: np.ndarray) -> np.ndarray:
        return np.where((X[:, :3] > 0.55).all(axis=1), 1.0, 0.1)

    def cost(X: np.ndarray) -> np.ndarray:
        return ((X[:, :3] - 0.75) ** 2).sum(axis=1) + 0.1 * X[:, 3]

    return Problem("corner", cube(5), cost, family="crashes", fails=fails)


def dying_nodes() -> Problem:
    """Nodes die at random."""
    return replace(
        additive(),
        name="dying nodes",
        family="random failures",
        fails=lambda X: np.full(len(X), NODES_DIE),
    )


def _constrained(name: str, constraint: Callable[[np.ndarray], np.ndarray]) -> Problem:
    return replace(hyper_ellipsoid(), name=name, family="constraints", constraint=constraint)


def half_plane() -> Problem:
    """Half of the space is feasible, the best of it on the border."""
    return _constrained("half-plane", lambda X: X[:, 2] - 0.35 + 0.3 * (X[:, 3] - 0.4))


def disk() -> Problem:
    """Feasible outside of a disk around the best."""
    return _constrained("disk", lambda X: 0.25**2 - ((X[:, 2:] - 0.4) ** 2).sum(axis=1))


def rare() -> Problem:
    """Feasible in some 6 % of the space, away from the best."""
    return _constrained("rare", lambda X: ((X[:, :2] - 0.8) ** 2).sum(axis=1) - 0.14**2)
