"""Bayesian optimization as in Moosbauer et al. (2021), with scikit-optimize, and their measures.

A Gaussian process with a Matérn-3/2 kernel and the lower confidence bound m - τ·s (their text
prints a plus). mlrMBO's kernel is a product of one-dimensional ones, skopt's a function of the
norm: the same picture, other digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import skopt
from sklearn.exceptions import ConvergenceWarning
from skopt.learning import GaussianProcessRegressor
from skopt.learning.gaussian_process.kernels import ConstantKernel, Matern

import hpo_explain as hx

LENGTH_SCALES = (0.01, 2.0)  # of each hyperparameter's range; DiceKriging's upper bound


def minimize(
    objective: Callable[[list[Any]], float],
    dimensions: Sequence[Any],
    design: Sequence[list[Any]],
    *,
    n_trials: int,
    tau: float,
    nugget: float | None,
    seed: int,
) -> hx.Run:
    """Return the run of a minimization that starts from a design; `nugget` None estimates it."""
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * Matern(
        np.full(len(dimensions), 0.5), LENGTH_SCALES, nu=1.5
    )
    process = GaussianProcessRegressor(
        kernel,
        alpha=1e-10 if nugget is None else nugget,
        noise="gaussian" if nugget is None else None,
        normalize_y=True,
        n_restarts_optimizer=1,
        random_state=seed,
    )
    optimizer = skopt.Optimizer(
        dimensions,
        base_estimator=process,
        n_initial_points=len(design),
        acq_func="LCB",
        acq_func_kwargs={"kappa": tau},
        model_queue_size=1,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length-scale at its bound
        warnings.filterwarnings("ignore", "The objective has been evaluated at point")
        optimizer.tell(list(design), [objective(point) for point in design])
        while len(optimizer.yi) < n_trials:
            point = optimizer.ask()
            optimizer.tell(point, objective(point))
    return hx.from_skopt(optimizer)


def improvement(whole: float, region: float) -> float:
    """Return δ: how much smaller a measure is in a region than on the whole, in percent."""
    return 100.0 * (whole - region) / abs(whole)


def path_to(result: hx.RegionalPartialDependence, config: dict[str, Any]) -> list[Any]:
    """Return the nodes that hold a configuration, from the root to its leaf."""
    return [node for node in result.tree if node.holds(config)]


def mean_and_spread(values: Sequence[float], digits: int = 1) -> str:
    """Return a mean and the standard deviation over repetitions, as in the paper's tables."""
    values = np.asarray(values, dtype=float)
    spread = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{spread}"
