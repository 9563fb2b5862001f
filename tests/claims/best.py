"""Where the best is, whether something better exists, and what is left to expect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import hpo_explain as hx
from tests.claims.asked import LOSS, Asked, Scored, covers

EPSILONS = {"noise": 0.01, "5 %": 0.05, "10 %": 0.1}
"""What counts, as shares of median minus best; the first is at least the noise."""
USUAL = 0.05
# of two normal values with a standard deviation of 1
EXPECTED_RANGE = 2.0 / np.sqrt(np.pi)


def better_exists(asked: Asked) -> Iterator[Scored]:
    """Whether one exists that is better than the trial to keep by as much as counts."""
    spread = asked.problem.spread
    if spread <= 0.0:
        return
    for label, share in EPSILONS.items():
        least = asked.noise if label == "noise" else 0.0
        epsilon = max(share * spread, least)
        found = hx.optimum(asked.run, epsilon=epsilon)
        true = asked.left > epsilon
        yield Scored(
            "better exists",
            certain=found.better.certain,
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
        hx.optimum(asked.run, epsilon=USUAL * spread, seed=seed).p_better
        for seed in (0, 1)
    )
    yield Scored("by seed", stated=abs(first - second) / EXPECTED_RANGE)


def expected(asked: Asked) -> Iterator[Scored]:
    """What the best is promised to be, what is left, and what further trials gain."""
    problem, slack = asked.problem, asked.slack
    if problem.spread <= 0.0:
        return
    found = hx.optimum(asked.run)
    at = problem.cost_of(found.config)
    covered = covers(found.interval, asked.sign * at, slack)
    yield Scored(
        "promised",
        covered=covered,
        width=np.ptp(found.interval) / problem.spread,
    )
    inside = found.interval[0] <= found.estimate <= found.interval[1]
    yield Scored("estimate inside", right=bool(inside))
    yield Scored(
        "what is left",
        covered=covers(found.better.interval, asked.left, slack),
        stated=found.regret,
        known=asked.left,
    )
    possible = found.expected_gain <= asked.left + slack
    yield Scored(
        "gain of more",
        right=bool(possible),
        stated=found.expected_gain,
        known=asked.left,
    )


def changes(asked: Asked) -> Iterator[Scored]:
    """What changes of the middle of the space gain."""
    problem = asked.problem
    if problem.asked is not None:
        return
    result = hx.changes(asked.run)
    start, end = (
        problem.cost_of(e.config) for e in (result.start, result.best)
    )
    gain = start - end
    could = gain > LOSS * max(problem.spread, 1e-12)
    whole = next((c for c in result.claims if c.kind == "difference"), None)
    if whole is None or whole.side == "below":
        yield Scored("changes gain", made=False, could=could)
        return
    right = (
        bool(np.sign(gain) == np.sign(whole.estimate)) and abs(gain) > 1e-12
    )
    yield Scored(
        "changes gain",
        certain=whole.certain,
        right=right,
        covered=covers(whole.interval, gain, asked.slack),
        could=could,
    )
    kept = start - problem.cost_of(result.config)
    yield Scored(
        "changes kept", covered=covers(result.interval, kept, asked.slack)
    )
