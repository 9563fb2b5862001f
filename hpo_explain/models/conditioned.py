"""A Gaussian process given trials, at any rows: mean and variance with one kernel setting.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
K          covariance of the trials' values, noise included
L          its lower Cholesky factor
k(x)       covariance of the function at x with the trials' values
mean       ``k(x)ᵀ K⁻¹ z``
variance   ``k(x, x) - k(x)ᵀ K⁻¹ k(x)``, noise excluded [1]_
=========  ============================================================================

A row that is believed at its mean changes no mean: only variances fall ("kriging believer" [2]_).

References
----------
.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Eqs. 2.25 and 2.26.
.. [2] Ginsbourger, D., Le Riche, R. and Carraro, L. (2010). Kriging is well-suited to parallelize
   optimization. Section 6.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from hpo_explain.models.compared import Compared
from hpo_explain.models.product_kernel import LEAST_NOISE, Pairs, Parameters
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A Gaussian process with one setting of the kernel's parameters, given values at rows.

    Attributes
    ----------
    parameters : Parameters
        The kernel's parameters.
    factor : ndarray of shape (n, n)
        L, the lower Cholesky factor of the values' covariance.
    half : ndarray of shape (n,)
        ``L⁻¹ z``.
    """

    parameters: Parameters
    factor: Array
    half: Array

    @classmethod
    def on(cls, pairs: Pairs, parameters: Parameters) -> Conditioned:
        """Return the process given trials, as pairs with their values."""
        factor = pairs.factor(parameters)
        half = solve_triangular(factor, pairs.z, lower=True, check_finite=False)
        return cls(parameters, factor, half)

    def predict(self, rows: Compared) -> tuple[Array, Array]:
        """Return mean and variance of the function at rows, each (m,)."""
        explained = self._explained(rows)
        prior = self._prior(rows.active)
        variance = prior - (explained * explained).sum(axis=0)
        return self.half @ explained, np.maximum(variance, 0.1 * LEAST_NOISE)

    def believing(self, row: Compared) -> Conditioned:
        """Return the process given one more row, with the value that is predicted there."""
        explained = self._explained(row)[:, 0]
        variance = self._prior(row.active)[0] + self.parameters.noise - explained @ explained
        n = len(self.half)
        factor = np.zeros((n + 1, n + 1))
        factor[:n, :n] = self.factor
        factor[n, :n] = explained
        factor[n, n] = math.sqrt(max(variance, self.parameters.noise))
        return replace(self, factor=factor, half=np.append(self.half, 0.0))

    def _explained(self, rows: Compared) -> Array:
        """Return ``L⁻¹ k(x)`` of rows, (n, m)."""
        covariance = rows.covariances(self.parameters)
        solved = solve_triangular(
            self.factor, covariance.T.astype(float), lower=True, check_finite=False
        )
        return np.asarray(solved)

    def _prior(self, active: Array) -> Array:
        """Return the variance of the function at rows before any trial, (m,)."""
        return 1.0 + self.parameters.product + active @ self.parameters.amplitude
