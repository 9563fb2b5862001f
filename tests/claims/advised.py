"""What is advised: whether each action gains what it says, and whether its trials crash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.claims.asked import Asked, Scored
from tests.claims.problem import PROBABLE

LOST = 0.05  # of median minus best: who narrows must not lose more


def advised(asked: Asked) -> Iterator[Scored]:
    """Of each action whether it is right."""
    for action in asked.advice.actions:
        right = _right(asked, action)
        yield Scored(f"{action.kind} (advice)", certain=action.certain, right=right)
        if action.kind == "try":
            for works in asked.gives_result(action.configurations):
                yield Scored("proposal works", right=bool(works))
    if asked.problem.spread > 0.0:
        lost = asked.left / asked.problem.spread
        yield Scored("trial to keep", stated=lost, known=_observed_left(asked))


def _observed_left(asked: Asked) -> float:
    """Return what is lost by the best observed trial, of median minus best."""
    observed = asked.problem.cost_of(asked.run.incumbent)
    return (observed - asked.problem.best) / asked.problem.spread


def _right(asked: Asked, action: Any) -> bool | None:
    problem = asked.problem
    if problem.spread <= 0.0:
        return None
    if action.kind == "try":
        rows = np.vstack([problem.row_of(config) for config in action.configurations])
        works = problem.p_result(rows) >= PROBABLE
        return bool((problem.cost(rows)[works] < asked.kept_cost).any())
    if action.kind == "repeat":
        own = [problem.cost_of(asked.run.config(trial)) for trial in action.trials]
        return min(own) < own[0]
    if action.kind == "keep":
        return asked.kept_cost <= problem.cost_of(asked.run.incumbent)
    if action.kind == "narrow":
        changed = {p.name: p for p in action.parameters}
        part = [changed.get(p.name, p) for p in problem.space.parameters]
        allowed = max(LOST * problem.spread, asked.noise)
        return bool(problem.best_in(part)[0] <= problem.best + allowed)
    return None
