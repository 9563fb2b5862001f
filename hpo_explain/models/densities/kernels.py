"""Kernels of Parzen estimators: truncated normal ones, and those of categories.

The kernels of a density: one per observed trial, in one hyperparameter.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
k          a kernel: one per trial of the group, and the prior as the last
μ_k, σ_k   its mean and standard deviation, on the hyperparameter's own scale (log where it is log)
[a, b]     the range to which it is truncated, on the same scale
q          the step of a grid; the kernel's mass within ±q/2 of a value is its probability
=========  ============================================================================

References
----------
.. [1] Bergstra, J., Bardenet, R., Bengio, Y. and Kégl, B. (2011). Algorithms for hyper-parameter
   optimization. NeurIPS. Section 4.
.. [2] Watanabe, S. (2023). Tree-structured Parzen estimator: understanding its algorithm
   components and their roles for better empirical performance. https://arxiv.org/abs/2304.11127
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from hpo_explain.space import Array, CategoricalParameter, IntParameter, Ints, Parameter

_LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
_NARROW = 1e-4  # of an interval: below, its mass is density times width to the last digit


def log_mass(a: Array, b: Array) -> Array:
    """Return ``log(Φ(b) - Φ(a))`` for a ≤ b, each of the same shape; -∞ where they are equal.

    Examples
    --------
    >>> bool(np.isclose(np.exp(log_mass(np.array([-1.0]), np.array([1.0])))[0], 0.6826894921370859))
    True
    """
    a, b = np.broadcast_arrays(a, b)
    # the lower tail keeps its digits, the upper one does not
    upper = a > 0.0
    low = np.where(upper, -b, a)
    high = np.where(upper, -a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = log_ndtr(high) + np.log(-np.expm1(log_ndtr(low) - log_ndtr(high)))
        central = np.log1p(-ndtr(low) - ndtr(-high))
    mass = np.where(high <= 0.0, tail, central)
    width = high - low
    narrow = width < _NARROW
    if narrow.any():
        middle = 0.5 * (low + high)[narrow]
        h = width[narrow]
        # ∫ exp(-m t - t²/2) dt over t in ±h/2, with m the middle
        slope = np.maximum(np.abs(0.5 * middle * h), 1e-12)
        # a width that the range cannot resolve has no mass
        with np.errstate(divide="ignore"):
            size = np.log(h)
        mass[narrow] = log_density(middle) + size + np.log(np.sinh(slope) / slope) - h**2 / 24.0
    return np.asarray(mass, dtype=float)


def log_density(z: Array) -> Array:
    """Return ``log φ(z)``."""
    return -0.5 * z**2 - _LOG_SQRT_2PI


def quantile(u: Array, a: Array, b: Array) -> Array:
    """Return the value below which a share `u` of the mass between `a` and `b` lies."""
    upper = a > 0.0
    low = np.where(upper, -b, a)
    high = np.where(upper, -a, b)
    share = np.where(upper, 1.0 - u, u)
    z = ndtri(ndtr(low) + share * (ndtr(high) - ndtr(low)))
    z = np.clip(z, low, high)
    return np.where(upper, -z, z)


def values_of(parameter: Parameter, positions: Array) -> Array:
    """Return the values at positions as numbers: the index of a category, else the value itself."""
    if isinstance(parameter, (CategoricalParameter, IntParameter)):
        return parameter.codes(positions).astype(float)
    return np.array(parameter.decode(positions), dtype=float)


@dataclass(frozen=True, eq=False)
class NumericKernels:
    """Truncated normal kernels of a float or integer hyperparameter.

    Attributes
    ----------
    mu, sigma : ndarray of shape (K,)
        Means and standard deviations, on the hyperparameter's own scale.
    low, high : float
        Where the kernels are truncated, on that scale; half a step beyond the range on a grid.
    smallest, largest : float
        The range of values, in the user's units; values beyond count as its ends.
    log : bool
        Whether the scale is logarithmic.
    step : float, default 0.0
        Step of the grid, in the user's units; 0 if kernels are densities.

    Examples
    --------
    >>> import numpy as np
    >>> kernels = NumericKernels(np.array([0.5]), np.array([100.0]), 0.0, 1.0, 0.0, 1.0)
    >>> kernels.log_densities(np.array([0.2])).round(3).tolist()  # as good as uniform
    [[0.0]]
    """

    mu: Array
    sigma: Array
    low: float
    high: float
    smallest: float
    largest: float
    log: bool = False
    step: float = 0.0

    def log_densities(self, values: Array) -> Array:
        """Return the logarithm of each kernel at each value, (n, K)."""
        inside = np.clip(values, self.smallest, self.largest)
        if not self.step:
            z = (self._scaled(inside)[:, None] - self.mu) / self.sigma
            return log_density(z) - (self._log_whole + np.log(self.sigma))
        distinct, place = np.unique(inside, return_inverse=True)
        left = self._scaled(distinct - self.step / 2.0)[:, None]
        right = self._scaled(distinct + self.step / 2.0)[:, None]
        masses = log_mass((left - self.mu) / self.sigma, (right - self.mu) / self.sigma)
        return (masses - self._log_whole)[place]

    def log_uniform(self, values: Array) -> Array:
        """Return the logarithm of a uniform kernel, (n,)."""
        if not self.step:
            return np.full(len(values), -np.log(self.high - self.low))
        half = self.step / 2.0
        inside = np.clip(values, self.smallest, self.largest)
        width = self._scaled(inside + half) - self._scaled(inside - half)
        return np.log(width / (self.high - self.low))

    @cached_property
    def _log_whole(self) -> Array:
        """Logarithm of the mass within the range, (K,)."""
        return log_mass((self.low - self.mu) / self.sigma, (self.high - self.mu) / self.sigma)

    def _scaled(self, values: Array) -> Array:
        return np.log(values) if self.log else values

    def sample(self, which: Ints, rng: np.random.Generator) -> Array:
        """Return one value from each of the kernels `which`, (n,)."""
        mu = self.mu[which]
        sigma = self.sigma[which]
        z = quantile(rng.random(len(which)), (self.low - mu) / sigma, (self.high - mu) / sigma)
        values = mu + sigma * z
        values = np.exp(values) if self.log else values
        if self.step:
            steps = np.round((values - self.smallest) / self.step)
            values = self.smallest + steps * self.step
        return np.clip(values, self.smallest, self.largest)


@dataclass(frozen=True, eq=False)
class CategoryKernels:
    """Kernels of a categorical hyperparameter: probabilities of its choices.

    Attributes
    ----------
    weights : ndarray of shape (K, number of choices)
        The probability of each choice in each kernel, in the order of the space.

    Examples
    --------
    >>> import numpy as np
    >>> kernels = CategoryKernels(np.array([[0.75, 0.25]]))
    >>> np.exp(kernels.log_densities(np.array([1.0]))).round(9).tolist()
    [[0.25]]
    """

    weights: Array

    def log_densities(self, values: Array) -> Array:
        """Return the logarithm of each kernel's probability of each choice, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights.T)[values.astype(np.int64)]

    def log_uniform(self, values: Array) -> Array:
        """Return the logarithm of a uniform kernel, (n,)."""
        return np.full(len(values), -np.log(self.weights.shape[1]))

    def sample(self, which: Ints, rng: np.random.Generator) -> Array:
        """Return the index of one choice from each of the kernels `which`, (n,)."""
        bounds = np.cumsum(self.weights[which], axis=1)
        index = (bounds < rng.random(len(which))[:, None] * bounds[:, -1:]).sum(axis=1)
        return np.minimum(index, self.weights.shape[1] - 1)


Kernels = NumericKernels | CategoryKernels
"""The kernels of a hyperparameter, one for each trial and one for the prior."""
