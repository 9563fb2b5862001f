"""The ARD Matérn-5/2 kernel of numbers and categories, for scikit-learn's GP."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import (
    Hyperparameter,
    Kernel,
    NormalizedKernelMixin,
    StationaryKernelMixin,
)

from hpo_explain.models._squares import matern_5_2, squared_distances
from hpo_explain.space import Array

_SQRT5 = np.sqrt(5.0)
# of a distance: `matern_5_2` takes 5/3 of its square
ROOT_5_3 = np.sqrt(5.0 / 3.0)


class MixedMatern(StationaryKernelMixin, NormalizedKernelMixin, Kernel):  # type: ignore[misc]
    """Matérn-5/2 of numbers and categories.

    ``k(x, x') = (1 + √5 r + 5/3 r²) exp(-√5 r)`` with ``r² = Σ_c d_c(x_c, x'_c) / ℓ_c²`` and the
    squared distances d of `squared_distances`; of numbers alone it is scikit-learn's ARD Matérn. A
    category has one column and one length-scale, so 5,000 categories cost no more than a number.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        For each column of categories the squared distance of an inactive one, 0 for a number.
    length_scale : ndarray of shape (p,)
        Length-scales, in units of the columns.
    length_scale_bounds : tuple of float
        Bounds within which the length-scales are fitted.

    References
    ----------
    .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
       Learning, Eq. 4.17 and 5.8.
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
            "length_scale",
            "numeric",
            self.length_scale_bounds,
            len(self._scales()),
        )

    def _scales(self) -> Array:
        # scikit-learn sets a single length-scale as a number
        return np.atleast_1d(np.asarray(self.length_scale, dtype=float))

    def __call__(
        self, X: Array, Y: Array | None = None, eval_gradient: bool = False
    ) -> Any:
        """Return the kernel matrix, and its gradient by the logarithm of the length-scales."""
        X = np.asarray(X, dtype=float)
        scales = self._scales()
        Y = X if Y is None else np.asarray(Y, dtype=float)
        if not eval_gradient:
            profile = squared_distances(X, Y, ROOT_5_3 / scales, self.amid)
            matern_5_2(profile.reshape(-1))
            return profile
        derivatives = np.array(
            [
                squared_distances(
                    X[:, [c]], X[:, [c]], 1.0 / scales[[c]], self.amid[[c]]
                )
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


def matern(r: Array) -> tuple[Array, Array]:
    """Return m(r), and what ``-dm/dr² ∝ (1 + √5 r) exp(-√5 r)`` is without its factor 5/6."""
    s = _SQRT5 * r
    decay = np.exp(-s)
    return (1.0 + s + s**2 / 3.0) * decay, (1.0 + s) * decay
