"""Verdicts of trust against what the model truly knows."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

import hpo_explain as hx
from hpo_explain.diagnostics._trust import Trust
from tests.claims.problems import Problem
from tests.claims.scoring.case import Judgement

LEAST = {"good": 0.5, "fair": 0.0}
"""What R² or rank correlation a verdict must at least stand for."""
BEST = 0.25  # of the space: where the good trials could lie


def verdicts(problem: Problem, run: hx.Run, trust: Trust) -> list[tuple[str, str, Judgement]]:
    """Scope, level and truth of every verdict that is better than poor."""
    found = []
    for scope in ("everywhere", "good_region"):
        level = getattr(trust, scope).level
        if level not in LEAST:
            found.append((scope, level, Judgement(None)))
            continue
        true = true_skill(problem, run, scope)
        found.append((scope, level, Judgement(true >= LEAST[level], f"true skill {true:.2f}")))
    return found


def true_skill(problem: Problem, run: hx.Run, scope: str) -> float:
    """R² over the space; or the rank correlation among the truly best quarter of it."""
    if problem.constant:
        return -1.0
    X = problem.rows(problem.points[:2048])
    true, predicted = problem.cost(X), run.surrogate().predict(X)[0]
    if scope == "everywhere":
        return float(1.0 - np.mean((true - predicted) ** 2) / true.var())
    best = true <= np.quantile(true, BEST)
    if np.ptp(true[best]) == 0.0 or np.ptp(predicted[best]) == 0.0:
        return -1.0
    return float(spearmanr(true[best], predicted[best]).statistic)
