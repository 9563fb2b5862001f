"""Where to search on: ranges worth keeping, and what can stay fixed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.problems import GRID, Problem
from tests.claims.scoring.case import UNDECIDED, Case, Judgement

SMALL = 0.02  # of the signal's standard deviation
AS_GOOD = 0.002  # of the signal's standard deviation
CUT = 0.9  # of a hyperparameter's range: an oracle that keeps less could say so


def keep(case: Case, claim: Claim) -> Judgement:
    """A configuration as good as the optimum, up to what may be lost, is left.

    With single values: what can stay fixed. Nothing is claimed where everything is kept.
    """
    if not all(isinstance(value, tuple) for value in claim.values):
        fixed = dict(zip(claim.hyperparameters, claim.values, strict=True))
        lost = lost_by_fixing(case, fixed)
    elif len(case.result.narrowed) == 0 or case.problem.constant:
        return UNDECIDED
    else:
        lost = lost_by(case)
    return Judgement(lost <= case.result.lose, f"loses {lost:.2g} of {case.result.lose:.2g}")


def lost_by(case: Case) -> float:
    """What is lost in the recommended space."""
    result: Any = case.result
    whole, part = case.problem, result.space

    def cost(X: np.ndarray) -> np.ndarray:
        return whole.cost(whole.space.encode(part.decode(X)))

    return float(Problem("a part", part, cost).optimum[1] - whole.optimum[1])


def lost_by_fixing(case: Case, fixed: dict[str, Any]) -> float:
    """What is lost by keeping to values of some hyperparameters."""
    row = case.row({**case.run.incumbent, **fixed})
    encoded = {name: float(row[case.problem.space.index(name)]) for name in fixed}
    active = {name: value for name, value in encoded.items() if not np.isnan(value)}
    return case.problem.least(active) - case.problem.optimum[1]


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
    fixed = ({name: value} for name, value in case.run.incumbent.items())
    return Counter(keep=int(any(lost_by_fixing(case, one) <= case.result.lose for one in fixed)))
