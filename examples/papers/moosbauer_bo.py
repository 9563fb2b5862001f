"""Bayesian optimization as in Moosbauer et al. (2021), and their measures.

A Gaussian process with a Matérn-3/2 kernel and the lower confidence bound m - τ·s (their text
prints a plus). mlrMBO's kernel is a product of one-dimensional ones, whose bound is optimized by
focus search: :func:`minimize_as_mlrmbo`. skopt's is a function of the norm: :func:`minimize`.

Bischl, B. et al. (2017). mlrMBO: a modular framework for model-based optimization of expensive
black-box functions. https://arxiv.org/abs/1703.03373
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import skopt
from dice_kriging import DiceKriging
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


def minimize_as_mlrmbo(
    objective: Callable[[np.ndarray], float],
    space: hx.SearchSpace,
    design: np.ndarray,
    *,
    n_trials: int,
    tau: float,
    nugget: float,
    seed: int,
) -> tuple[hx.Run, DiceKriging]:
    """Return the run of a minimization from encoded rows, and its last model.

    The kernel is a product; the bound is optimized by focus search.
    """
    rng = np.random.default_rng(seed)
    X, y = design.copy(), np.array([objective(row) for row in design])
    while len(y) < n_trials:
        model = DiceKriging(space, X, y, starts=2, nugget=nugget)
        row = focus_search(hx.models.LowerConfidenceBound(model, kappa=tau), len(space), rng)
        X, y = np.vstack([X, row]), np.append(y, objective(row))
    model = DiceKriging(space, X, y, nugget=nugget)
    return hx.Run(space, X, y, "minimize"), model


def focus_search(
    acquisition: hx.models.LowerConfidenceBound,
    d: int,
    rng: np.random.Generator,
    *,
    points: int = 1000,
    rounds: int = 5,
    restarts: int = 3,
) -> np.ndarray:
    """Return the best encoded row of random ones in boxes that halve around the best so far."""
    rows, values = [], []
    for _ in range(restarts):
        low, high = np.zeros(d), np.ones(d)
        for _ in range(rounds):
            tried = rng.uniform(low, high, (points, d))
            utility = sum(acquisition.terms(tried).values())
            best = int(np.argmax(utility))
            rows.append(tried[best])
            values.append(utility[best])
            quarter = (high - low) / 4.0
            low = np.maximum(low, tried[best] - quarter)
            high = np.minimum(high, tried[best] + quarter)
    return rows[int(np.argmax(values))]


def improvement(whole: float, region: float) -> float:
    """Return δ: how much smaller a measure is in a region than on the whole, in percent."""
    return 100.0 * (whole - region) / abs(whole)


def path_to(result: hx.methods.RegionalPartialDependence, config: dict[str, Any]) -> list[Any]:
    """Return the nodes that hold a configuration, from the root to its leaf."""
    return [node for node in result.tree if node.holds(config)]


def mean_and_spread(values: Sequence[float], digits: int = 1) -> str:
    """Return a mean and the standard deviation over repetitions, as in the paper's tables."""
    values = np.asarray(values, dtype=float)
    spread = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{spread}"
