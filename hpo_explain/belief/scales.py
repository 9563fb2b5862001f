"""The scales on which the objective is believed in, and the way back to its own units.

Costs (the objective, negated where larger is better) are brought to a scale on which a Gaussian
process is believable. Three scales bend them differently: how well each predicts trials that are
held out says how much it is believed (`process`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.models.product_kernel import Pairs, Parameters, Posterior
from hpo_explain.space import Array, Bools

Bounds = tuple[float, float]
_KNOTS = 25  # of the half-rank scale's table
# standardized values at which a way back is tabled
GRID = np.linspace(-12.0, 12.0, 1201)
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
EVALUATION = (_NODES, _WEIGHTS)  # places in a standard normal distribution, and their shares
# of an evaluation that are looked at where its noise is known
_VARIANCES = (1e-4, 4.0)
# standardized values are rounded, so that units change nothing
_STEPS = 2.0**20
_WORST = 0.75  # of the trials are told apart where it is asked what decides the best
_NEAR = 0.1  # standardized values so far to both sides tell how steep the way back is


@dataclass(frozen=True, eq=False)
class Scale:
    """Standardized values of costs, and the costs that standardized values stand for.

    Attributes
    ----------
    additive : bool
        Whether the function on this scale has additive parts beside its product.
    z : ndarray of shape (n,)
        The trials' standardized values, larger is worse.
    knots, costs : ndarray of shape (m,)
        Standardized values, ascending, and their costs; between them it is linear.
    below : float
        Cost per unit below the first knot, where the scale continues as 1 - exp(-x), by no more
        than the limit of costs allows.
    """

    additive: bool
    z: Array
    knots: Array
    costs: Array
    below: float

    def cost(self, z: Array, limits: Bounds) -> Array:
        """Return the costs of standardized values, without noise, within the limits of costs."""
        cost = np.interp(z, self.knots, self.costs)
        reach = self.reach(limits)
        if reach > 0.0:
            low = z < self.knots[0]
            cost[low] += reach * np.expm1(z[low] - self.knots[0])
        return np.clip(cost, *limits)

    def reach(self, limits: Bounds) -> float:
        """Return how far below the first knot's cost the scale continues."""
        return min(self.below, max(float(self.costs[0]) - limits[0], 0.0))

    def slope(self, limits: Bounds) -> Array:
        """Return how fast the cost grows with the standardized value at each trial, (n,)."""
        ends = self.cost(self.z + _NEAR, limits) - self.cost(self.z - _NEAR, limits)
        return ends / (2.0 * _NEAR)

    def back(self, noise: float, limits: Bounds) -> tuple[Array, Array]:
        """Return a table: mean and standard deviation of an evaluation's cost at `GRID`.

        `noise` is the variance of one evaluation on this scale, `limits` are the least and the
        largest cost that there is.
        """
        around = self.cost(GRID + math.sqrt(noise) * _NODES[:, None], limits)
        mean = _WEIGHTS @ around
        return mean, np.sqrt(np.maximum(_WEIGHTS @ (around - mean) ** 2, 0.0))

    def deviations(self, z: Array, variances: Array, limits: Bounds) -> Array:
        """Return an evaluation's standard deviation as a cost, by its variance on this scale.

        It is that at standardized values `z` on average.
        """
        sd = [from_table(z, self.back(v, limits)[1]) for v in variances]
        return np.sqrt(np.mean(np.square(sd), axis=1))

    def variance(self, z: Array, noise: float, limits: Bounds) -> float:
        """Return the variance of an evaluation on this scale, by its standard deviation as a cost.

        It is that at standardized values `z` on average.
        """
        tried = np.geomspace(*_VARIANCES, 60)
        return float(np.interp(noise, self.deviations(z, tried, limits), tried))


def from_table(z: Array, table: Array) -> Array:
    """Return a table's values at standardized values of any shape, to single precision."""
    at = np.clip((z - GRID[0]) / (GRID[1] - GRID[0]), 0.0, len(GRID) - 1.001)
    left = at.astype(np.int32)
    values = table.astype(np.float32)
    part = (at - left).astype(np.float32)
    return np.asarray(values[left] * (1 - part) + values[left + 1] * part, float)


def _standardized(t: Array) -> tuple[Array, float, float]:
    mean, spread = float(t.mean()), float(t.std()) or 1.0
    return np.round((t - mean) / spread * _STEPS) / _STEPS, mean, spread


def half_rank(cost: Array) -> Scale:
    """Return the scale half-way between the costs' normal scores and themselves.

    The mean of Φ⁻¹(midrank / n) and of the standardized cost, of which what lies more than three
    interquartile ranges above the third quartile is cut.
    """
    from scipy.special import ndtri

    n, in_order = len(cost), np.sort(cost)
    ranks = np.searchsorted(in_order, cost, "left") + np.searchsorted(in_order, cost, "right")
    lower, upper = np.quantile(cost, [0.25, 0.75])
    whole = in_order[-1] - in_order[0]
    cut = np.minimum(cost, upper + 3.0 * max(upper - lower, 1e-3 * whole))
    t = 0.5 * ndtri(ranks / (2.0 * n)) + 0.5 * (cut - cost.mean()) / (cost.std() or 1.0)
    at = np.argsort(cost, kind="stable")
    costs, scores = cost[at], t[at]
    new = np.concatenate([[True], np.diff(costs) > 1e-9 * max(whole, 1e-300)])
    costs, scores = costs[new], scores[new]
    some = np.unique(np.linspace(0, len(costs) - 1, min(len(costs), _KNOTS)).round().astype(int))
    costs, scores = costs[some], scores[some]
    fifth = max(1, min(len(costs) - 1, len(costs) // 5))
    below = 0.0
    if len(costs) > 1:
        below = (costs[fifth] - costs[0]) / max(scores[fifth] - scores[0], 1e-9)
    z, mean, spread = _standardized(np.interp(cost, costs, scores))
    return Scale(True, z, (scores - mean) / spread, costs, below)


def logarithm(cost: Array) -> Scale:
    """Return the logarithm of the distance from half a spread below the best cost.

    The spread is the median minus the best; nothing lies beyond the worst cost by more than the
    whole range.
    """
    best, median, worst = (float(cost.min()), float(np.median(cost)), float(cost.max()))
    spread = median - best
    if best - 0.5 * spread >= best:  # nothing, or less than a rounding
        spread = (worst - best) or 1.0
    zero = best - 0.5 * spread
    z, mean, sd = _standardized(np.log(cost - zero))
    knots = np.linspace(-12.0, 12.0, 961)
    at = np.minimum(knots * sd + mean, math.log(2.0 * worst - best - zero))
    return Scale(False, z, knots, np.exp(at) + zero, 0.0)


def identity(cost: Array) -> Scale:
    """Return the standardized cost itself: on any other scale a smooth function is bent."""
    z, mean, spread = _standardized(cost)
    knots = np.array([-40.0, 40.0])
    return Scale(True, z, knots, mean + knots * spread, 0.0)


def clipped(cost: Array) -> Scale:
    """Return the cost itself up to the third quartile of the trials.

    Beyond it all is equally bad: a cliff does not decide how what is before it varies.
    """
    most = float(np.quantile(cost, _WORST))
    z, mean, spread = _standardized(np.minimum(cost, most))
    knots = np.array([-40.0, (most - mean) / spread])
    return Scale(True, z, knots, mean + knots * spread, 0.0)


SCALES: tuple[Callable[[Array], Scale], ...] = (half_rank, logarithm, identity)


SETTINGS = 8  # of the kernel's parameters with which trials are held out
_QUANTILES = 31  # of a prediction, that stand for it
_ROUNDS = 200  # in which weights of a mixture settle
_SKILL = 3.0  # power of the score: how much a scale counts that predicts better
_DOUBT = 3.0  # log odds that trials are noise alone, where they are predicted no better than that
_STRAY = 0.1  # of the trials may be missed by far, as where noise grows with the cost
_MOST_DOUBT = 0.5  # as too few trials do not show that there is nothing


@dataclass(frozen=True, eq=False)
class Process:
    """A Gaussian process on one scale, with the posterior of its kernel's parameters.

    Attributes
    ----------
    scale : Scale
        The scale.
    pairs : Pairs
        The pairs of trials.
    posterior : Posterior
        The kernel's parameters.
    limits : tuple of (float, float)
        The least and the largest cost that there may be.
    """

    scale: Scale
    pairs: Pairs
    posterior: Posterior
    limits: Bounds

    @cached_property
    def kernels(self) -> list[Parameters]:
        """A few settings of the kernel's parameters."""
        return self.posterior.drawn(SETTINGS)

    @cached_property
    def held_out(self) -> tuple[Array, Array]:
        """Mean and variance of each held-out trial's value on the scale, (settings, n) each."""
        mean, variance = np.empty((2, len(self.kernels), len(self.scale.z)))
        for i, kernel in enumerate(self.kernels):
            inverse = self.pairs.inverse(kernel)
            variance[i] = 1.0 / np.diag(inverse)
            mean[i] = self.scale.z - (inverse @ self.scale.z) * variance[i]
        return mean, variance

    def score(self, cost: Array) -> float:
        """Return the mean CRPS of held-out trials, whose costs are given."""
        from scipy.special import ndtri

        mean, variance = self.held_out
        level = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        around = ndtri(level)[:, None, None] * np.sqrt(variance)
        missed = cost - self.scale.cost(mean + around, self.limits)
        # the CRPS is twice the mean pinball loss over all levels
        loss = np.where(missed > 0.0, level[:, None, None], level[:, None, None] - 1.0) * missed
        return float(2.0 * loss.mean())

    @cached_property
    def density(self) -> Array:
        """Predictive density of each held-out trial's cost, averaged over the settings, (n,)."""
        mean, variance = self.held_out
        apart = (self.scale.z - mean) ** 2 / variance
        on_scale = np.exp(-0.5 * apart) / np.sqrt(2.0 * np.pi * variance)
        return self._of_costs(on_scale.mean(axis=0))

    @cached_property
    def density_of_noise(self) -> Array:
        """The same where nothing matters: by mean and variance of the other trials alone, (n,)."""
        z, n = self.scale.z, len(self.scale.z)
        mean = (z.sum() - z) / (n - 1)
        variance = ((z**2).sum() - z**2) / (n - 1) - mean**2
        variance = np.maximum(variance, 1e-12) * n / max(n - 2, 1)
        on_scale = np.exp(-0.5 * (z - mean) ** 2 / variance) / np.sqrt(2.0 * np.pi * variance)
        return self._of_costs(on_scale)

    def _of_costs(self, density: Array) -> Array:
        """Return the density of costs of that of values on the scale."""
        steep = self.scale.slope(self.limits)
        return density / np.maximum(steep, 1e-12 * steep.max(initial=1.0))


def weights_by_skill(processes: tuple[Process, ...], cost: Array) -> Array:
    """Return how much each scale counts for questions about the whole space: CRPS⁻³."""
    scores = np.array([process.score(cost) for process in processes])
    if scores.min() <= 0.0:  # all trials are the same
        return np.full(len(scores), 1.0 / len(scores))
    skill = (scores.min() / scores) ** _SKILL
    return skill / skill.sum()


def weights_by_stacking(processes: tuple[Process, ...], among: Bools) -> Array:
    """Return the mixture of the scales that predicts some held-out trials best.

    That of largest log density, with one trial more for each scale.
    """
    density = np.array([process.density[among] for process in processes])
    density = density / np.maximum(density.max(axis=0), 1e-300)
    weights = np.full(len(processes), 1.0 / len(processes))
    for _ in range(_ROUNDS):
        weighted = weights[:, None] * density
        belongs = weighted / np.maximum(weighted.sum(axis=0), 1e-300)
        weights = (belongs.sum(axis=1) + 1.0) / (belongs.shape[1] + len(processes))
    return weights


def doubt(processes: tuple[Process, ...], weights: Array) -> float:
    """Return how probable it is that the trials are noise alone: that nothing matters.

    By how much better held-out trials are predicted than by the mean of the others. A kernel that
    was fitted to noise predicts that a little, too: of 50 runs of noise all but one by less than 5
    on the logarithmic scale, of 35 runs on functions with noise of half their spread each by more.
    At most one half.
    """
    if not np.ptp(processes[0].scale.z):  # all trials are the same
        return 0.0
    density = weights @ np.array([process.density for process in processes])
    noise = weights @ np.array([process.density_of_noise for process in processes])
    better = density / np.maximum(noise, 1e-300)
    gain = float(np.log(_STRAY + (1.0 - _STRAY) * better).sum())
    return min(1.0 / (1.0 + math.exp(min(gain - _DOUBT, 500.0))), _MOST_DOUBT)
