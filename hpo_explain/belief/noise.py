"""The noise of one evaluation: one estimate with an interval, for everything that asks for it.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
σ_s         standard deviation of an evaluation's cost under one proposal of the kernel's
            parameters on one scale, among the better half of the trials
weights     of the scales for the whole space, times the importance weights of the proposals
==========  ============================================================================

The estimate is the geometric mean of σ_s, the interval holds 90 % of them, stretched in the
logarithm. Only repeated evaluations settle the noise: without them a rugged objective scatters as a
noisy one does. It is told as "at most" then, and decisions take its lower end, so that none hangs
on the upper one. What only rounding makes (an accuracy in steps of 1/200) is no noise: the variance
of rounding is subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.base import ROUNDING_OF_SUMS
from hpo_explain.belief.scales import Process
from hpo_explain.models.product_kernel import LEAST_NOISE
from hpo_explain.space import Array, Bools

_STRETCH = 1.6  # of the interval, in the logarithm (tests/claims/known.py)
_LEVELS = 0.05, 0.95
# variances whose standard deviation as a cost is computed
_TABLED = np.geomspace(1e-8, 30.0, 24)
_STEPS = 10_000  # that the whole range of rounded objectives has at most
# levels by which a metric is seen to count, and how far off them values are, of a step
_FEWEST_LEVELS, _OFF = (4, 0.2)


@dataclass(frozen=True)
class Noise:
    """Standard deviation of one evaluation, in the objective's units.

    Attributes
    ----------
    estimate : float
        The noise.
    lower, upper : float
        What holds it with 90 %.
    settled : bool
        Whether repeated evaluations settle it; else it is known to be at most `upper`.
    """

    estimate: float
    lower: float
    upper: float
    settled: bool

    @property
    def counted(self) -> float:
        """What decisions count as noise: the lower end where the noise is not settled."""
        return self.estimate if self.settled else self.lower

    @classmethod
    def known(cls, value: float) -> Noise:
        """Return a noise that is known without error."""
        return cls(value, value, value, True)


def noise_among(
    processes: tuple[Process, ...], weights: Array, better: Bools, cost: Array, repeated: bool
) -> Noise:
    """Return the noise of one evaluation as the processes know it, in units of `cost`.

    Parameters
    ----------
    processes : tuple of Process
        The process of each scale.
    weights : ndarray of shape (scales,)
        How much each counts.
    better : ndarray of bool, shape (n,)
        The trials of which it is told.
    cost : ndarray of shape (n,)
        The trials' costs.
    repeated : bool
        Whether it is known from repeated evaluations.
    """
    deviations = [_proposed(process, better) for process in processes]
    logs = np.log(np.concatenate([np.maximum(sd, 1e-300) for sd in deviations]))
    each = [w * p.posterior.weights for w, p in zip(weights, processes, strict=True)]
    shares = np.concatenate(each) / np.sum([one.sum() for one in each])
    in_order = np.argsort(logs, kind="stable")
    middle = float(shares @ logs)
    ends = np.interp(_LEVELS, np.cumsum(shares[in_order]), logs[in_order])
    low, high = middle + _STRETCH * (ends - middle)
    rounding = step_of(cost) / np.sqrt(12.0)
    estimate, lower, upper = (
        float(np.sqrt(max(np.exp(2.0 * log) - rounding**2, 0.0)))
        for log in (middle, min(low, middle), max(high, middle))
    )
    return Noise(estimate, lower, upper, repeated)


def _proposed(process: Process, better: Bools) -> Array:
    """Return the standard deviation of an evaluation under each proposal, as a cost, (m,)."""
    z = process.scale.z[better]
    sd = process.scale.deviations(z, _TABLED, process.limits)
    sd = np.maximum(sd, 1e-300)  # of trials that are all the same
    # what keeps a covariance regular is no noise
    variance = np.maximum(process.posterior.noise - LEAST_NOISE, _TABLED[0])
    logs = np.interp(np.log(variance), np.log(_TABLED), np.log(sd))
    return np.exp(logs)


def step_of(cost: Array) -> float:
    """Return the step of which all costs are multiples apart; 0 where there is none.

    Examples
    --------
    >>> round(step_of(np.array([0.905, 0.91, 0.92, 0.935])), 6), step_of(np.array([0.1, 0.27, 0.9]))
    (0.005, 0.0)
    """
    apart = np.diff(np.unique(cost))
    if len(apart) < 2:
        return 0.0
    step, whole = float(apart.min()), float(apart.sum())
    if whole > _STEPS * step:
        return 0.0
    # the smallest distance may itself be a few steps
    for divisor in (1, 2, 3):
        counts = apart / step * divisor
        rounded = np.abs(counts - np.rint(counts)) <= ROUNDING_OF_SUMS * whole / step + 1e-6
        if rounded.all() and whole <= _STEPS * step / divisor:
            return step / divisor
    return 0.0


def resolution(cost: Array) -> float:
    """Return what a metric that counts can show: what one more of what it counts makes.

    Costs of different configurations that are equal, at several levels, are those of a count. The
    mean of fold accuracies lies near multiples of that step, not on them, as folds differ in size:
    of the better half the values are taken together that are much nearer to each other than the
    others. 0 where the metric does not count.

    Parameters
    ----------
    cost : ndarray of shape (n,)
        The cost of each configuration.

    Examples
    --------
    >>> wrong = np.array([2, 2, 3, 3.1, 4, 4, 5.1, 6, 6.1, 9, 20, 30, 41, 55, 62, 70, 88, 91])
    >>> round(resolution(wrong / 178.0), 4)
    0.0057
    """
    exact = step_of(cost)
    values, counts = np.unique(cost[cost <= np.median(cost)], return_counts=True)
    if (counts > 1).sum() < 2:
        return exact
    unit = float(values[-1] - values[0])
    values = (values - values[0]) / unit
    apart = np.diff(values)
    for step in np.sort(apart[apart > ROUNDING_OF_SUMS])[::-1]:
        places = np.concatenate([[0.0], np.cumsum(np.rint(apart / step))])
        if len(np.unique(places)) < _FEWEST_LEVELS:
            continue
        slope, start = np.polyfit(places, values, 1)
        off = np.abs(values - start - slope * places)
        if (off <= _OFF * slope).all():
            return max(float(slope) * unit, exact)
    return exact
