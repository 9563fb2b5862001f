"""The likelihood of a kernel's parameters.

The log marginal likelihood of a Matérn-5/2 process, fast enough to be maximized often.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
θ           logarithms of signal variance c, length-scales l_g and noise variance w
D_g         squared distances of all pairs of trials in column g
r           ``√(Σ_g D_g / l_g²)``
K           ``c (1 + √5 r + 5 r²/3) exp(-√5 r)``, plus w on the diagonal
==========  ============================================================================

Our own, because scikit-learn's takes 3 to 8 times as long to find the same parameters
(tests/benchmarks/test_gaussian_process.py), and GPyTorch and BoTorch need torch. scikit-learn's
makes one n × n matrix per length-scale at each step; here pairs are held once, and the derivatives
by all length-scales are one product with their distances.

References
----------
.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Eq. 5.8 and 5.9.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import Bounds, minimize
from scipy.spatial.distance import squareform

from hpo_explain.models._squares import matern, squares_by_column
from hpo_explain.space import Array


class MarginalLikelihood:
    """The log marginal likelihood of trials, with its gradient.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        What tells columns of categories from numbers, as of `squared_distances`.
    Z : ndarray of shape (n, p)
        Columns of the trials.
    y : ndarray of shape (n,)
        Their objective, standardized.
    jitter : float
        Added to the diagonal besides the noise.
    """

    def __init__(self, amid: Array, Z: Array, y: Array, *, jitter: float = 0.0) -> None:
        self._distances = squares_by_column(Z, amid)
        self._y = y
        self._jitter = jitter

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the log marginal likelihood at θ, and its gradient; -∞ where K is singular."""
        signal, *scales, noise = np.exp(theta)
        inverse_squares = np.array(scales) ** -2.0
        profile, slope = matern(np.sqrt(inverse_squares @ self._distances))
        density = density_of(signal * profile, signal + noise + self._jitter, self._y)
        if density is None:
            return -np.inf, np.zeros_like(theta)
        value, weights, diagonal = density
        by_scale = self._distances @ (weights * (5.0 / 3.0) * slope)
        gradient = [
            signal * (weights @ profile + diagonal),
            *(signal * by_scale * inverse_squares),
            noise * diagonal,
        ]
        return value - 0.5 * len(self._y) * np.log(2 * np.pi), np.array(gradient)

    def maximize(self, theta: Array, bounds: Array) -> tuple[Array, float]:
        """Return the best θ that is found from one, and the negative value there.

        Parameters
        ----------
        theta : ndarray
            Where the search starts.
        bounds : ndarray of shape (number of parameters, 2)
            Least and largest values.
        """

        def loss(at: Array) -> tuple[float, Array]:
            value, gradient = self(at)
            return -value, -gradient

        result = minimize(loss, theta, method="L-BFGS-B", jac=True, bounds=Bounds(*bounds.T))
        return np.asarray(result.x), float(result.fun)


def density_of(pairs: Array, diagonal: float, y: Array) -> tuple[float, Array, float] | None:
    """Return the log density of y under a normal distribution, and what its gradient needs.

    Parameters
    ----------
    pairs : ndarray of shape (number of pairs,)
        Covariances K of all pairs of trials.
    diagonal : float
        Their variance, the noise included.
    y : ndarray of shape (n,)
        Their objective, standardized.

    Returns
    -------
    tuple of (float, ndarray, float), or None
        The log density without its constant, and its derivatives by the covariance of each pair and
        by the variance; None where K is singular.
    """
    # LAPACK itself: around matrices this small, scipy's functions take longer than the work
    K = squareform(pairs, checks=False)
    np.fill_diagonal(K, diagonal)
    L, failed = dpotrf(K.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        return None
    alpha = dpotrs(L, y, lower=1)[0]
    value = -0.5 * y @ alpha - np.log(np.diagonal(L)).sum()
    # ∂/∂θ is half the trace of (α αᵀ - K⁻¹) ∂K/∂θ: pairs count twice, the diagonal once
    precision = dpotri(L, lower=1, overwrite_c=1)[0].T
    by_variance = 0.5 * float((alpha**2 - np.diagonal(precision)).sum())
    np.subtract(np.multiply.outer(alpha, alpha), precision, out=precision)
    return float(value), squareform(precision, checks=False), by_variance
