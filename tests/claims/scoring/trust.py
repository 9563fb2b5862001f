"""Verdicts of trust against what the belief truly knows."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

import hpo_explain as hx
from tests.claims.problems import Problem
from tests.claims.scoring.case import Judgement

LEAST = {"good": 0.5, "fair": 0.0}
"""What R², or of a fair verdict the rank correlation, must at least be."""
BEST = 0.2  # of the space


def verdict(problem: Problem, run: hx.Run, trust: hx.RunTrust) -> Judgement:
    """Whether a verdict that is better than poor stands for skill."""
    if trust.level not in LEAST:
        return Judgement(None)
    r2, rank = true_skill(problem, run)
    true = max(r2, rank) if trust.level == "fair" else r2
    return Judgement(true >= LEAST[trust.level], f"true skill {true:.2f}")


def true_skill(problem: Problem, run: hx.Run) -> tuple[float, float]:
    """R² over the space, and the rank correlation among the fifth predicted to be the best."""
    if problem.constant:
        return -1.0, -1.0
    X = problem.rows(problem.points[:2048])
    true, predicted = problem.cost(X), run.sign * run.belief().predict(X)[0]
    best = predicted <= np.quantile(predicted, BEST)
    varies = np.ptp(true[best]) > 0.0 and np.ptp(predicted[best]) > 0.0
    rank = float(spearmanr(true[best], predicted[best]).statistic) if varies else -1.0
    return float(1.0 - np.mean((true - predicted) ** 2) / true.var()), rank
