"""Effects of single hyperparameters: which values are best, on average and attainable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain import CategoricalParameter
from tests.claims.asked import LOSS, Asked, Scored, covers
from tests.claims.problem import Problem

MOST = 6  # hyperparameters of a run that are asked for


def effects(asked: Asked) -> Iterator[Scored]:
    """Of each hyperparameter the mean, and what is attainable."""
    problem = asked.problem
    if problem.asked is not None:
        return
    for j, name in enumerate(problem.space.names[:MOST]):
        result = hx.partial_dependence(asked.run, name, attainable=True)
        claims = list(result.claims)
        average = [c for c in claims if not c.term]
        reached = [c for c in claims if c.term == "attainable"]
        if problem.is_whole:
            yield from _of_curve(asked, j, average, problem.curve(j), "")
        if problem.has_table:
            yield from _of_curve(asked, j, reached, problem.attainable(j), " (attainable)")


def _of_curve(
    asked: Asked, j: int, claims: list[Any], truth: np.ndarray, which: str
) -> Iterator[Scored]:
    problem, slack = asked.problem, asked.slack
    truth = np.where(np.isfinite(truth), truth, np.nanmax(truth[np.isfinite(truth)]))
    real = bool(np.ptp(truth) > max(LOSS * problem.spread, 1e-12))
    told = {f"difference{which}": False, f"best at{which}": False}
    for claim in claims:
        if claim.kind == "difference" and claim.values:
            kind = f"difference{which}"
            gap = asked.sign * _gap(problem, j, claim.values[0], truth)
            same = bool(np.sign(gap) == np.sign(claim.estimate)) and abs(gap) > 1e-12
            covered = covers(claim.interval, gap, slack)
            yield Scored(kind, certain=claim.certain, right=same, covered=covered, could=real)
        elif claim.kind == "difference":  # none beyond noise
            kind = f"no difference{which}"
            right = bool(np.ptp(truth) <= max(asked.noise, slack))
            yield Scored(kind, certain=claim.certain, right=right, could=not real)
        elif claim.kind == "best":
            kind = f"best at{which}"
            inside = values_inside(problem, j, claim.values[0])
            right = bool(truth[inside].min() <= truth.min() + slack)
            reached = asked.sign * float(truth[inside].min())
            covered = covers(claim.interval, reached, slack)
            yield Scored(kind, certain=claim.certain, right=right, covered=covered, could=real)
        else:
            continue
        told[kind] = True
    for kind, said in told.items():
        if not said:
            yield Scored(kind, made=False, could=real)


def _gap(problem: Problem, j: int, values: Any, truth: np.ndarray) -> float:
    parameter = problem.space.parameters[j]
    a, b = (problem.level(j, float(parameter.encode([v])[0])) for v in values)
    return float(truth[a] - truth[b])


def values_inside(problem: Problem, j: int, values: Any) -> np.ndarray:
    """Return which levels lie within a range, several ranges, or a set of values."""
    parameter, levels = problem.space.parameters[j], problem.levels[j]
    if isinstance(parameter, CategoricalParameter):
        some = values if isinstance(values, (tuple, list, set, frozenset)) else (values,)
        return np.isin(levels, parameter.encode(list(some)))
    ranges = values if isinstance(values[0], (tuple, list)) else (values,)
    found = np.zeros(len(levels), bool)
    for low, high in ranges:
        a, b = parameter.encode([low, high])
        found |= (levels >= a - 1e-9) & (levels <= b + 1e-9)
        found[problem.level(j, (a + b) / 2)] = True
    return found
