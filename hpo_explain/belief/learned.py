"""What is learned from trials: Gaussian processes on three scales of their cost, and the noise."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hpo_explain.base import Direction, one_blas_thread, sign_of, steps
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.feasibility import MOST, TEMPER, Feasibility
from hpo_explain.belief.noise import Noise, noise_among
from hpo_explain.belief.scales import SCALES, Bounds, Process, Scale, weights_by_skill
from hpo_explain.models.product_kernel import Pairs, Prior, posterior
from hpo_explain.space import Array, Bools, Ints, SearchSpace

SEARCHED = 200  # trials that kernels are searched with
# So far beyond the best trial draws may lie, of the median minus the best.
REACH = 0.2
# hyperparameters beyond which functions are mainly sums, whichever the scale: a product of so many
# factors tells nothing of rows that were not tried
_MANY = 40
_STEPS = 2.0**40  # of the spread of costs


class LearnedDraws(Draws):
    """Draws of the processes that are learned from trials; a belief says how they are drawn.

    Parameters
    ----------
    space, X, objective, direction, noise_std, bounds, feasibility, seed
        As in :class:`Belief`.
    """

    def __init__(
        self,
        space: SearchSpace,
        X: Array,
        objective: Array,
        direction: Direction,
        *,
        noise_std: float | None = None,
        bounds: Bounds | None = None,
        feasibility: Feasibility | None = None,
        seed: int = 0,
    ) -> None:
        sign = sign_of(direction)
        cost = sign * np.asarray(objective, float)
        in_order = np.lexsort((cost, *space.in_own_order(X).T))
        X, cost = X[in_order], cost[in_order]
        learned = thinned(cost, MOST, seed)
        super().__init__(space, X[learned], direction, seed, feasibility)
        self.cost, self.bounds, self.known_noise = (cost[learned], bounds, noise_std)
        self.origin = float(np.median(self.cost))
        self.unit = float(np.ptp(self.cost)) or 1.0
        self.scaled = self._scaled(self.cost)
        self.of_trials = len(cost)

    def limits(self, reach: float) -> Bounds:
        """Return the least and the largest scaled cost that a draw may have."""
        best, worst = float(self.scaled.min()), float(self.scaled.max())
        spread = float(np.median(self.scaled)) - best
        least = best - reach * (spread if spread > 0.0 else worst - best)
        most = worst + (worst - best)
        if self.bounds is not None:
            low, high = sorted(self._scaled(self.sign * np.asarray(self.bounds)).tolist())
            least, most = max(least, low), min(most, high)
        return min(least, best), max(most, worst)

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """The process of each scale."""
        with one_blas_thread():
            return tuple(self.process(scale(self.scaled)) for scale in steps(SCALES, "scales"))

    def process(self, scale: Scale) -> Process:
        """Return the process that the trials lead to on a scale."""
        categories = self.space.categories_in_own_order
        columns = self.space.in_own_order(self.X)
        limits = self.limits(REACH)
        noise = None
        if self.known_noise is not None:
            good = scale.z[self._better]
            deviation = float(np.float32(self.known_noise / self.unit))
            noise = scale.variance(good, deviation, limits)
        additive = scale.additive or len(categories) > _MANY
        prior = Prior(categories, additive, noise)
        pairs = Pairs(columns, scale.z, prior, TEMPER)
        some = thinned(self.cost, SEARCHED, self.seed)
        temper = min(TEMPER * len(columns) / len(some), 1.0)
        searched = Pairs(columns[some], scale.z[some], prior, temper)
        return Process(scale, pairs, posterior(searched, seed=self.seed), limits)

    @cached_property
    def weights(self) -> Array:
        """How much each process counts for questions about the whole space, (scales,)."""
        with one_blas_thread():
            return weights_by_skill(self.processes, self.scaled)

    def _scaled(self, cost: Array) -> Array:
        """Return costs in units of their spread, rounded, so that their unit changes no digit."""
        scaled = (cost - self.origin) / self.unit
        return np.rint(scaled * _STEPS) / _STEPS

    def in_units(self, scaled: Array) -> Array:
        """Return scaled costs in the user's units, inside the bounds."""
        objective = scaled * self.unit + self.origin
        if self.bounds is not None:  # to the last digit
            np.clip(objective, *sorted(self.sign * end for end in self.bounds), out=objective)
        return objective

    @property
    def _better(self) -> Bools:
        """Which trials are the better half."""
        return self.scaled <= np.median(self.scaled)

    @cached_property
    def noise(self) -> Noise:
        """The noise of one evaluation among the better half of the trials."""
        noise = noise_among(
            self.processes,
            self.weights,
            self._better,
            self.scaled,
            repeated=self.known_noise is not None,
        )
        return Noise(
            noise.estimate * self.unit,
            noise.lower * self.unit,
            noise.upper * self.unit,
            noise.settled,
        )

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation among the better half of the trials."""
        return self.noise.estimate

    @property
    def roughness(self) -> float:
        """Standard deviation of what draws leave out: none where repeats tell the noise."""
        return 0.0 if self.noise.settled else self.noise.estimate


def thinned(cost: Array, most: int, seed: int) -> Ints:
    """Return which trials it learns from: the best fifth, and of the others some at random."""
    n = len(cost)
    if n <= most:
        return np.arange(n)
    in_order = np.argsort(cost, kind="stable")
    best, others = in_order[: most // 5], in_order[most // 5 :]
    # every part of the other costs is there
    rng = np.random.default_rng(seed)
    places = (np.arange(most - len(best)) + rng.random(most - len(best))) / (most - len(best))
    return np.sort(np.concatenate([best, others[(places * len(others)).astype(int)]]))
