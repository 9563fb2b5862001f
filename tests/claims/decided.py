"""What is decided of a run, as the measures ask for it: a name that changes changes here alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import hpo_explain as hx
from hpo_explain.belief import STRETCH, Decision, interval
from hpo_explain.question import RunDecision


class Amount(NamedTuple):
    """An amount that is left, or gained, in the objective's units."""

    estimate: float
    interval: tuple[float, float]

    @classmethod
    def of(cls, decision: Decision) -> Amount:
        """Return what a decision says of it."""
        return cls(decision.estimate, decision.interval)


@dataclass(frozen=True)
class Decided:
    """What is decided of a run.

    Attributes
    ----------
    keep : int
        The trial to keep.
    names_another : bool
        Whether that is said to be better than the best observed trial.
    epsilon : float
        What counts.
    p_better : float
        That something is better than the trial to keep by what counts.
    is_certain : bool
        Whether that is said to be certain.
    left : Amount
        By how much something is better than the trial to keep.
    """

    keep: int
    names_another: bool
    epsilon: float
    p_better: float
    is_certain: bool
    left: Amount

    @classmethod
    def of(cls, run: hx.Run, epsilon: float | None = None) -> Decided:
        """Return what is decided of a run, where something else counts if it is given."""
        asked = {} if epsilon is None else {"epsilon": epsilon}
        found = hx.optimum(run, **asked)
        return cls(
            keep=found.keep,
            names_another=bool(found.why_another),
            epsilon=found.epsilon,
            p_better=found.p_better,
            is_certain=found.better.certain,
            left=Amount.of(found.better),
        )


def ahead(run: hx.Run, more: int) -> Amount:
    """Return what further trials are said to gain."""
    return Amount.of(hx.optimum(run, more=more).gained)


def predicted(run: hx.Run, rows: np.ndarray) -> Iterator[tuple[tuple[float, float], float]]:
    """Yield of encoded rows the interval of the objective, and the chance to beat what is kept.

    By what counts, as the profiler says them.
    """
    belief, enough = run.belief(), what_counts(run)
    kept = belief.costs(row_to_keep(run)[None])
    costs = belief.costs(rows)
    of_one = belief.at_one(run.sign * costs)
    for column, value in zip(costs.T, of_one.T, strict=True):
        ends = interval(value, stretch=STRETCH["average"])
        yield ends, float((column < kept[:, 0] - enough).mean())


def what_counts(run: hx.Run) -> float:
    """Return by how much a cost must be lower to be better by what counts."""
    return _decision(run).counts.between


def row_to_keep(run: hx.Run) -> np.ndarray:
    """Return the encoded row of the trial to keep, (d,)."""
    return _decision(run).row_to_keep


def _decision(run: hx.Run) -> RunDecision:
    """Return the decision of a run; of its own belief there always is one."""
    decision = RunDecision.of(run)
    if decision is None:
        raise ValueError("the model of the run has no joint posterior")
    return decision
