"""Rows of a search near others: with a latent value everywhere, and changed a little."""

from __future__ import annotations

import numpy as np

from hpo_explain.space._values import Array
from hpo_explain.space.float_parameter import FloatParameter
from hpo_explain.space.search_space import SearchSpace


def filled(space: SearchSpace, X: Array, seed: int) -> Array:
    """Return encoded rows whose inactive hyperparameters have a latent value."""
    return np.where(np.isnan(X), space.sample(len(X), seed=seed + 1, latent=True), X)


def changed(space: SearchSpace, rows: Array, step: float, rng: np.random.Generator) -> Array:
    """Return copies of latent rows: real values moved by a step, a few others drawn anew."""
    new = np.array(rows)
    drawn = space.sample(len(rows), seed=int(rng.integers(2**31)), latent=True)
    for j in space.order.tolist():
        parameter = space.parameters[j]
        if isinstance(parameter, FloatParameter) and parameter.size is None:
            moved = rng.random(len(rows)) < 0.7
            new[moved, j] += step * rng.standard_normal(int(moved.sum()))
            new[:, j] = np.clip(new[:, j], 0.0, 1.0)
        else:
            again = rng.random(len(rows)) < 0.2
            new[again, j] = drawn[again, j]
    return new
