"""How strongly pairs act together (H), and what moves a prediction: beside exact values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked, Scored, covers
from tests.claims.problem import Problem
from tests.claims.shares import SLACK

JOINT = 0.1  # of the variance: pairs that explain less together are not asked
MOST = 9  # hyperparameters, of which every coalition is valued
VALUED = 2**18  # rows of all coalitions together


def strengths(asked: Asked) -> Iterator[Scored]:
    """H of each pair that matters."""
    problem, names = asked.problem, asked.problem.space.names
    if not _is_plain(problem) or len(names) < 2:
        return
    result = hx.methods.h_statistic(asked.run)
    pairs = {frozenset(pair): i for i, pair in enumerate(result.members)}
    for a, b in combinations(range(len(names)), 2):
        # what is estimated of nothing may be below it
        apart = max(problem.shares[a,], 0.0) + max(problem.shares[b,], 0.0)
        own = problem.shares[a, b]
        if apart + own < JOINT:
            continue
        known, *within = (
            float(np.sqrt(max(share, 0.0) / (apart + max(share, 0.0))))
            for share in (own, own - SLACK, own + SLACK)
        )
        place = pairs[frozenset((names[a], names[b]))]
        low, high = result.interval(place)
        yield Scored(
            "H of a pair",
            covered=bool(low <= within[1] and within[0] <= high),
            stated=float(result.values[place]),
            known=known,
            width=high - low,
        )


def prediction(asked: Asked) -> Iterator[Scored]:
    """Shapley values of what is predicted for the trial to keep."""
    problem = asked.problem
    if not _is_plain(problem) or len(problem.space) > MOST:
        return
    result = hx.explain_prediction(asked.run, asked.kept)
    truth = asked.sign * contributions(
        problem.cost, problem.row_of(asked.kept)[0], _spread_rows(problem)
    )
    for j, known in enumerate(truth):
        decision = result.objective(j)
        if decision is None:
            continue
        right = bool(np.sign(known) == np.sign(decision.estimate))
        yield Scored(
            "contribution",
            certain=decision.certain,
            right=right,
            covered=covers(decision.interval, known, asked.slack),
            stated=decision.estimate,
            known=known,
        )


def contributions(
    cost: Callable[[np.ndarray], np.ndarray], x: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Return the exact Shapley values of a row beside the average over others, (d,)."""
    d = len(x)
    inside = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    composed = np.where(inside[:, None], x, rows[None])
    value = cost(composed.reshape(-1, d)).reshape(2**d, -1).mean(axis=1)
    sizes = inside.sum(axis=1)
    found = np.empty(d)
    for j in range(d):
        without = np.flatnonzero(~inside[:, j])
        weights = [1.0 / (d * comb(d - 1, size)) for size in sizes[without]]
        found[j] = weights @ (value[without + 2**j] - value[without])
    return found


def _spread_rows(problem: Problem) -> np.ndarray:
    """Return rows that are spread over the space, as many as all coalitions leave for each."""
    rows, n = problem.rows, VALUED // 2 ** len(problem.space)
    if len(rows) <= n or not problem.has_table:
        return rows[:n]  # the first ones of Sobol's are spread as well
    chosen = np.random.default_rng(0).choice(len(rows), n, replace=False)
    return rows[chosen]


def _is_plain(problem: Problem) -> bool:
    """Whether all hyperparameters are there everywhere, and results, too."""
    conditional = any(p.active_when for p in problem.space.parameters)
    return (
        problem.is_whole and problem.asked is None and not conditional and not problem.is_constant
    )
