"""Kernel parameters that the trials allow, beside the most likely ones.

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

import numpy as np
from scipy.optimize import Bounds, minimize

from hpo_explain.models._likelihood import MarginalLikelihood, curvature
from hpo_explain.space import Array

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
