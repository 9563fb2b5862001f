"""Effects of single hyperparameters: which values are best, on average and attainable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain import CategoricalParameter
from hpo_explain.space import Parameter
from tests.claims.asked import LOSS, Asked, Scored, covers
from tests.claims.boxes import CLOSE
from tests.claims.problem import Problem

MOST = 6  # hyperparameters of a run that are asked for


def effects(asked: Asked) -> Iterator[Scored]:
    """Of each hyperparameter the mean with its band, and what is attainable."""
    problem = asked.problem
    if problem.asked is not None:
        return
    for j, name in enumerate(problem.space.names[:MOST]):
        result = hx.partial_dependence(asked.run, name, attainable=True)
        claims = list(result.claims)
        average = [claim for claim in claims if not claim.term]
        reached = [claim for claim in claims if claim.term == "attainable"]
        at = _positions(problem, j, claims)
        if problem.is_whole:
            yield _band(asked, j, result)
            yield from _of_curve(asked, j, average, at, problem.curve(j, at), "")
        if problem.has_table:
            truth = problem.attainable(j, at)
            yield from _of_curve(asked, j, reached, at, truth, " (attainable)")


def _band(asked: Asked, j: int, result: Any) -> Scored:
    """Return which share of the effect's values the band holds."""
    (at,) = result.positions
    low, high = result.band()
    truth = asked.sign * asked.problem.curve(j, at)
    slack = asked.slack
    held = (low - slack <= truth) & (truth <= high + slack)
    return Scored(
        "band",
        stated=float(held.mean()),
        width=float(np.mean(high - low)) / max(asked.problem.spread, 1e-12),
    )


def _positions(problem: Problem, j: int, claims: list[Any]) -> np.ndarray:
    """Return the encoded values at which the truth is asked: the levels, and those named."""
    parameter, levels = problem.space.parameters[j], problem.levels[j]
    if parameter.size is not None:
        return levels
    named = [value for claim in claims for value in np.ravel(claim.values)]
    return np.unique([*levels, *parameter.encode(named)])


def _of_curve(
    asked: Asked, j: int, claims: list[Any], at: np.ndarray, truth: np.ndarray, which: str
) -> Iterator[Scored]:
    problem, slack = asked.problem, asked.slack
    parameter = problem.space.parameters[j]
    truth = np.where(np.isfinite(truth), truth, truth[np.isfinite(truth)].max())
    real = bool(np.ptp(truth) > max(LOSS * problem.spread, 1e-12))
    told = {f"difference{which}": False, f"best at{which}": False}
    for claim in claims:
        if claim.kind == "difference" and claim.values:
            kind = f"difference{which}"
            places = [int(np.abs(at - x).argmin()) for x in parameter.encode(claim.values[0])]
            gap = asked.sign * float(truth[places[0]] - truth[places[1]])
            same = bool(np.sign(gap) == np.sign(claim.estimate)) and abs(gap) > 1e-12
            covered = covers(claim.interval, gap, slack)
            yield Scored(kind, certain=claim.certain, right=same, covered=covered, could=real)
        elif claim.kind == "difference":  # none beyond noise
            kind = f"no difference{which}"
            right = bool(np.ptp(truth) <= max(asked.noise, slack))
            yield Scored(kind, certain=claim.certain, right=right, could=not real)
        elif claim.kind == "best":
            kind = f"best at{which}"
            inside = truth[values_inside(parameter, at, claim.values[0])]
            right = bool(inside.min() <= truth.min() + slack)
            covered = covers(claim.interval, asked.sign * float(inside.min()), slack)
            yield Scored(kind, certain=claim.certain, right=right, covered=covered, could=real)
        else:
            continue
        told[kind] = True
    for kind, said in told.items():
        if not said:
            yield Scored(kind, made=False, could=real)


def values_inside(parameter: Parameter, at: np.ndarray, values: Any) -> np.ndarray:
    """Return which encoded values lie within a range, several ranges, or a set of values."""
    if isinstance(parameter, CategoricalParameter):
        some = values if isinstance(values, (tuple, list, set, frozenset)) else (values,)
        return np.isin(at, parameter.encode(list(some)))
    ranges = values if isinstance(values[0], (tuple, list)) else (values,)
    found = np.zeros(len(at), bool)
    for low, high in ranges:
        a, b = parameter.encode([low, high])
        found |= (at >= a - CLOSE) & (at <= b + CLOSE)
    return found
