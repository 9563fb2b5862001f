"""Actions of an advice: what is given up, what is to be tried, and that nothing is left to gain."""

from __future__ import annotations

from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement, inside
from tests.claims.scoring.effects import least_between
from tests.claims.scoring.spaces import AS_GOOD, SMALL, lost_by_fixing

_BETTER = 1e-9  # of the signal's standard deviation


def action(case: Case, claim: Claim) -> Judgement:
    """What an action gives up, holds or ends is judged; what is told of in words only is not."""
    result: Any = case.result
    advised = next(a for a in result.actions if a.evidence is claim.because)
    problem = case.problem
    if problem.constant:
        return UNDECIDED  # nothing that is done there does harm or good
    if advised.kind == "fix":
        fixed = dict(zip(claim.hyperparameters, claim.values, strict=True))
        lost = lost_by_fixing(case, fixed)
        return Judgement(lost <= SMALL * problem.scale, f"loses {lost:.2g}")
    if advised.kind in ("narrow", "branch") and advised.parameters:
        return _given_up(case, advised)
    if advised.kind == "widen":
        return _widened(case, advised)
    if advised.kind == "try":
        return _tried(case, advised)
    if advised.kind in ("stop", "go_on") and claim.interval is not None:
        left = _left(case)
        right = left <= SMALL * problem.scale if advised.kind == "stop" else None
        return Judgement(right, f"{left:.3g} left to gain", inside(claim.interval, left))
    return UNDECIDED


def _given_up(case: Case, advised: Any) -> Judgement:
    """A configuration as good as the optimum is left in every range and set of categories."""
    least, lost = case.problem.optimum[1], 0.0
    for parameter in advised.parameters:
        grid, costs = case.problem.attainable(parameter.name)
        categories = isinstance(parameter, hx.CategoricalParameter)
        kept = parameter.choices if categories else (parameter.low, parameter.high)
        left = min(
            least_between(grid, costs, *ends) for ends in case.positions(parameter.name, kept)
        )
        lost = max(lost, left - least)
    return Judgement(lost <= AS_GOOD * case.problem.scale, f"loses {lost:.2g}")


def _widened(case: Case, advised: Any) -> Judgement:
    """The best that is within the range lies at the ends that are moved."""
    lost = 0.0
    for new in advised.parameters:
        old = case.problem.space[new.name]
        grid, costs = case.problem.attainable(new.name)
        moved = [0.0] * (new.low < old.low) + [1.0] * (new.high > old.high)
        at_ends = [float(np.interp(end, grid, costs)) for end in moved]
        lost = max([lost, *(cost - float(np.min(costs)) for cost in at_ends)])
    return Judgement(lost <= SMALL * case.problem.scale, f"the end loses {lost:.2g}")


def _tried(case: Case, advised: Any) -> Judgement:
    """One of the configurations is truly better than the trial that is said to be the best."""
    trial = advised.evidence[0].trials[0]
    best = case.cost(case.run.config(trial))
    improved = best - min(case.cost(config) for config in advised.configurations)
    right = improved > _BETTER * case.problem.scale
    covered = inside(advised.interval, max(improved, 0.0))
    return Judgement(right, f"improves by {improved:.3g}", covered)


def _left(case: Case) -> float:
    """How much better the optimum is than the best predicted trial."""
    return case.cost(case.run.best_predicted().configuration) - case.problem.optimum[1]
