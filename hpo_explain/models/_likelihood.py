"""The likelihood of a kernel's parameters, and parameters that are plausible.

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

Kernel parameters that the trials allow, beside the most likely ones.

A kernel's parameters are known as badly as the trials are few: where a hyperparameter was hardly
varied, a long and a short length-scale explain them equally well, and only the first extrapolates.
Draws from the parameters' posterior let a statement rest on all that are plausible.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
θ           logarithms of signal variance, length-scales and noise variance
p(θ)        prior: independent normal distributions, cut off at the kernel's bounds
q(θ)        Laplace's approximation of the posterior: normal, around its mode
==========  ============================================================================

Draws from q are accepted or rejected so that the chain has the posterior as its distribution
(independence Metropolis [2]_).

References
----------
.. [1] MacKay, D. J. C. (1992). A practical Bayesian framework for backpropagation networks. Neural
   Computation 4(3), 448-472 (Laplace's approximation).
.. [2] Tierney, L. (1994). Markov chains for exploring posterior distributions. Annals of
   Statistics 22(4), 1701-1728.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import Bounds, minimize
from scipy.spatial.distance import squareform

from hpo_explain.models._kernel import matern
from hpo_explain.models._squares import squares_by_column
from hpo_explain.space import Array

_STEPS = 15_000  # scipy's default


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
        found = density_of(signal * profile, signal + noise + self._jitter, self._y)
        if found is None:
            return -np.inf, np.zeros_like(theta)
        value, weights, diagonal = found
        by_scale = self._distances @ (weights * (5.0 / 3.0) * slope)
        gradient = [
            signal * (weights @ profile + diagonal),
            *(signal * by_scale * inverse_squares),
            noise * diagonal,
        ]
        return value - 0.5 * len(self._y) * np.log(2 * np.pi), np.array(gradient)

    def maximize(
        self, theta: Array, bounds: Array, *, steps: int | None = None
    ) -> tuple[Array, float]:
        """Return the best θ that is found from one, and the negative value there.

        Parameters
        ----------
        theta : ndarray
            Where the search starts.
        bounds : ndarray of shape (number of parameters, 2)
            Least and largest values.
        steps : int, optional
            Most steps of the search; by default until it converges.
        """

        def loss(at: Array) -> tuple[float, Array]:
            value, gradient = self(at)
            return -value, -gradient

        within, most = Bounds(*bounds.T), _STEPS if steps is None else steps
        found = minimize(
            loss, theta, method="L-BFGS-B", jac=True, bounds=within, options={"maxiter": most}
        )
        return np.asarray(found.x), float(found.fun)


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


def curvature(gradient: Callable[[Array], Array], at: Array, step: float) -> Array:
    """Return the second derivatives of a function from its gradient, by finite differences."""
    steps = step * np.eye(len(at))
    H = np.array([(gradient(at + h) - gradient(at - h)) / (2.0 * step) for h in steps])
    return np.asarray((H + H.T) / 2.0)


# of the logarithms: mean and standard deviation, and bounds
_SIGNAL = (0.0, 1.5, np.log(1e-3), np.log(1e4))
_SCALE = (np.log(0.5), 0.8, np.log(0.03), np.log(20.0))
_NOISE = (np.log(0.1), 3.0, np.log(1e-9), np.log(2.0))
_STEP = 1e-3  # of finite differences of the gradient
_STEPS_PER_DRAW = 6
_LEAST = 0.3  # curvature: the normal prior alone has more
_WIDER = 1.2  # q is wider than Laplace's approximation, so that it covers the posterior's tails


def plausible_parameters(
    likelihood: MarginalLikelihood, start: Array, n: int, rng: np.random.Generator
) -> list[Array]:
    """Return n draws of θ from its posterior.

    Parameters
    ----------
    likelihood : MarginalLikelihood
        Of the trials.
    start : ndarray of shape (number of parameters,)
        Where the search for the mode begins.
    n : int
        Number of draws.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    list of ndarray
        The draws, which need not differ.
    """
    p = len(start) - 2
    centre, width, low, high = np.array([_SIGNAL, *[_SCALE] * p, _NOISE]).T
    centre[1:-1] += 0.5 * np.log(p)  # points are farther apart in more dimensions

    def loss(theta: Array) -> tuple[float, Array]:
        value, gradient = likelihood(theta)
        away = (theta - centre) / width
        return 0.5 * float(away @ away) - value, away / width - gradient

    within = Bounds(low, high)
    mode = minimize(loss, np.clip(start, low, high), method="L-BFGS-B", jac=True, bounds=within).x
    spread = _WIDER * _square_root(curvature(lambda at: loss(at)[1], mode, _STEP))
    inverse = np.linalg.inv(spread)

    def weight(theta: Array) -> float:
        """Return log p(θ | trials) - log q(θ), up to a constant."""
        if ((theta < low) | (theta > high)).any():
            return -np.inf
        away = inverse @ (theta - mode)
        return 0.5 * float(away @ away) - loss(theta)[0]

    at, best, found = mode, weight(mode), []
    for step in range(1, _STEPS_PER_DRAW * n + 1):
        new = mode + spread @ rng.standard_normal(len(mode))
        of_new = weight(new)
        if np.log(rng.random()) < of_new - best:
            at, best = new, of_new
        if step % _STEPS_PER_DRAW == 0:
            found.append(at)
    return found


def _square_root(H: Array) -> Array:
    """Return a root of the inverse of a curvature, whose eigenvalues are bounded from below."""
    values, vectors = np.linalg.eigh(H)
    return np.asarray(vectors / np.sqrt(np.maximum(values, _LEAST)))
