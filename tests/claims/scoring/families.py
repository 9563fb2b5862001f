"""Truth of claims about formulas, explored space, learning curves, several runs and objectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from scipy.stats import qmc, spearmanr

from hpo_explain.base.claim import Claim
from tests.claims.problems import Problem
from tests.claims.scoring.case import Judgement, inside

ERROR = 0.01  # of true shares, correlations and R²
MATTERS = 0.02  # the least share of what is said to matter
EVEN = 0.95  # of the space is as near to trials that are spread evenly
DRAWN = 20_000


def average_at(problem: Problem, point: Mapping[str, Any]) -> float:
    """The true cost at some values, averaged over all other hyperparameters."""
    latent = problem.points[:1024].copy()
    for name, value in point.items():
        j = problem.space.index(name)
        parameter = problem.space.parameters[j]
        latent[:, j] = (value - parameter.low) / (parameter.high - parameter.low)
    return float(problem.at(latent).mean())


def explored(tried: np.ndarray, claim: Claim) -> Judgement:
    """The share of a cube that is as near to trials as most of it is to an even spread."""
    n, d = tried.shape
    points = np.random.default_rng(1).random((DRAWN // 4, d))
    designs = [qmc.LatinHypercube(d, seed=100 + i).random(n) for i in range(20)]
    radius = np.mean([np.quantile(cKDTree(one).query(points)[0], EVEN) for one in designs])
    share = float(np.mean(cKDTree(tried).query(points)[0] <= radius))
    covered = inside(claim.interval, share, ERROR)
    return Judgement(covered, f"share {share:.3f}", covered)


def early_rank(
    at: Callable[[int, np.ndarray], np.ndarray], steps: Sequence[float], enough: float, d: int,
    claim: Claim,
) -> Judgement:  # fmt: skip
    """From the step on, ranks of trials anywhere in the cube correlate as is asked."""
    X = np.random.default_rng(2).random((DRAWN, d))
    final = at(len(steps) - 1, X)
    true = [float(spearmanr(at(s, X), final).statistic) for s in range(len(steps))]
    first = [*steps].index(claim.values[0])
    covered = inside(claim.interval, true[first])
    right = min(true[first:]) >= enough - ERROR
    return Judgement(right, f"correlations {np.round(true, 2).tolist()}", covered)


def pruning(final: np.ndarray, stopped: np.ndarray, claim: Claim) -> Judgement:
    """What is left of the trials (of which the least is the best) is worse by the regret."""
    left = final[~stopped]
    regret = float((left.min() if len(left) else final.max()) - final.min())
    return Judgement(abs(regret - claim.estimate) <= 1e-9 * (1.0 + abs(regret)), f"{regret:.3g}")


def change(problems: Sequence[Problem], claim: Claim) -> Judgement:
    """The share of the second problem is larger than that of the first, or smaller, as is said."""
    (name,) = claim.hyperparameters
    first, second = (problem.shares[name,] for problem in problems)
    gap = second - first
    covered = inside(claim.interval, gap, 2 * ERROR)
    right = gap * np.sign(claim.estimate) > -ERROR
    return Judgement(bool(right), f"from {first:.3f} to {second:.3f}", covered)


def everywhere(problems: Sequence[Problem], claim: Claim) -> Judgement:
    """The hyperparameter has a share in every problem."""
    found = [problem.shares[claim.hyperparameters] for problem in problems]
    return Judgement(min(found) >= MATTERS - ERROR, f"shares {np.round(found, 3).tolist()}")


def default(problems: Sequence[Problem], tried: Sequence[np.ndarray], claim: Claim) -> Judgement:
    """The configuration loses at most what is said, of what tuning gained over an average one."""
    config = dict(zip(claim.hyperparameters, claim.values, strict=True))
    lost = []
    for problem, X in zip(problems, tried, strict=True):
        cost = float(problem.cost(problem.space.encode(config))[0])
        best, average = problem.cost(X).min(), float(problem.at(problem.points).mean())
        lost.append((cost - best) / (average - best))
    upper = np.inf if claim.interval is None else claim.interval[1]
    right = bool(max(lost) <= upper + ERROR)
    return Judgement(right, f"loses {np.round(lost, 3).tolist()}", right)


def trade(problem: Problem, before: np.ndarray, after: np.ndarray, claim: Claim) -> Judgement:
    """The hyperparameter improves or worsens the objective, as is said (Shapley, all orders)."""
    (name,) = claim.hyperparameters
    gain = -shapley(problem, before, after)[problem.space.index(name)]
    covered = inside(claim.interval, gain, 1e-6)
    return Judgement(gain * claim.estimate > 0.0, f"gain {gain:.3g}", covered)


def shapley(problem: Problem, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """What each value of a row adds to the cost of another, on average over all orders, (d,)."""
    d = len(before)
    costs = {}
    for size in range(d + 1):
        for members in combinations(range(d), size):
            row = before.copy()
            row[list(members)] = after[list(members)]
            costs[members] = float(problem.cost(row[None, :])[0])
    found = np.zeros(d)
    for members, cost in costs.items():
        for j in set(range(d)) - set(members):
            weight = factorial(len(members)) * factorial(d - len(members) - 1) / factorial(d)
            found[j] += weight * (costs[tuple(sorted({*members, j}))] - cost)
    return found


def saving(
    losing: Problem, saved: Problem, rows: Mapping[int, np.ndarray], allowed: float, level: float,
    claim: Claim,
) -> Judgement:  # fmt: skip
    """The other trial costs at most so much, and saves at least what is said."""
    instead, best, _ = claim.values
    pair = np.stack([rows[instead], rows[best]])
    lost = -float(np.diff(losing.cost(pair))[0])
    gained = float(np.diff(saved.cost(pair))[0]) / level
    low = 0.0 if claim.interval is None else claim.interval[0]
    right = lost <= allowed * (1.0 + 1e-9) and gained >= low - 1e-9
    covered = inside(claim.interval, gained, 1e-9)
    return Judgement(right, f"loses {lost:.3g} of {allowed:.3g}, saves {gained:.3g}", covered)


def best_in_all(values: np.ndarray, row: int) -> Judgement:
    """No trial is better in any objective (costs) than the one that is named."""
    return Judgement(bool((values[row] <= values).all()), "")
