"""Where the best is, whether something better exists, and what is left to expect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import hpo_explain as hx
from tests.claims.asked import LOSS, Asked, Scored, covers
from tests.claims.decided import Amount, Decided, ahead
from tests.claims.runs import AHEAD, trials_ahead

EPSILONS = {"usual": None, "noise": 0.01, "5 %": 0.05, "10 %": 0.1}
"""What counts, as shares of median minus best.

The first is what counts by itself, asked of what judges; the second is at least the noise.
"""
USUAL = 0.05
# of two normal values with a standard deviation of 1
EXPECTED_RANGE = 2.0 / np.sqrt(np.pi)
SAME = 1e-6  # of a number: so near it is the same
FACTOR = 10.0  # either way: so wide an amount that is told is worth reading


def better_exists(asked: Asked) -> Iterator[Scored]:
    """Whether one exists that is better than the trial to keep by as much as counts."""
    spread = asked.problem.spread
    if spread <= 0.0:
        return
    for label, share in EPSILONS.items():
        if asked.problem.judges == (label == "noise"):
            continue
        least = asked.noise if label == "noise" else 0.0
        asked_for = None if share is None else max(share * spread, least)
        found = Decided.of(asked.run, asked_for)
        # of a metric with steps a gain of what counts is one
        true = asked.left >= found.epsilon * (1.0 - SAME)
        yield Scored(
            "better exists",
            certain=found.is_certain,
            right=true == (found.p_better >= 0.5),
            could=true,
            stated=found.p_better,
            known=float(true),
        )


def by_seed(asked: Asked) -> Iterator[Scored]:
    """How much the probability differs between two seeds, as a standard deviation over seeds."""
    spread = asked.problem.spread
    if spread <= 0.0:
        return
    first, second = (
        hx.optimum(asked.run, epsilon=USUAL * spread, seed=seed).p_better for seed in (0, 1)
    )
    yield Scored("by seed", stated=abs(first - second) / EXPECTED_RANGE)


def another(asked: Asked) -> Iterator[Scored]:
    """Whether another trial is truly better than the best observed one, where one is named."""
    if Decided.of(asked.run).names_another:
        observed = asked.problem.cost_of(asked.run.incumbent)
        yield Scored("another kept", right=asked.kept_cost < observed)


def expected(asked: Asked) -> Iterator[Scored]:
    """What the best is promised to be, what is left, and what further trials gain."""
    problem, slack = asked.problem, asked.slack
    if problem.spread <= 0.0:
        return
    found = hx.optimum(asked.run)
    at = problem.cost_of(found.config)
    covered = covers(found.interval, asked.sign * at, slack)
    yield Scored("promised", covered=covered, width=np.ptp(found.interval) / problem.spread)
    yield _amount("what is left", asked, Decided.of(asked.run).left, asked.left)
    gain = ahead(asked.run, AHEAD)
    yield Scored(
        "gain of more",
        right=bool(gain.estimate <= asked.left + slack),
        stated=gain.estimate,
        known=asked.left,
    )
    if problem.judges:
        rows = trials_ahead(asked.setting, asked.cache)
        gained = max(asked.kept_cost - float(problem.cost(rows).min()), 0.0)
        yield _amount("gained by more", asked, gain, gained)


def _amount(kind: str, asked: Asked, said: Amount, known: float) -> Scored:
    """Score an amount, of whose interval no more counts than a factor of ten either way."""
    low, high = said.interval
    told = max(low, said.estimate / FACTOR), min(high, said.estimate * FACTOR)
    return Scored(kind, covered=covers(told, known, asked.slack), stated=said.estimate, known=known)


def changes(asked: Asked) -> Iterator[Scored]:
    """What changes of the middle of the space gain."""
    problem = asked.problem
    if problem.asked is not None:
        return
    result = hx.changes(asked.run)
    start, end = (problem.cost_of(e.config) for e in (result.start, result.best))
    gain = start - end
    could = gain > LOSS * max(problem.spread, 1e-12)
    whole = next((c for c in result.claims if c.kind == "difference"), None)
    if whole is None or whole.side == "below":
        yield Scored("changes gain", made=False, could=could)
        return
    right = bool(np.sign(gain) == np.sign(whole.estimate)) and abs(gain) > 1e-12
    yield Scored(
        "changes gain",
        certain=whole.certain,
        right=right,
        covered=covers(whole.interval, gain, asked.slack),
        could=could,
    )
    kept = start - problem.cost_of(result.config)
    yield Scored("changes kept", covered=covers(result.interval, kept, asked.slack))
