"""Bayesian optimization as in Croppi (2021), with scikit-optimize: what the examples share.

A Gaussian process with a Matérn-3/2 kernel and the lower confidence bound m - λ·s, from a
spread-out Latin hypercube. mlrMBO's kernel is a product of one-dimensional ones, skopt's a function
of the norm: the same picture, other digits. Every iteration's model is kept, so that each proposal
is explained by the one that made it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from skopt.learning import GaussianProcessRegressor
from skopt.learning.gaussian_process.kernels import ConstantKernel, Matern
from skopt.optimizer import base_minimize
from skopt.space import Integer, Real

import hpo_explain as hx

LENGTH_SCALES = (0.01, 2.0)  # of each hyperparameter's range; DiceKriging's upper bound


def minimize(
    objective: Callable[[list[Any]], float],
    space: hx.SearchSpace,
    design: Sequence[list[Any]],
    *,
    n_proposals: int,
    lam: float,
    noisy: bool,
    seed: int,
) -> hx.Run:
    """Return the run of a minimization that starts from a design."""
    process = GaussianProcessRegressor(
        ConstantKernel(1.0, (1e-2, 1e3)) * Matern(np.full(len(space), 0.5), LENGTH_SCALES, nu=1.5),
        alpha=1e-10,
        noise="gaussian" if noisy else None,
        normalize_y=True,
        n_restarts_optimizer=2,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length-scale at its bound
        warnings.filterwarnings("ignore", "The objective has been evaluated at point")
        result = base_minimize(
            objective,
            [dimension(parameter) for parameter in space.parameters],
            base_estimator=process,
            x0=[list(point) for point in design],
            n_initial_points=0,
            n_calls=len(design) + n_proposals,
            acq_func="LCB",
            kappa=lam,
            random_state=seed,
        )
    return hx.from_skopt(result)


def dimension(parameter: Any) -> Real | Integer:
    """Return a hyperparameter as scikit-optimize's dimension."""
    kind = Integer if isinstance(parameter, hx.IntParameter) else Real
    prior = "log-uniform" if parameter.log else "uniform"
    return kind(parameter.low, parameter.high, prior=prior, name=parameter.name)


def spread_out(space: hx.SearchSpace, n: int, seed: int, tries: int = 200) -> list[list[Any]]:
    """Return the Latin hypercube, of some tries, whose closest rows are farthest apart."""
    cubes = [space.sample(n, seed=tries * seed + k) for k in range(tries)]
    best = max(cubes, key=lambda X: pdist(X).min())
    return [[config[name] for name in space.names] for config in space.decode(best)]
