"""What the draws expect of configurations: how much better than the trial to keep they may be.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f_s         a draw of the cost, noise excluded
x*          the tried configuration with the lowest mean of `costs`: the one to keep
ε           what counts: one evaluation's noise, or 1 % of the way from the median to the best
worth       what trials are made for: a fifth of that noise, or 1 % of that way
gain        ``f_s(x*) - f_s(x)``, of several the largest
==========  ============================================================================

Where a result that counts is not to be expected, nothing is gained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hpo_explain.base.text import declared_fact
from hpo_explain.belief.decide import (
    LEVEL,
    NEGLIGIBLE,
    STRETCH,
    Decision,
    decide,
)
from hpo_explain.belief.drawn import Draws, usual_loss
from hpo_explain.belief.improvement import Improvement, proposed
from hpo_explain.belief.left import Left
from hpo_explain.belief.mixture import Mixture
from hpo_explain.run import Run
from hpo_explain.space import (
    Array,
    Bools,
    Ints,
    Parameter,
    lowest,
    ranked,
)
from hpo_explain.space.searches import changed, filled, inside_of
from hpo_explain.space.support import nearest

_MOST = 1500  # rows of which it is asked whether trials failed near them
_TRIED = 200  # trials of which one is the best
_PARENTS, _COPIES, _STEPS = 60, 5, (0.08, 0.03)
_LITTLE = 0.01  # of what the first brings: the others must add so much
_RANDOM = 200  # rows of a space in which random trials are made
TRIALS = 20  # that are made
RARELY_FEASIBLE = declared_fact(
    "rarely_feasible",
    "even where trials gave a result another one is less probable than not: where the best is, is "
    "hardly known",
)


@dataclass(frozen=True, eq=False)
class Chances:
    """What further trials of a run are expected to bring.

    Attributes
    ----------
    run : Run
        The run, averaged over instances.
    draws : Draws
        Functions that its trials allow, for questions about the best.
    epsilon : float, optional
        By how much a configuration must be better for that to count.
    """

    run: Run
    draws: Draws
    epsilon: float | None = None

    @cached_property
    def enough(self) -> float:
        """By how much a configuration must be better for that to count: ε."""
        return usual_loss(self.draws) if self.epsilon is None else self.epsilon

    @cached_property
    def worth(self) -> float:
        """What trials must be expected to gain to be worth making."""
        return usual_loss(self.draws, noise=NEGLIGIBLE)

    @cached_property
    def _alike(self) -> tuple[Ints, Ints, Ints]:
        """The feasible rows, the first place of each configuration among them, and which it is."""
        rows = np.flatnonzero(np.asarray(self.run.feasible))
        X = np.nan_to_num(self.run.X[rows], nan=-1.0)
        _, first, which = np.unique(
            X, axis=0, return_index=True, return_inverse=True
        )
        return rows, first, which.ravel()

    @cached_property
    def rows(self) -> Ints:
        """The first row of the run with each feasible configuration, of many the best observed."""
        rows, first, _ = self._alike
        rows = rows[np.sort(first)]
        return np.asarray(rows[np.sort(ranked(self.run.cost[rows])[:_TRIED])])

    @cached_property
    def drawn(self) -> Array:
        """Cost of each draw at these, (k, number of rows)."""
        return self.draws.costs(self.run.X[self.rows]).astype(float)

    @cached_property
    def costs(self) -> Array:
        """The same, moved towards what was observed: draws are smooth, these may be no neighbors.

        By ``m / (m + 1)`` of the difference between the mean of m evaluations and that of draws.
        """
        rows, _, which = self._alike
        at, m = which[np.searchsorted(rows, self.rows)], np.bincount(which)
        beside = (np.bincount(which, self.run.cost[rows]) / m)[
            at
        ] - self.drawn.mean(axis=0)
        return np.asarray(self.drawn + m[at] / (m[at] + 1.0) * beside)

    @cached_property
    def best(self) -> int:
        """Which of them has the lowest mean."""
        return lowest(self.costs.mean(axis=0))

    @property
    def trial(self) -> int:
        """The trial to keep."""
        return self.trial_of(self.best)

    def trial_of(self, place: int) -> int:
        """Return the number of a trial, by its place among `rows`."""
        return int(np.asarray(self.run.trials)[self.rows[place]])

    def gains(self, X: Array) -> Array:
        """Return by how much each draw is better at encoded rows than at x*, (k, n)."""
        return self.costs[:, [self.best]] - self.draws.costs(X)

    @property
    def kept(self) -> Array:
        """The encoded row of the configuration to keep, (d,)."""
        return np.asarray(self.run.X[self.rows[self.best]])

    @cached_property
    def least(self) -> Array:
        """The least cost of each draw, of what rather gives a result that counts, (k,)."""
        return np.asarray(
            np.minimum(
                self.draws.landscape.least_around, self.drawn.min(axis=1)
            )
        )

    @cached_property
    def left(self) -> Left:
        """By how much the best is better than the configuration to keep."""
        return Left(float(np.median(self.drawn[:, self.best] - self.least)))

    @property
    def better(self) -> Decision:
        """Whether something is better than the trial to keep by what counts."""
        probability = self.left.more_than(self.enough)
        low, high = self.left.interval()
        return Decision(
            estimate=self.left.median,
            interval=(low, min(high, self._most)),
            probability=probability,
            certain=probability >= LEVEL,
            bound=low,
            threshold=self.enough,
        )

    @property
    def _most(self) -> float:
        """The most that can be gained: up to the objective's natural range, if it has one."""
        if self.run.bounds is None:
            return np.inf
        best = min(self.run.sign * end for end in self.run.bounds)
        return max(
            float(self.drawn[:, self.best].mean()) - best, self.left.median
        )

    def decided(self, gains: Array, enough: float | None = None) -> Decision:
        """Return whether something is gained that counts, from the gain of each draw.

        Minima scatter by more than those of draws do, so these are stretched about their median.
        """
        middle = np.median(gains)
        stretched = np.maximum(
            middle + STRETCH["least"] * (gains - middle), 0.0
        )
        enough = self.enough if enough is None else enough
        found = decide(stretched, enough, side="above")
        return replace(found, estimate=float(np.maximum(gains, 0.0).mean()))

    # ------------------------------------------------------------------ single configurations

    @cached_property
    def pool(self) -> tuple[Array, Array]:
        """Configurations that were not tried, nor near what failed, and their gains (k, n)."""
        land, space = self.draws.landscape, self.draws.space
        gains = self.costs[:, [self.best]] - land.possible_values
        expected = np.maximum(gains, 0.0).mean(axis=0)
        kept = ranked(-expected)[:_MOST]
        kept = kept[self.allowed(land.all_rows[kept])]
        rows, found = land.all_rows[kept], gains[:, kept]
        rng = np.random.default_rng(self.draws.seed)
        for step in _STEPS:
            promising = rows[
                ranked(-np.maximum(found, 0.0).mean(axis=0))[:_PARENTS]
            ]
            if not len(promising):
                break
            parents = np.repeat(
                filled(space, promising, self.draws.seed), _COPIES, axis=0
            )
            near = space.distinct(
                space.project(changed(space, parents, step, rng))
            )
            near = near[self.allowed(near)]
            rows = np.vstack([rows, near])
            found = np.hstack([found, self.gains(near)])
        return rows, found

    def allowed(self, X: Array) -> Bools:
        """Return which rows were not tried, and rather give a result that counts."""
        new = nearest(self.draws.space, X, self.run.tried) > 1e-9
        return np.asarray(new & self.draws.feasible(X))

    def promising(
        self, n: int, within: Sequence[Parameter]
    ) -> tuple[Array, Array]:
        """Return rows (m, d), n at most, and the largest gain of each draw among them, (k,).

        Each adds most to what those before it are expected to gain.
        """
        rows, gains = self.pool
        inside = inside_of(self.draws.space, within, rows)
        rows, gains = rows[inside], gains[:, inside]
        best, chosen, first = np.zeros(len(gains)), list[int](), 0.0
        while len(rows) and len(chosen) < n:
            added = np.maximum(gains - best[:, None], 0.0).mean(axis=0)
            place = lowest(-added)
            first = first or float(added[place])
            if added[place] <= _LITTLE * first:
                break
            best = np.maximum(best, gains[:, place])
            chosen.append(place)
        return rows[chosen], gains[:, chosen].max(axis=1, initial=0.0)

    def next_rows(
        self, n: int, within: Sequence[Parameter]
    ) -> tuple[Array, Array]:
        """Return the rows (m, d) to try next, n at most, and the largest gain of each draw, (k,).

        By expected improvement; each is believed at its mean before the next one is looked for,
        as is what is under way.
        """
        if not isinstance(self.draws, Mixture):
            return self.promising(
                n, within
            )  # a model of the user's has no scales
        best = float(self.run.cost[self.run.feasible].min())
        improvement = Improvement.over(self.draws.belief, best)
        for x in self.run.under_way:
            improvement = improvement.believing(x)
        seed = self.draws.seed
        rows, _ = proposed(
            improvement, n, seed=seed, within=within, allowed=self.allowed
        )
        return rows, self.gains(rows).max(axis=1, initial=0.0)

    # ------------------------------------------------------------------ random ones

    def of_random(self, within: Sequence[Parameter]) -> Array:
        """Return what random trials with such values of hyperparameters gain in each draw, (k,)."""
        land = self.draws.landscape
        rows = np.flatnonzero(inside_of(self.draws.space, within, land.rows))[
            :_RANDOM
        ]
        gains = self.costs[:, [self.best]] - land.possible_values[:, rows]
        return expected_best(np.maximum(gains, 0.0))


def expected_best(values: Array, k: int = TRIALS) -> Array:
    """Return the expected largest of k columns drawn at random, by row, (n,).

    The r-th largest of N values is the largest of k drawn without replacement with probability
    ``C(N - r, k - 1) / C(N, k)``.
    """
    ordered = -np.sort(-values, axis=1)
    n = values.shape[1]
    k, weights = min(k, n), np.zeros(n)
    weights[:1] = k / max(n, 1)
    for r in range(1, n - k + 1):
        weights[r] = weights[r - 1] * (n - r - k + 1) / (n - r)
    return np.asarray(ordered @ weights)
