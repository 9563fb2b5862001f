"""The fit of an ARD Matérn-5/2 process with noise, to all trials or to some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hpo_explain._blas import one_blas_thread
from hpo_explain.space import Array
from hpo_explain.surrogates._gp_held_out import STEPS
from hpo_explain.surrogates._unit import unit_of

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

KERNEL_TRIALS = 300  # most trials that kernel parameters are fitted on: O(n³) per step
JITTER = 1e-10  # on the diagonal, beside the noise


@dataclass(frozen=True, eq=False)
class KernelFit:
    """Trials, and how a process is fitted to some of them.

    The length-scales lie within [0.05, 2] of a column's range, the objective is standardized, and
    the kernel's parameters are found by maximum marginal likelihood.

    Attributes
    ----------
    groups : ndarray of int, shape (p,)
        Which columns share a length-scale.
    Z : ndarray of shape (n, p)
        Columns of the trials.
    y : ndarray of shape (n,)
        Their objective, in the user's units.
    theta : ndarray or None
        Parameters near which those of a part of the trials are searched for, in few steps; None
        for a full search from scratch.
    least_noise : float
        Standard deviation that the noise is known to have at least, in the objective's units.
    """

    groups: npt.NDArray[np.int64]
    Z: Array
    y: Array
    theta: Array | None = None
    least_noise: float = 0.0

    def __call__(self, seen: npt.NDArray[np.int64], *, seed: int = 0) -> GaussianProcessRegressor:
        """Return a process fitted to some trials; noise is its ``alpha``.

        Parameters
        ----------
        seen : ndarray of int
            The trials.
        seed : int, default 0
            Seed of the restarts, and of the trials the parameters are fitted on if there are more
            than 300.
        """
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel

        from hpo_explain.surrogates._kernel import GroupedMatern
        from hpo_explain.surrogates._likelihood import MarginalLikelihood

        spread = float(self.y[seen].std())
        known = (self.least_noise / spread) ** 2 if spread > 0.0 else 0.0
        least = min(max(known, 1e-6), 1.0)
        scales = np.full(int(self.groups.max()) + 1, 0.5)
        kernel = ConstantKernel(1.0, (1e-2, 1e3)) * GroupedMatern(
            self.groups, scales
        ) + WhiteKernel(max(1e-2, least), (least, 1.0))
        rng = np.random.default_rng(seed)
        chosen = seen[np.sort(rng.permutation(len(seen))[:KERNEL_TRIALS])]
        unit = unit_of(self.y[seen])
        scaled = self.y / unit
        # many small factorizations: several threads would mostly wait for each other
        with one_blas_thread():
            likelihood = MarginalLikelihood(
                self.groups, self.Z[chosen], standardized(scaled[chosen]), jitter=JITTER
            )
            bounds = kernel.bounds
            starts = [kernel.theta, rng.uniform(*bounds.T)]
            if self.theta is not None:
                starts = [np.clip(self.theta, *bounds.T), kernel.theta]
            steps = None if self.theta is None else STEPS
            found = [likelihood.maximize(start, bounds, steps=steps) for start in starts]
            theta = min(found, key=lambda one: one[1])[0]
            fitted = kernel.clone_with_theta(theta)
            gp = GaussianProcessRegressor(
                fitted.k1, alpha=fitted.k2.noise_level, normalize_y=True, optimizer=None
            ).fit(self.Z[seen], scaled[seen])
        gp._y_train_mean = gp._y_train_mean * unit
        gp._y_train_std = gp._y_train_std * unit
        return gp

    def warm(self, gp: GaussianProcessRegressor) -> KernelFit:
        """Return the fit to parts of the trials that starts at the parameters of one to all."""
        return replace(self, theta=np.append(gp.kernel_.theta, np.log(gp.alpha)))


def standardized(y: Array) -> Array:
    """Return y as the process sees it, with ``normalize_y``."""
    return np.asarray((y - y.mean()) / (y.std() or 1.0))
