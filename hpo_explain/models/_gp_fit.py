"""The fit of a Gaussian process: its kernel, its conditioning, and folds that are held out.

A Gaussian process conditioned on trials, its kernel's parameters given.

It is our own: to import scikit-learn takes longer than most fits. Its ``fit`` makes and factorizes
the covariance twice, and checks and copies what is known: of a hundred trials that takes twice as
long as the rest. The predictions are the same to the last bit.

Trials of a Gaussian process held out, with the kernel's parameters fitted without them.

Leave-one-out in closed form keeps the parameters, which have seen every trial: of pure noise it
then explains some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, cholesky

from hpo_explain.base import one_blas_thread, steps, unit_of
from hpo_explain.models._scaled_matern import ScaledMatern
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor


@dataclass(frozen=True, eq=False)
class FittedProcess:
    """A process conditioned on trials; what a regressor of scikit-learn has, has its name there.

    Attributes
    ----------
    kernel_ : ScaledMatern
        The covariance of the standardized objective, without noise.
    alpha : float
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

    kernel_: ScaledMatern
    alpha: float
    X_train_: Array
    y_train_: Array
    offset: float
    scale: float
    L_: Array
    alpha_: Array

    @classmethod
    def conditioned(
        cls, kernel: ScaledMatern, noise: float, Z: Array, y: Array, *, offset: float, scale: float
    ) -> FittedProcess:
        """Return a process conditioned on columns (n, p) and standardized objectives (n,)."""
        K = kernel(Z)
        K[np.diag_indices_from(K)] += noise
        L = cholesky(K, lower=True, check_finite=False)
        alpha = cho_solve((L, True), y, check_finite=False)
        return cls(kernel, noise, np.array(Z), np.array(y), offset, scale, L, alpha)


Refit = Callable[[Ints], "GaussianProcessRegressor | FittedProcess"]
"""From the trials that are seen to a process fitted to them, parameters included."""
STEPS = 15  # of the search for parameters that starts at those of all trials
_MANY = 100  # configurations from which on fewer folds will do
_NOISE = 1e-2  # where the search for the white noise starts if none is left in the kernel


def folds_of(which: npt.NDArray[np.intp]) -> Ints:
    """Return a fold for each trial: ten, or five of many configurations, in a random order.

    `which` says for each trial which configuration it has; those of one are in one fold.
    """
    count = int(which.max()) + 1
    order = np.random.default_rng(0).permutation(count)
    return order[which] % min(count, 10 if count < _MANY else 5)


def refit_of(gp: GaussianProcessRegressor) -> Refit | None:
    """Return how a scikit-learn process is fitted again; None if its parameters were given."""
    if gp.optimizer is None:
        return None
    from sklearn.base import clone

    start = clone(gp.kernel_)
    with np.errstate(divide="ignore"):
        # the logarithm of 0 where skopt took the white noise out
        theta = start.theta
    theta = np.where(np.isfinite(theta), theta, np.log(_NOISE))
    start = start.clone_with_theta(np.clip(theta, *start.bounds.T))
    scale = np.ravel(gp._y_train_std)[0]
    offset = np.ravel(gp._y_train_mean)[0]
    y = offset + scale * np.ravel(gp.y_train_)

    return partial(_refitted, clone(gp), start, gp.X_train_, y)


def _refitted(
    gp: GaussianProcessRegressor, start: Any, Z: Array, y: Array, seen: Ints
) -> GaussianProcessRegressor:
    from sklearn.base import clone

    alpha = gp.alpha if np.ndim(gp.alpha) == 0 else np.asarray(gp.alpha)[seen]
    again = clone(gp).set_params(
        kernel=start, alpha=alpha, optimizer=_few_steps, n_restarts_optimizer=0
    )
    return again.fit(Z[seen], y[seen])


def _few_steps(loss: Callable[..., Any], theta: Array, bounds: Array) -> tuple[Array, float]:
    from scipy.optimize import Bounds, minimize

    result = minimize(
        loss,
        theta,
        method="L-BFGS-B",
        jac=True,
        bounds=Bounds(*bounds.T),
        options={"maxiter": STEPS},
    )
    # scikit-learn warns of each fit that ends at one of them
    low, high = bounds.T
    return np.clip(result.x, low + _inside(low), high - _inside(high)), float(result.fun)


def _inside(bound: Array) -> Array:
    """Return a little more than the tolerance of ``np.isclose``."""
    return 3e-5 * np.abs(bound) + 3e-8


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
    """The trials of a run; called with some of them, it fits a Gaussian process to these.

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
    theta : ndarray or None
        Parameters near which those of a part of the trials are searched for, in few steps; None
        for a full search from scratch.
    least_noise : float
        Standard deviation that the noise is known to have at least, in the objective's units.
    """

    amid: Array
    Z: Array
    y: Array
    theta: Array | None = None
    least_noise: float = 0.0

    def __call__(self, seen: Ints, *, seed: int = 0) -> FittedProcess:
        """Return a process fitted to some trials; noise is its ``alpha``.

        Parameters
        ----------
        seen : ndarray of int
            The trials.
        seed : int, default 0
            Seed of the restarts, and of the trials the parameters are fitted on if there are more
            than 300.
        """
        values, offset, scale = standardized(self.y[seen])
        # many small factorizations: several threads would mostly wait for each other
        with one_blas_thread():
            theta = min(self._maxima(seen, seed), key=lambda one: one[1])[0]
            signal, *scales, noise = np.exp(theta).tolist()
            kernel = ScaledMatern(signal, np.array(scales), self.amid)
            return FittedProcess.conditioned(
                kernel, noise, self.Z[seen], values, offset=offset, scale=scale
            )

    def _maxima(self, seen: Ints, seed: int) -> Sequence[Maximum]:
        """Return the maxima of the likelihood that are found."""
        if self.theta is not None:
            return self.climbed(seen, [self.theta], seed, others=1, most=STEPS)
        first = seen[: _earlier(len(seen))]
        if np.ptp(self.y[first]) == 0.0:
            first = seen
        contents = (self.amid.tobytes(), self.Z[first].tobytes(), self.y[first].tobytes())
        maxima = _from_scratch(*contents, self.least_noise, seed)
        if len(first) == len(seen):
            return maxima
        best, *others = [theta for theta, _ in sorted(maxima, key=lambda one: one[1])]
        apart = [theta for theta in others if np.abs(theta - best).max() > _APART]
        return self.climbed(seen, [best, *apart], seed)

    def climbed(
        self,
        seen: Ints,
        starts: Sequence[Array],
        seed: int,
        *,
        others: int = 0,
        most: int | None = None,
    ) -> tuple[Maximum, ...]:
        """Return where searches lead to from some parameters, and from others: usual, random."""
        from hpo_explain.models._likelihood import MarginalLikelihood

        known_noise = (self.least_noise / standardized(self.y[seen])[2]) ** 2
        least = min(max(known_noise, LEAST_NOISE), 1.0)
        p = len(self.amid)
        bounds = np.log([SIGNAL, *[SCALE] * p, (least, 1.0)])
        usual = np.log([1.0, *[0.5] * p, max(1e-2, least)])
        rng = np.random.default_rng(seed)
        chosen = seen[np.sort(rng.permutation(len(seen))[:KERNEL_TRIALS])]
        likelihood = MarginalLikelihood(
            self.amid, self.Z[chosen], searched(self.y[chosen]), jitter=JITTER
        )
        more = [usual, np.asarray(rng.uniform(*bounds.T))]
        every = [*starts, *more[:others]]
        return tuple(
            likelihood.maximize(np.clip(start, *bounds.T), bounds, steps=most)
            for start in steps(every, "searches")
        )

    def warm(self, gp: FittedProcess) -> KernelFit:
        """Return the fit to parts of the trials that starts at the parameters of one to all."""
        return replace(self, theta=np.append(gp.kernel_.theta, np.log(gp.alpha)))


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
    objective = np.frombuffer(y)
    columns = np.frombuffer(Z).reshape(-1, len(of_columns))
    fit = KernelFit(of_columns, columns, objective, least_noise=least_noise)
    return fit.climbed(np.arange(len(objective)), (), seed, others=2)
