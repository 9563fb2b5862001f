"""The belief: functions that the trials allow the objective to be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hpo_explain.base import (
    Direction,
    one_blas_thread,
    sign_of,
    steps,
)
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.belief.mixture import Mixture
from hpo_explain.belief.noise import Noise, noise_among
from hpo_explain.belief.process import (
    Process,
    weights_by_skill,
    weights_by_stacking,
)
from hpo_explain.belief.scales import SCALES, Bounds
from hpo_explain.belief.trust import Trust, trust_in
from hpo_explain.models.product_kernel import Pairs, Prior, posterior
from hpo_explain.space import Array, Bools, Ints, SearchSpace

# trials that it learns from, and that kernels are searched with
MOST, SEARCHED = (500, 200)
TEMPER = 0.5
# So far beyond the best trial draws may lie, of the median minus the best. Those of which the
# best is asked lie further, as under TPE the true one often lies below the first.
REACH, REACH_AT_BEST = 0.2, 0.5
_STEPS = 2.0**40  # of the spread of costs
# of the trials weigh the scales for the best, and how many at least
_BEST = (0.2, 5)


class Belief(Draws):
    """What the trials allow the objective to be: draws of functions from one posterior.

    Three Gaussian processes, on the half-rank, the logarithmic and the identity scale of the cost,
    each with several settings of its kernel drawn from their tempered posterior, count by how well
    they predict trials that are held out. A claim about the objective is a functional of it; its
    interval is that over the draws. Questions about the best are asked of `at_best`.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The trials' encoded rows, n at least 2.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    direction : {"minimize", "maximize"}
        Which way is better.
    noise_std : float, optional
        Standard deviation of one evaluation where it is known.
    bounds : tuple of (float, float), optional
        The objective's natural range: no draw leaves it.
    feasibility : Feasibility, optional
        How probable it is that a configuration gives a result that counts.
    seed : int, default 0
        Seed of everything random.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0.0, 1.0, 21)[:, None]
    >>> belief = Belief(space, X, (X[:, 0] - 0.3) ** 2, "minimize")
    >>> belief.draws(np.array([[0.3], [0.9]])).shape
    (192, 2)
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
        self.cost, self.bounds, self.known_noise = (
            cost[learned],
            bounds,
            noise_std,
        )
        self.origin = float(np.median(self.cost))
        self.unit = float(np.ptp(self.cost)) or 1.0
        self.scaled = self._scaled(self.cost)
        self.of_trials = len(cost)

    @property
    def label(self) -> str:
        """What it is called."""
        return "the belief"

    def limits(self, reach: float) -> Bounds:
        """Return the least and the largest scaled cost that a draw may have."""
        best, worst = float(self.scaled.min()), float(self.scaled.max())
        spread = float(np.median(self.scaled)) - best
        least = best - reach * (spread if spread > 0.0 else worst - best)
        most = worst + (worst - best)
        if self.bounds is not None:
            low, high = sorted(
                self._scaled(self.sign * np.asarray(self.bounds)).tolist()
            )
            least, most = max(least, low), min(most, high)
        return min(least, best), max(most, worst)

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """The process of each scale."""
        with one_blas_thread():
            return tuple(
                map(self._process, steps(range(len(SCALES)), "scales"))
            )

    def _process(self, which: int) -> Process:
        numbers = self.space.categories_in_own_order == 0
        columns = self.space.in_own_order(self.X)
        scale, limits = SCALES[which](self.scaled), self.limits(REACH)
        noise = None
        if self.known_noise is not None:
            good = scale.z[self._better]
            deviation = float(np.float32(self.known_noise / self.unit))
            noise = scale.variance(good, deviation, limits)
        prior = Prior(numbers, scale.additive, noise)
        pairs = Pairs(columns, scale.z, prior, TEMPER)
        some = thinned(self.cost, SEARCHED, self.seed)
        temper = min(TEMPER * len(columns) / len(some), 1.0)
        searched = Pairs(columns[some], scale.z[some], prior, temper)
        return Process(
            scale, pairs, posterior(searched, seed=self.seed), limits
        )

    @cached_property
    def whole(self) -> Mixture:
        """Draws of the processes for questions about the whole space: the belief's own."""
        with one_blas_thread():
            return Mixture(
                self, weights_by_skill(self.processes, self.scaled), REACH
            )

    @property
    def parts(self) -> tuple[slice, ...]:
        """The draws of each process that has any."""
        return self.whole.parts

    @cached_property
    def at_best(self) -> Mixture:
        """Draws of the same processes for questions about the best."""
        share, least = _BEST
        count = max(
            int(share * len(self.scaled)), min(least, len(self.scaled))
        )
        among = np.zeros(len(self.scaled), bool)
        among[np.argsort(self.scaled, kind="stable")[:count]] = True
        with one_blas_thread():
            weights = weights_by_stacking(self.processes, among)
        return Mixture(self, weights, REACH_AT_BEST)

    @cached_property
    def trust(self) -> Trust:
        """How well the objective is known."""
        best = self.processes[int(np.argmax(self.whole.weights))]
        values = self.landscape.values
        return trust_in(values, self.noise_std, best, self.of_trials)

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        return self.whole.costs(X)

    def costs_at(
        self, X: Array, members: Sequence[int], values: Array
    ) -> Array:
        """Return the cost of each draw at encoded rows with some columns at values, (G, k, n)."""
        return self.whole.costs_at(X, members, values)

    def own_costs(self, rows: Array) -> Array:
        """Return the cost of each draw at rows of its own (k, m, d), (k, m)."""
        return self.whole.own_costs(rows)

    def noise_at(self, X: Array) -> Array:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        return self.whole.noise_at(X)

    def _scaled(self, cost: Array) -> Array:
        """Return costs in units of their spread, rounded, so that their unit changes no digit."""
        scaled = (cost - self.origin) / self.unit
        return np.asarray(np.rint(scaled * _STEPS) / _STEPS)

    def in_units(self, scaled: Array) -> Array:
        """Return scaled costs in the user's units, inside the bounds."""
        objective = scaled * self.unit + self.origin
        if self.bounds is not None:  # to the last digit
            np.clip(
                objective,
                *sorted(self.sign * end for end in self.bounds),
                out=objective,
            )
        return objective

    @property
    def _better(self) -> Bools:
        """Which trials are the better half."""
        return np.asarray(self.scaled <= np.median(self.scaled))

    @cached_property
    def noise(self) -> Noise:
        """The noise of one evaluation among the better half of the trials."""
        repeated, weights = self.known_noise is not None, self.whole.weights
        noise = noise_among(
            self.processes,
            weights,
            self._better,
            self.scaled,
            repeated=repeated,
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


def thinned(cost: Array, most: int, seed: int) -> Ints:
    """Return which trials it learns from: the best fifth, and of the others some at random."""
    n = len(cost)
    if n <= most:
        return np.arange(n)
    in_order = np.argsort(cost, kind="stable")
    best, others = in_order[: most // 5], in_order[most // 5 :]
    # every part of the other costs is there
    rng = np.random.default_rng(seed)
    places = (np.arange(most - len(best)) + rng.random(most - len(best))) / (
        most - len(best)
    )
    return np.sort(
        np.concatenate([best, others[(places * len(others)).astype(int)]])
    )
