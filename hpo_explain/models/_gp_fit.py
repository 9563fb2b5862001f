"""The fit of a Gaussian process: its kernel and its conditioning.

A Gaussian process conditioned on trials, its kernel's parameters given.

It is our own: to import scikit-learn takes longer than most fits. Its ``fit`` makes and factorizes
the covariance twice, and checks and copies what is known: of a hundred trials that takes twice as
long as the rest. The predictions are the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky

from hpo_explain.base import one_blas_thread, steps, unit_of
from hpo_explain.models._scaled_matern import ScaledMatern
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class FittedProcess:
    """A process conditioned on trials; what a regressor of scikit-learn has, has its name there.

    Attributes
    ----------
    kernel_ : ScaledMatern or another kernel
        The covariance of the standardized objective, without noise.
    alpha : float or ndarray of shape (n,)
        Variance of the noise of the standardized objective.
    X_train_ : ndarray of shape (n, p)
        Columns of the trials.
    y_train_ : ndarray of shape (n,)
        Their objective, standardized.
    offset, scale : float
        What was subtracted from the objective, and what it was divided by.
    L_, alpha_ : ndarray of shape (n, n), (n,)
        The Cholesky factor of the covariance of the trials, and ``K⁻¹ y``.

    References
    ----------
    .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
       Algorithm 2.1.
    """

    kernel_: Any
    alpha: float | Array
    X_train_: Array
    y_train_: Array
    offset: float
    scale: float
    L_: Array
    alpha_: Array

    @classmethod
    def conditioned(
        cls,
        kernel: Any,
        noise: float | Array,
        Z: Array,
        y: Array,
        *,
        offset: float,
        scale: float,
    ) -> FittedProcess:
        """Return a process conditioned on columns (n, p) and standardized objectives (n,)."""
        K = kernel(Z)
        K[np.diag_indices_from(K)] += noise
        L = cholesky(K, lower=True, check_finite=False)
        alpha = cho_solve((L, True), y, check_finite=False)
        return cls(kernel, noise, np.array(Z), np.array(y), offset, scale, L, alpha)


Maximum = tuple[Array, float]
"""Parameters, and the negative log likelihood there."""

# most trials that kernel parameters are fitted on: O(n³) per step
KERNEL_TRIALS = 300
# bounds of the signal's variance and of length-scales
SIGNAL = (1e-2, 1e3)
SCALE = (0.05, 2.0)
JITTER = 1e-10  # on the diagonal, beside the noise
LEAST_NOISE = 1e-6  # variance of the noise, of the objective's
# what the search rounds objectives to: a thousandth of the least noise
_STEP = 2.0**-20
# trials that are searched from scratch, and times as many
_FIRST = 10
_AGAIN = 1.25
_APART = 0.3  # of the logarithms: maxima that differ by less count as one
_KEPT = 64  # searches from scratch that are kept


@dataclass(frozen=True, eq=False)
class KernelFit:
    """The trials that a Gaussian process is fitted to.

    The length-scales lie within [0.05, 2] of a column's range, the objective is standardized, and
    the kernel's parameters are found by maximum marginal likelihood. Two searches from scratch find
    the maxima of the first 10, 13, 16, 20, ... trials, of which there must be as many; from there
    it is few steps to those of all trials. So fits to more and more trials share the searches from
    scratch, and each is still a function of its trials alone.

    Attributes
    ----------
    amid : ndarray of shape (p,)
        What tells columns of categories from numbers, as of `squared_distances`.
    Z : ndarray of shape (n, p)
        Columns of the trials.
    y : ndarray of shape (n,)
        Their objective, in the user's units.
    least_noise : float
        Standard deviation that the noise is known to have at least, in the objective's units.
    seed : int
        Seed of the restarts, and of the trials the parameters are fitted on if there are more than
        300.
    """

    amid: Array
    Z: Array
    y: Array
    least_noise: float
    seed: int

    def process(self) -> FittedProcess:
        """Return the process; noise is its ``alpha``."""
        values, offset, scale = standardized(self.y)
        # many small factorizations: several threads would mostly wait for each other
        with one_blas_thread():
            theta = min(self._maxima(), key=lambda one: one[1])[0]
            signal, *scales, noise = np.exp(theta).tolist()
            kernel = ScaledMatern(signal, np.array(scales), self.amid)
            return FittedProcess.conditioned(
                kernel, noise, self.Z, values, offset=offset, scale=scale
            )

    def _maxima(self) -> Sequence[Maximum]:
        """Return the maxima of the likelihood that are found."""
        n = len(self.y)
        first = _earlier(n)
        if np.ptp(self.y[:first]) == 0.0:
            first = n
        contents = (self.amid.tobytes(), self.Z[:first].tobytes(), self.y[:first].tobytes())
        maxima = _from_scratch(*contents, self.least_noise, self.seed)
        if first == n:
            return maxima
        best, *others = [theta for theta, _ in sorted(maxima, key=lambda one: one[1])]
        return self.climbed(
            [best, *(theta for theta in others if np.abs(theta - best).max() > _APART)]
        )

    def climbed(self, starts: Sequence[Array] = ()) -> tuple[Maximum, ...]:
        """Return where searches lead to from some parameters, by default from usual and random."""
        from hpo_explain.models._likelihood import MarginalLikelihood

        known_noise = (self.least_noise / standardized(self.y)[2]) ** 2
        least = min(max(known_noise, LEAST_NOISE), 1.0)
        p = len(self.amid)
        bounds = np.log([SIGNAL, *[SCALE] * p, (least, 1.0)])
        usual = np.log([1.0, *[0.5] * p, max(1e-2, least)])
        rng = np.random.default_rng(self.seed)
        chosen = np.sort(rng.permutation(len(self.y))[:KERNEL_TRIALS])
        likelihood = MarginalLikelihood(
            self.amid, self.Z[chosen], searched(self.y[chosen]), jitter=JITTER
        )
        every = starts or [usual, np.asarray(rng.uniform(*bounds.T))]
        return tuple(
            likelihood.maximize(np.clip(start, *bounds.T), bounds)
            for start in steps(every, "searches")
        )


def standardized(y: Array) -> tuple[Array, float, float]:
    """Return the objective as the process sees it, and what was subtracted and divided by."""
    # the square of what is tiny is 0, and of what is huge infinite
    unit = unit_of(y)
    scaled = y / unit
    mean = float(scaled.mean())
    std = float(scaled.std()) or 1.0
    divided = std * unit or unit  # of denormal numbers the product may be 0
    return np.asarray((scaled - mean) / std), mean * unit, divided


def searched(y: Array) -> Array:
    """Return the standardized objective by which kernel parameters are searched: rounded.

    Multiplied, moved or negated objectives become the same numbers, to the last digit: otherwise
    the search, which stops where the likelihood hardly rises, would stop elsewhere for each of
    them. An objective whose last digits are lost beside what was added to it may differ by a step.

    Examples
    --------
    >>> y = np.array([0.1, 0.7, 0.4, 0.3])
    >>> bool((searched(1e3 - 1e-3 * y) == -searched(y)).all())
    True
    """
    return np.rint(standardized(y)[0] / _STEP) * _STEP


def _earlier(n: int) -> int:
    """Return how many of n trials are searched from scratch: all of less than ten.

    Examples
    --------
    >>> [_earlier(n) for n in (2, 9, 10, 12, 13, 100)]
    [2, 9, 10, 10, 13, 94]
    """
    if n < _FIRST:
        return n
    # rounding: one more, and back
    k = math.floor(math.log(n / _FIRST, _AGAIN)) + 1
    while math.ceil(_FIRST * _AGAIN**k) > n:
        k -= 1
    return math.ceil(_FIRST * _AGAIN**k)


@lru_cache(_KEPT)
def _from_scratch(
    amid: bytes, Z: bytes, y: bytes, least_noise: float, seed: int
) -> tuple[Maximum, ...]:
    """Return the maxima that two searches find."""
    of_columns = np.frombuffer(amid)
    columns = np.frombuffer(Z).reshape(-1, len(of_columns))
    return KernelFit(of_columns, columns, np.frombuffer(y), least_noise, seed).climbed()
