"""What is decided of a run, once: everybody who tells it looks here.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f_s         a draw of the cost, noise excluded
x*          the trial to keep: the best observed one, unless another is better by what counts
ε           what counts as better, and what may be lost: see `WhatCounts`
gain        ``f_s(x*) - f_s(x)``, of several the largest
==========  ============================================================================

Where a result that counts is not to be expected, nothing is gained.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from hpo_explain.base import (
    Fact,
    NothingToExplain,
    Subject,
    fact,
    percent,
    trial_number,
    unit_of,
)
from hpo_explain.belief import (
    LEVEL,
    STRETCH,
    Box,
    Decision,
    Draws,
    Noise,
    Trust,
    as_draws,
    decide,
    interval,
)
from hpo_explain.belief.left import Left
from hpo_explain.belief.noise import resolution
from hpo_explain.question.explained import accepted_surrogate
from hpo_explain.question.model import surrogate_of
from hpo_explain.run import Run
from hpo_explain.space import Array, Bools, Ints, among, lowest, ranked

PROBABLE_GAIN = 0.1  # of gaining what counts: with less there is nothing to get
_TRIED = 200  # trials of which one is the best
# so probable it is that another trial is better, where that is kept (tests/claims/best.py)
_BETTER = 0.8

NONE_FEASIBLE = fact("no trial is feasible")
RARELY_FEASIBLE = fact(
    "even near successful trials another result is less likely than not, so the location of the "
    "best is hardly known"
)

_LEAST = 0.01  # of the way from the median to the best: what counts at least
_SAME_STEP = 0.1  # of a step: means of folds of different sizes lie beside it


@dataclass(frozen=True)
class WhatCounts:
    """By how much a configuration must be better for that to count: ε.

    Attributes
    ----------
    epsilon : float
        The amount.
    whose : {"user", "step", "noise", "share"}
        Who says so: the user, the metric, which shows no smaller difference, the noise of one
        evaluation, or the way from the median to the best, of which it is 1 %.
    step : float, default 0
        What one more of what the metric counts makes; 0 where it does not count.

    Examples
    --------
    >>> counts = WhatCounts(0.3, "user", step=0.25)
    >>> counts.least, counts.between
    (0.5, 0.375)
    """

    epsilon: float
    whose: Literal["user", "step", "noise", "share"]
    step: float = 0.0

    @classmethod
    def of(cls, run: Run, draws: Draws) -> WhatCounts:
        """Return what counts in a run: what the user says, else the largest of the others."""
        first = run.space.distinct_places(run.X)
        step = resolution(run.learned_cost()[first])
        if run.epsilon is not None:
            return cls(run.epsilon, "user", step)
        noise = draws.noise.estimate if draws.noise.settled else 0.0
        spread = _LEAST * float(np.median(draws.landscape.spread))
        largest = max(step, noise, spread)
        whose: Literal["step", "noise", "share"] = "share"
        if largest == step:
            whose = "step"
        elif largest == noise:
            whose = "noise"
        return cls(largest, whose, step)

    @property
    def least(self) -> float:
        """The smallest gain that counts and that the metric can show."""
        if not self.step:
            return self.epsilon
        return self.step * max(math.ceil(self.epsilon / self.step - _SAME_STEP), 1)

    @property
    def between(self) -> float:
        """What tells it from what does not count: half a step less, where there are steps."""
        return self.least - self.step / 2.0

    @property
    def in_words(self) -> str:
        """Who says so."""
        return _WHOSE[self.whose]


_WHOSE = {
    "user": "as given",
    "step": "the step of the metric",
    "noise": "the noise of one evaluation",
    "share": "1 % of the way from the median to the best",
}


@dataclass(frozen=True, eq=False)
class RunDecision:
    """What is decided of a run.

    Attributes
    ----------
    run : Run
        The run, averaged over instances.
    draws : Draws
        Functions that its trials allow, for questions about the best.
    counts : WhatCounts
        By how much a configuration must be better for that to count, and by how much the best of
        what is left may be worse.
    trust : Trust or None
        How well the objective is known; None of a model of the user's.
    whole : Draws, optional
        The functions for questions about the whole space; by default the same.
    """

    run: Run
    draws: Draws
    counts: WhatCounts
    trust: Trust | None = None
    whole: Draws | None = None

    @classmethod
    def of(cls, run: Run, *, seed: int = 0) -> RunDecision | None:
        """Return what is decided of a run, the same object whoever asks.

        Parameters
        ----------
        run : Run
            The run, averaged over instances.
        seed : int, default 0
            Seed of the draws.

        Returns
        -------
        RunDecision or None
            None where the model does not know how its predictions vary together.

        Raises
        ------
        NothingToExplain
            If fewer than two trials are finished, or none is feasible.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> x = np.linspace(0.0, 1.0, 21)
        >>> run = Run(space, x[:, None], (x - 0.4) ** 2, "minimize")
        >>> decision = RunDecision.of(run)
        >>> decision.keep, decision.box.space["x"].high < 0.7
        (8, True)
        >>> RunDecision.of(run) is decision
        True
        """
        decided: RunDecision | None = run.remembered(_decision, run, seed)
        return decided

    @property
    def epsilon(self) -> float:
        """What counts, in the objective's units."""
        return self.counts.epsilon

    @property
    def noise(self) -> Noise:
        """The noise of one evaluation."""
        return self.draws.noise

    @property
    def doubts(self) -> tuple[Fact, ...]:
        """Why little is known of what is decided; empty where trust is not poor."""
        if self.trust is None or self.trust.level != "poor":
            return ()
        explains = f"the model explains {percent(self.trust.r2)} of the variation over the space"
        return (fact(f"the reliability is poor: {explains}", kind="trust_is_poor", role="basis"),)

    @property
    def too_few(self) -> str:
        """That the trials are too few, in a sentence; empty of enough, and of a user's model."""
        return "" if self.trust is None else Subject.of(self.run).too_few

    # ------------------------------------------------------------------ the trial to keep

    @cached_property
    def _alike(self) -> tuple[Ints, Ints, Ints]:
        """The feasible rows, the first place of each configuration among them, and which it is."""
        rows = np.flatnonzero(self.run.feasible)
        X = np.nan_to_num(self.run.X[rows], nan=-1.0)
        _, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
        return rows, first, which.ravel()

    @cached_property
    def rows(self) -> Ints:
        """The first row of the run with each feasible configuration, of many the best observed."""
        rows, first, which = self._alike
        observed = np.full(len(first), np.inf)
        np.minimum.at(observed, which, self.run.cost[rows])
        best = ranked(observed)[:_TRIED]
        return rows[np.sort(first[best])]

    @cached_property
    def costs_of_draws(self) -> Array:
        """Cost of each draw at these, (k, number of rows)."""
        X = self.run.X[self.rows]
        # the last digits of sums depend on the order of rows, which may be written in any
        order = np.argsort(self.draws.space.keys(X), kind="stable")
        costs = self.draws.costs(X[order]).astype(float)
        return costs[:, np.argsort(order)]

    @cached_property
    def costs(self) -> Array:
        """The same, moved towards what was observed: draws are smooth, trials may be apart."""
        rows, _, which = self._alike
        at, m = which[np.searchsorted(rows, self.rows)], np.bincount(which)
        observed = (np.bincount(which, self.run.cost[rows]) / m)[at]
        return towards_observed(self.costs_of_draws, observed, self.noise.estimate, m[at])

    @cached_property
    def best(self) -> int:
        """The place of the trial to keep among `rows`.

        That is the best observed one, unless another is expected to be better by what counts, and
        is better with a probability of at least .8.
        """
        # a sum of costs near the largest number would overflow
        other = lowest((self.costs / len(self.costs)).sum(axis=0))
        ahead = decide(self.costs[:, self._observed] - self.costs[:, other], side="above")
        enough = ahead.estimate > self.counts.between
        is_better = enough and ahead.probability >= _BETTER and not self.too_few
        return other if is_better else self._observed

    @property
    def keep(self) -> int:
        """The trial to keep."""
        return self.trial_at(self.best)

    @property
    def row_to_keep(self) -> Array:
        """Its encoded row, (d,)."""
        return self.run.X[self.rows[self.best]]

    @cached_property
    def mean(self) -> float:
        """The objective that is predicted for it."""
        return self.predicted(self.row_to_keep).estimate

    def predicted(self, row: Array) -> Decision:
        """Return the objective that is predicted at an encoded row (d,), without noise."""
        return self.predictions(row[None])[0]

    def predictions(self, rows: Array) -> list[Decision]:
        """Return the objective that is predicted at each of encoded rows (n, d), without noise.

        As whoever explains a prediction has it. What is chosen by its `costs` is luckier by them
        than it is: of the trial to keep of 32 runs they missed the truth by .92 times what counts,
        their 95 % intervals held .91; this prediction misses by .77, and its intervals hold .97.
        """
        draws = self.draws if self.whole is None else self.whole
        return predictions_at(draws, rows, self.run.bounds)

    def trial_at(self, place: int) -> int:
        """Return the number of a trial, by its place among `rows`."""
        return int(self.run.trials[self.rows[place]])

    def best_of(self, trials: Collection[int]) -> int:
        """Return which of some trials is expected to be best: the one to keep, if it is one."""
        if self.keep in trials:
            return self.keep
        numbers = [*trials]
        rows = [self.run.row(number) for number in numbers]
        expected = self.draws.costs(self.run.X[rows]).mean(axis=0)
        feasible = self.run.feasible[rows]
        if feasible.any():
            expected = np.where(feasible, expected, np.inf)
        return numbers[lowest(expected)]

    @cached_property
    def _observed(self) -> int:
        """The place of the best observed configuration."""
        rows, _, which = self._alike
        incumbent = self.run.row(self.run.incumbent_trial)
        same = which[np.searchsorted(rows, self.rows)]
        own = which[np.searchsorted(rows, incumbent)]
        return int(np.flatnonzero(same == own)[0])

    @cached_property
    def tied(self) -> tuple[int, ...]:
        """The feasible trials that are worse than the best observed one by less than counts."""
        run = self.run
        costs = np.where(run.feasible, run.cost, np.inf)
        tied = costs - costs.min() < self.counts.between
        return tuple(np.sort(run.trials[tied]).tolist())

    @cached_property
    def luck(self) -> Decision:
        """By how much the best observed trial is worse than the one to keep."""
        costs = self.costs
        return decide(costs[:, self._observed] - costs[:, self.best])

    @property
    def why_another(self) -> tuple[Fact, ...]:
        """Why the best observed trial is not the one to keep; empty where it is."""
        if self._observed == self.best:
            return ()
        observed = self.run.incumbent_trial
        worse = fact(
            "trial ",
            trial_number(observed),
            ", the best observed one, is expected to be worse than trial ",
            trial_number(self.keep),
            f" by {self.luck.estimate:.2g}, which is more than what counts",
            kind="not_the_best_observed",
            trials=[self.keep, observed],
            role="basis",
            keep=self.keep,
            worse=self.luck.estimate,
        )
        return (worse,)

    @cached_property
    def box(self) -> Box:
        """The smallest part of the space that holds a configuration near the best."""
        return self.box_that_loses(self.epsilon)

    def box_that_loses(self, lose: float) -> Box:
        """Return the same where the best that is left may be worse by another amount."""
        return Box.of(
            self.draws, lose, keep=self.row_to_keep, tried=self.run.tried, enough=self.epsilon
        )

    # ------------------------------------------------------------------ what is left to gain

    @cached_property
    def least(self) -> Array:
        """The least cost of each draw, of what rather gives a result that counts, (k,)."""
        around = self.draws.landscape.least_around
        return np.minimum(around, self.costs_of_draws.min(axis=1))

    @cached_property
    def better(self) -> Decision:
        """By how much something is better than the trial to keep, and whether by what counts."""
        of_draws = self.costs_of_draws[:, self.best] - self.least
        left = Left(float(np.median(of_draws)), self.draws.roughness)
        probability = left.more_than(self.counts.between)
        low, high = left.interval
        estimate = min(left.median, self._most)
        return Decision(
            estimate=estimate,
            interval=(min(low, estimate), min(high, self._most)),
            probability=probability,
            certain=probability >= LEVEL,
            bound=low,
            threshold=self.epsilon,
        )

    @property
    def _most(self) -> float:
        """The most that can be gained: up to the objective's natural range, if it has one."""
        if self.run.bounds is None:
            return np.inf
        best = min(self.run.sign * end for end in self.run.bounds)
        return max(float(self.run.cost[self.rows[self.best]]) - best, 0.0)

    def gains(self, X: Array) -> Array:
        """Return by how much each draw is better at encoded rows than at x*, (k, n).

        By its own cost there: what was lucky at x* would hide what is left to gain.
        """
        return self.costs_of_draws[:, [self.best]] - self.draws.costs(X)

    def gained_beyond(self, gains: Array) -> Decision:
        """Return what is gained, and whether what counts is, from the gain of each draw.

        The interval is stretched: minima scatter by more than those of draws do.
        """
        decision = decide(
            np.maximum(gains, 0.0), self.counts.between, side="above", stretch=STRETCH["least"]
        )
        low, high = decision.interval
        return replace(decision, interval=(max(low, 0.0), high))

    def where_better(self, gains: Array) -> float:
        """Return what is gained on average where it counts; what counts where it never does."""
        counts = gains[gains > self.counts.between]
        most = self.better.interval[1]
        return min(float(counts.mean()), most) if len(counts) else self.epsilon

    def gained(self, gains: Array) -> Decision:
        """Return the same of configurations of the space.

        What they gain is left to be gained: they gain no more, nor more probably, than that.
        """
        beyond, most = self.gained_beyond(gains), self.better.interval[1]
        probability = min(beyond.probability, self.better.probability)
        low, high = np.minimum(beyond.interval, most).tolist()
        return replace(
            beyond,
            estimate=min(beyond.estimate, most),
            interval=(low, high),
            probability=probability,
            certain=probability >= LEVEL,
        )

    def is_worth_a_trial(self, gained: Decision) -> bool:
        """Return whether gaining what counts is probable enough to make trials for it."""
        return gained.probability >= PROBABLE_GAIN

    def may_be_tried(self, X: Array) -> Bools:
        """Return which rows were not tried, and rather give a result that counts."""
        new = ~among(self.draws.space, X, self.run.tried)
        return new & self.draws.feasible(X)


def predictions_at(draws: Draws, rows: Array, bounds: tuple[float, float] | None) -> list[Decision]:
    """Return the objective that is predicted at each of encoded rows (n, d), and its interval.

    Everybody who tells a prediction of one configuration looks here.
    """
    predicted = []
    for values in draws.at_one(draws.draws(rows)).T:
        # nothing is decided of it: that 0 lies in the interval is no doubt
        ends = interval(values, stretch=STRETCH["average"])
        low, high = np.clip(ends, *(bounds or (-np.inf, np.inf))).tolist()
        predicted.append(replace(decide(values), interval=(low, high)))
    return predicted


def towards_observed(
    costs: Array, observed: Array, noise_std: float, evaluations: Ints | int = 1
) -> Array:
    """Return draws at trials, (k, n), moved towards what was observed there, (n,).

    As far as what is observed beside the draws' mean is more than noise: of the variance
    v + σ² / m of this difference, over all trials with m evaluations each, by the share of v.

    Examples
    --------
    >>> towards_observed(np.array([[0.0, 1.0], [0.2, 1.2]]), np.array([0.3, 0.9]), 0.0)
    array([[0.2, 0.8],
           [0.4, 1. ]])
    """
    beside = observed - costs.mean(axis=0)
    unit = unit_of(beside)  # in which no square overflows
    noise = np.broadcast_to((noise_std / unit) ** 2 / evaluations, beside.shape)
    more = max(float(((beside / unit) ** 2 - noise).mean()), 0.0)
    share = more / (more + noise) if more else np.zeros(len(noise))
    return costs + share * beside


def _decision(run: Run, seed: int) -> RunDecision | None:
    if not np.any(run.feasible):
        raise NothingToExplain(NONE_FEASIBLE)
    model, _ = surrogate_of(run, None, "auto", seed)
    draws = as_draws(
        accepted_surrogate(model), run.direction, feasibility=run.feasibility(seed=seed), seed=seed
    )
    if not draws.joint:
        return None
    of_best = draws.at_best
    counts = WhatCounts.of(run, of_best)
    return RunDecision(run, of_best, counts, draws.trust, draws)
