"""Which trials to make next, and what random ones would gain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.belief import DrawnGain, ExpectedGain, Improvement, proposed
from hpo_explain.question import RunDecision
from hpo_explain.space import Array, Parameter, inside_of, ranked

TRIALS = 20  # that are foreseen
_RANDOM = 200  # rows of a space in which random trials are made


def next_rows(decision: RunDecision, n: int, within: Sequence[Parameter]) -> tuple[Array, Array]:
    """Return the rows (m, d) to try next, n at most, and the largest gain of each draw, (k,).

    By expected improvement; each is believed at its mean before the next one is looked for, as is
    what is under way.
    """
    expected = _expected_gain(decision)
    for x in decision.run.under_way:
        expected = expected.believing(x)
    rows, _ = proposed(
        expected, n, seed=decision.draws.seed, within=within, allowed=decision.may_be_tried
    )
    return rows, decision.gains(rows).max(axis=1, initial=0.0)


def _expected_gain(decision: RunDecision) -> ExpectedGain:
    """Return the expected improvement over scales; of a model of the user's over its draws."""
    run, draws = decision.run, decision.draws
    if hasattr(draws, "belief"):
        best = float(run.cost[run.feasible].min())
        return Improvement.over(draws.belief, best)
    means = decision.costs.mean(axis=0)
    best_first = run.X[decision.rows[ranked(means)]]
    return DrawnGain(draws, decision.costs[:, decision.best], best_first)


def of_random(decision: RunDecision, within: Sequence[Parameter]) -> Array:
    """Return what random trials with such values of hyperparameters gain in each draw, (k,)."""
    land = decision.draws.landscape
    inside = inside_of(decision.draws.space, within, land.rows)
    rows = np.flatnonzero(inside)[:_RANDOM]
    best = decision.costs[:, [decision.best]]
    gains = best - land.possible_values[:, rows]
    return expected_best(np.maximum(gains, 0.0))


def expected_best(values: Array, k: int = TRIALS) -> Array:
    """Return the expected largest of k columns drawn at random, by row, (n,).

    The r-th largest of N values is the largest of k drawn without replacement with probability
    ``C(N - r, k - 1) / C(N, k)``.
    """
    n = values.shape[1]
    k, later = min(k, n), np.arange(1, n)
    # each from the one before: the numbers themselves overflow
    ratios = np.maximum(n - later - k + 1, 0) / (n - later)
    weights = k / max(n, 1) * np.cumprod(np.append(1.0, ratios))
    return -np.sort(-values, axis=1) @ weights[:n]
