"""Our Gaussian process as one of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    ConstantKernel,
    Hyperparameter,
    Kernel,
    NormalizedKernelMixin,
    StationaryKernelMixin,
)

from hpo_explain.models._gp_fit import SIGNAL, FittedProcess
from hpo_explain.models._scaled_matern import ScaledMatern
from hpo_explain.models._squares import matern, squared_distances
from hpo_explain.space import Array


class MixedMatern(StationaryKernelMixin, NormalizedKernelMixin, Kernel):  # type: ignore[misc]
    """`ScaledMatern` without its signal, as a kernel of scikit-learn.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        For each column of categories the squared distance of an inactive one, 0 for a number.
    length_scale : ndarray of shape (p,)
        Length-scales, in units of the columns.
    length_scale_bounds : tuple of float
        Bounds within which the length-scales are fitted.

    """

    def __init__(
        self,
        amid: Array,
        length_scale: Array,
        length_scale_bounds: tuple[float, float] = (0.05, 2.0),
    ) -> None:
        self.amid = amid
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    @property
    def hyperparameter_length_scale(self) -> Hyperparameter:
        """The length-scales, as scikit-learn's optimizer sees them."""
        return Hyperparameter(
            "length_scale", "numeric", self.length_scale_bounds, len(self._scales())
        )

    def _scales(self) -> Array:
        # scikit-learn sets a single length-scale as a number
        return np.atleast_1d(np.asarray(self.length_scale, dtype=float))

    def __call__(self, X: Array, Y: Array | None = None, eval_gradient: bool = False) -> Any:
        """Return the kernel matrix, and its gradient by the logarithm of the length-scales."""
        X = np.asarray(X, dtype=float)
        scales = self._scales()
        Y = X if Y is None else np.asarray(Y, dtype=float)
        if not eval_gradient:
            return ScaledMatern(1.0, scales, self.amid)(X, Y)
        derivatives = np.array(
            [
                squared_distances(X[:, [c]], X[:, [c]], 1.0 / scales[[c]], self.amid[[c]])
                for c in range(len(scales))
            ]
        )
        r = np.sqrt(derivatives.sum(axis=0))
        profile, slope = matern(r)
        derivatives *= 5.0 / 3.0 * slope
        return profile, np.moveaxis(derivatives, 0, 2)

    def __repr__(self) -> str:
        scales = ", ".join(f"{scale:.3g}" for scale in self._scales())
        return f"MixedMatern(length_scale=[{scales}], nu=2.5)"


def regressor_of(process: FittedProcess | GaussianProcessRegressor) -> GaussianProcessRegressor:
    """Return scikit-learn's regressor with the parameters of a process, fitted to its trials."""
    if isinstance(process, GaussianProcessRegressor):
        return process
    kernel = process.kernel_
    own = MixedMatern(kernel.amid, kernel.length_scale)
    gp = GaussianProcessRegressor(
        ConstantKernel(kernel.signal, SIGNAL) * own,
        alpha=process.alpha,
        optimizer=None,
        normalize_y=True,
    )
    y = process.offset + process.scale * process.y_train_
    return gp.fit(process.X_train_, y)
