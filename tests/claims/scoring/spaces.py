"""Where to search on: ranges worth keeping, and what can stay fixed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.problems import GRID, Problem
from tests.claims.scoring.case import UNDECIDED, Case, Judgement
from tests.claims.scoring.effects import least_between

MOST_OF_IT = 0.5  # of what can still be gained
SMALL = 0.02  # of the signal's standard deviation
AS_GOOD = 0.002  # of the signal's standard deviation
CUT = 0.9  # of a hyperparameter's range: an oracle that keeps less could say so


def keep(case: Case, claim: Claim) -> Judgement:
    """A configuration as good as the optimum is left. Nothing is claimed where everything is."""
    if claim.estimate >= 1.0 or case.problem.constant:
        return UNDECIDED
    best, least = case.problem.optimum
    lost = 0.0
    for name, value in zip(claim.hyperparameters, claim.values, strict=True):
        if np.isnan(best[case.problem.space.index(name)]):
            continue
        grid, costs = case.problem.attainable(name)
        left = min(least_between(grid, costs, *ends) for ends in case.positions(name, value))
        lost = max(lost, left - least)
    at = best[case.problem.space.index(claim.hyperparameters[0])]
    return Judgement(lost <= AS_GOOD * case.problem.scale, f"optimum at {at:.3g}, loses {lost:.2g}")


def holds_optimum(case: Case) -> bool:
    """Whether a configuration as good as the optimum lies in the recommended space."""
    result: Any = case.result
    whole, part = case.problem, result.space

    def cost(X: np.ndarray) -> np.ndarray:
        return whole.cost(whole.space.encode(part.decode(X)))

    left = Problem("a part", part, cost).optimum[1]
    return bool(left - whole.optimum[1] <= AS_GOOD * whole.scale)


def fix(case: Case, claim: Claim) -> Judgement:
    """With the hyperparameters fixed, most of what can still be gained is left."""
    fixed = dict(zip(claim.hyperparameters, claim.values, strict=True))
    loss, gain = _lost(case, fixed)
    right = loss <= max(MOST_OF_IT * gain, SMALL * case.problem.scale)
    return Judgement(right, f"loses {loss:.3g} of {gain:.3g} that can be gained")


def _lost(case: Case, fixed: dict[str, Any]) -> tuple[float, float]:
    row = case.row({**case.run.incumbent, **fixed})
    least = case.problem.optimum[1]
    encoded = {name: float(row[case.problem.space.index(name)]) for name in fixed}
    active = {name: value for name, value in encoded.items() if not np.isnan(value)}
    loss = case.problem.least(active) - least
    return loss, case.cost(case.run.incumbent) - least


def worth_keeping(case: Case, name: str, cost: float) -> np.ndarray:
    """Encoded values with which some configuration is at least as good as a cost."""
    grid, costs = case.problem.attainable(name)
    return grid[costs <= cost]


def oracle_keeps(case: Case) -> dict[str, float]:
    """By hyperparameter the share that holds everything as good as the incumbent truly is."""
    incumbent = case.cost(case.run.incumbent)
    kept = {}
    for parameter in case.problem.space.parameters:
        worth = worth_keeping(case, parameter.name, incumbent)
        if isinstance(parameter, hx.CategoricalParameter):
            kept[parameter.name] = max(len(worth), 1) / len(parameter.choices)
        else:
            # of a grid: half a cell at either side
            cell = 1.0 / (GRID - 1)
            wide = float(np.ptp(worth)) + cell if len(worth) else cell
            kept[parameter.name] = min(wide, 1.0)
    return kept


def could(case: Case) -> Counter[str]:
    """What an oracle could claim."""
    if case.problem.constant:
        return Counter()
    if case.method == "recommended_space":
        return Counter(keep=sum(share < CUT for share in oracle_keeps(case).values()))
    for name, value in case.run.incumbent.items():
        loss, gain = _lost(case, {name: value})
        if loss <= max(MOST_OF_IT * gain, SMALL * case.problem.scale):
            return Counter(fix=1)
    return Counter()
