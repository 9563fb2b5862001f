"""Trials of a Gaussian process held out, with the kernel's parameters fitted without them.

Leave-one-out in closed form keeps the parameters, which have seen every trial: of pure noise it
then explains some.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

Refit = Callable[[npt.NDArray[np.int64]], "GaussianProcessRegressor"]
"""From the trials that are seen to a process fitted to them, parameters included."""
STEPS = 15  # of the search for parameters that starts at those of all trials
_MANY = 100  # configurations from which on fewer folds will do
_NOISE = 1e-2  # where the search for the white noise starts if none is left in the kernel


def folds_of(which: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return a fold for each trial: ten, or five of many configurations, in a random order.

    `which` says for each trial which configuration it has; those of one are in one fold.
    """
    count = int(which.max()) + 1
    order = np.random.default_rng(0).permutation(count)
    return np.asarray(order[which] % min(count, 10 if count < _MANY else 5))


def refit_of(gp: GaussianProcessRegressor) -> Refit | None:
    """Return how a scikit-learn process is fitted again; None if its parameters were given."""
    if gp.optimizer is None:
        return None
    from sklearn.base import clone

    start = clone(gp.kernel_)
    with np.errstate(divide="ignore"):
        theta = start.theta  # the logarithm of 0 where skopt took the white noise out
    theta = np.where(np.isfinite(theta), theta, np.log(_NOISE))
    start = start.clone_with_theta(np.clip(theta, *start.bounds.T))
    scale, offset = np.ravel(gp._y_train_std)[0], np.ravel(gp._y_train_mean)[0]
    y = offset + scale * np.ravel(gp.y_train_)

    return partial(_refitted, clone(gp), start, gp.X_train_, y)


def _refitted(
    gp: GaussianProcessRegressor, start: Any, Z: Array, y: Array, seen: npt.NDArray[np.int64]
) -> GaussianProcessRegressor:
    from sklearn.base import clone

    alpha = gp.alpha if np.ndim(gp.alpha) == 0 else np.asarray(gp.alpha)[seen]
    again = clone(gp).set_params(
        kernel=start, alpha=alpha, optimizer=_few_steps, n_restarts_optimizer=0
    )
    return again.fit(Z[seen], y[seen])


def _few_steps(loss: Callable[..., Any], theta: Array, bounds: Array) -> tuple[Array, float]:
    from scipy.optimize import Bounds, minimize

    found = minimize(
        loss,
        theta,
        method="L-BFGS-B",
        jac=True,
        bounds=Bounds(*bounds.T),
        options={"maxiter": STEPS},
    )
    low, high = bounds.T  # scikit-learn warns of each fit that ends at one of them
    return np.clip(found.x, low + _inside(low), high - _inside(high)), float(found.fun)


def _inside(bound: Array) -> Array:
    """Return a little more than the tolerance of ``np.isclose``."""
    return 3e-5 * np.abs(bound) + 3e-8
