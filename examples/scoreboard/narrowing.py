"""What narrowing keeps, and what it loses: `hx.recommended_space` against exact tables.

Allowed losses are 5 % of the table's median minus its best, and the default.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import hpo_explain as hx
from examples.scoreboard.tables import load
from tests.claims.problem import Problem
from tests.claims.runs import Setting, make_run

SHARE = 0.05
GOALS = {
    "5 %: right": (">=", 0.95, 0.95),
    "5 %: median kept": ("<=", 0.25, 0.65),
    "default: right": (">=", 0.95, 0.95),
    "default: median kept": ("<=", 0.35, 0.72),
}


def rows(table: str, sampler: str, n: int, seed: int) -> dict[str, Any]:
    """Return what is kept of the table, and whether what is lost was allowed, for both losses."""
    problem = load(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = make_run(Setting(problem, sampler, n, seed))
        found: dict[str, Any] = {"table": table}
        for name, lose in (("5 %", SHARE * problem.spread), ("default", None)):
            result = hx.recommended_space(run, lose)
            kept = [_kept(problem, j, result.space) for j in range(len(problem.space))]
            lost = float(problem.table[np.ix_(*kept)].min() - problem.table.min())
            found |= {
                f"{name} right": lost <= result.lose + 1e-12,
                f"{name} kept": float(np.prod([levels.mean() for levels in kept])),
                f"{name} lost": lost / problem.spread,
            }
    return found


def _kept(problem: Problem, j: int, space: hx.SearchSpace) -> np.ndarray:
    """Return which levels of a hyperparameter lie in a narrower space."""
    whole, part = problem.space.parameters[j], space[problem.space.names[j]]
    levels = whole.decode(problem.levels[j])
    if isinstance(part, hx.CategoricalParameter):
        return np.array([level in part.choices for level in levels])
    return np.array([part.low <= level <= part.high for level in levels])


def summarized(found: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the numbers of a line of the scoreboard from those of many runs."""
    several = list(found)
    line: dict[str, float] = {"runs": len(several)}
    for name in ("5 %", "default"):
        line[f"{name}: right"] = float(np.mean([one[f"{name} right"] for one in several]))
        line[f"{name}: median kept"] = float(np.median([one[f"{name} kept"] for one in several]))
        line[f"{name}: lost"] = float(np.mean([one[f"{name} lost"] for one in several]))
    return line
