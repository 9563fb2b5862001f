"""The configurations at which LIME fits its readable model."""

from __future__ import annotations

import itertools

import numpy as np

from hpo_explain.base.options import LimeSampling
from hpo_explain.explainers.background import local_background
from hpo_explain.space import Array, CategoricalParameter, SearchSpace
from hpo_explain.space.nearby import changed, filled

_STEP = 0.1  # of the encoded range, by which real values are changed


def sample_of(
    space: SearchSpace, x: Array, tried: Array | None, sampling: LimeSampling, size: int, seed: int
) -> Array:
    """Return configurations, encoded, (n, d).

    Parameters
    ----------
    space : SearchSpace
        The search space.
    x : ndarray of shape (d,)
        The explained configuration.
    tried : ndarray of shape (n, d) or None
        The configurations tried; "perturbed" and "univariate" need them.
    sampling : {"uniform", "local", "perturbed", "univariate", "grid"}
        How they are drawn.
    size : int
        How many; a grid has at most so many.
    seed : int
        Seed of the draw.
    """
    if sampling == "uniform":
        return space.sample(size, seed=seed)
    if sampling == "local":
        (config,) = space.decode(x[None, :])
        return space.project(local_background(space, config, size, seed=seed))
    if sampling == "grid":
        return _grid(space, size, seed)
    tried = np.empty((0, len(space))) if tried is None else tried
    if sampling == "perturbed":
        return _perturbed(space, tried, size, seed)
    return _univariate(space, tried, size, seed)


def _grid(space: SearchSpace, size: int, seed: int) -> Array:
    """Return the points of an equidistant grid; so many of them where it has more.

    Every hyperparameter has equally many values, at least two, unless it has fewer.
    """
    most = [parameter.size or size for parameter in space.parameters]
    values = 2
    while np.prod([min(values + 1, m) for m in most], dtype=float) <= size and values < max(most):
        values += 1
    axes = []
    for j, (parameter, m) in enumerate(zip(space.parameters, most, strict=True)):
        steps = np.linspace(0.0, 1.0, min(values, m))
        if isinstance(parameter, CategoricalParameter):
            axes.append(space.codes(j)[np.round(steps * (m - 1)).astype(np.int64)].astype(float))
        else:
            axes.append(steps if parameter.size is None else parameter.nearest(steps))
    if np.prod([len(axis) for axis in axes], dtype=float) <= size:
        rows = np.array(list(itertools.product(*axes)))
    else:
        rng = np.random.default_rng(seed)
        rows = np.empty((size, len(axes)))
        for j in space.order.tolist():
            rows[:, j] = rng.choice(axes[j], size)
    return space.distinct(space.project(rows))


def _perturbed(space: SearchSpace, tried: Array, size: int, seed: int) -> Array:
    """Return configurations tried, each as often, with some of their values changed a little."""
    rng = np.random.default_rng(seed)
    rows = np.tile(tried, (-(-size // len(tried)), 1))[rng.permutation(size)]
    return space.project(changed(space, filled(space, rows, seed), _STEP, rng))


def _univariate(space: SearchSpace, tried: Array, size: int, seed: int) -> Array:
    """Return rows whose values are drawn from those tried, one hyperparameter after the other."""
    rng = np.random.default_rng(seed)
    rows = space.sample(size, seed=seed, latent=True)
    for j in space.order.tolist():
        parameter = space.parameters[j]
        values = tried[:, j]
        if parameter.optional is None:
            values = values[~np.isnan(values)]
        else:  # left out as often as where it could have been given
            values = values[space.allowed(tried, j)]
        if len(values):
            rows[:, j] = rng.choice(values, size)
    return space.project(rows)
