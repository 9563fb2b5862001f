"""Noise of unusual kinds: drift, heavy tails, larger where it is bad or good, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tests.claims.families.smooth import additive, bowl, cube, hyper_ellipsoid
from tests.claims.problem import Problem

SOME = (0.1, 0.5)  # levels at which the kind of noise matters


def drifting() -> Problem:
    """Evaluations get worse while the run lasts."""
    return replace(additive(), name="drifting", family="drift", drift=0.7, noises=(0.01, 0.1))


def heavy_tails() -> Problem:
    """Noise with 2.5 degrees of freedom."""
    return replace(additive(), name="heavy tails", family="noise", tails=2.5, noises=SOME)


def _rank_in(problem: Problem) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function of which share of the space is better than rows, (n,)."""
    order = np.sort(problem.costs)
    return lambda X: np.searchsorted(order, problem.cost(X)) / len(order)


def noisy_where_bad() -> Problem:
    """Noise that grows where it is bad: none at the best."""
    whole = bowl()
    rank = _rank_in(whole)
    return replace(
        whole,
        name="noisy where bad",
        family="noise",
        noise_shape=lambda X: 2.0 * rank(X),
        noises=SOME,
    )


def noisy_where_good() -> Problem:
    """Noise that grows where it is good: none at the worst."""
    whole = hyper_ellipsoid()
    rank = _rank_in(whole)
    return replace(
        whole,
        name="noisy where good",
        family="noise",
        noise_shape=lambda X: 2.0 * (1.0 - rank(X)),
        noises=SOME,
    )


def pure_noise() -> Problem:
    """Nothing matters: every objective is noise alone."""
    return Problem(
        "pure noise", cube(4), lambda X: np.zeros(len(X)), family="pure noise", noises=(1.0,)
    )


def noise_of_one() -> Problem:
    """One hyperparameter, and noise alone."""
    return replace(pure_noise(), name="noise of one", space=cube(1))


def noisy_plateau() -> Problem:
    """Half of the space fails with the same bad value; the rest is noise alone."""

    def failed(X: np.ndarray) -> np.ndarray:
        return X[:, 0] + X[:, 1] > 1.1

    def draw(x: np.ndarray, rng: np.random.Generator) -> float:
        return 1.5 if failed(x[None])[0] else float(rng.normal(0.0, 0.3))

    return Problem(
        "failures over noise",
        cube(3),
        lambda X: 1.5 * failed(X).astype(float),
        draw,
        family="plateaus",
        noises=(0.3,),
        noise_of=lambda X: 0.3 * ~failed(X),
    )
