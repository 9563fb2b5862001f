"""Minimize a function over a search space with scikit-optimize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import skopt

from hpo_explain.adapters.skopt._dimensions import dimension_of
from hpo_explain.space import Config, SearchSpace


def tune_with_skopt(
    objective: Callable[[Config], float],
    space: SearchSpace,
    *,
    sampler: str = "gp",
    n_trials: int = 50,
    seed: int = 0,
) -> Any:
    """Return skopt's result of minimizing `objective` over a space without steps and conditions.

    Parameters
    ----------
    objective : callable
        Function from a configuration to the loss.
    space : SearchSpace
        The search space.
    sampler : str, default "gp"
        "random" is `skopt.gp_minimize` with an initial design of `n_trials`, drawn at random;
        anything else is `skopt.gp_minimize` with at most 10.
    n_trials : int, default 50
        Number of trials.
    seed : int, default 0
        Seed of the optimizer.

    Returns
    -------
    scipy.optimize.OptimizeResult
        The result, with its models.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> space = SearchSpace([FloatParameter("x", -1.0, 1.0)])
    >>> result = tune_with_skopt(lambda c: c["x"] ** 2, space, sampler="random", n_trials=5)
    >>> len(result.x_iters)
    5
    """

    def loss(values: list[Any]) -> float:
        # skopt hands out numpy scalars; decode(encode()) gives the plain values back
        config = dict(zip(space.names, values, strict=True))
        return objective(space.decode(space.encode(config))[0])

    dimensions = [dimension_of(parameter) for parameter in space.parameters]
    # not skopt.dummy_minimize: it asks scikit-learn whether None is a regressor, and newer
    # releases of scikit-learn refuse to say
    initial = n_trials if sampler == "random" else min(10, n_trials)
    return skopt.gp_minimize(
        loss, dimensions, n_calls=n_trials, n_initial_points=initial, random_state=seed
    )
