"""Claims of a run, and whether the truth agrees."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import hpo_explain as hx
from hpo_explain.space import CategoricalParameter
from tests.claims.problems import Problem
from tests.claims.runs import NOISE, Setting, make_run

MATTERS, INTERACTS, LOSS = 0.02, 0.005, 0.05
"""Shares that count, and the loss allowed by narrowing, of median minus best."""


class Scored(NamedTuple):
    """A claim (or what could have been claimed) and the truth about it.

    `kind` is its kind with what it is about; `right` and `covered` (by the interval) are None
    where the truth does not decide, or there is no interval. `true` is whether it could be told.
    """

    kind: str
    made: bool
    certain: bool
    right: bool | None
    covered: bool | None
    true: bool


def score(setting: Setting) -> Iterator[Scored]:
    """Ask what people ask, and hold every claim against the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run, problem = make_run(setting), setting.problem
        for ask in (_shares, _effects, _best_space, _default, _noise, _trust):
            yield from ask(run, problem)


def _covers(claim: Any, truth: float, slack: float) -> bool | None:
    if claim.interval is None:
        return None
    low, high = claim.interval
    return bool(low - slack <= truth <= high + slack)


def _shares(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    names, shares = problem.space.names, problem.shares
    totals = [sum(s for key, s in shares.items() if j in key) for j in range(len(names))]
    found = {c.hyperparameters: c for c in hx.importance(run, order=2).claims if c.kind == "share"}
    for j, name in enumerate(names):
        claim, matters = found.get((name,)), totals[j] > MATTERS
        if claim is None:
            yield Scored("share of one", False, False, None, None, matters)
            continue
        right = (totals[j] > MATTERS) == (claim.side == "above")
        covered = _covers(claim, shares[j,], 0.005)
        yield Scored("share of one", True, claim.certain, right, covered, matters)
    for (a, b), share in ((key, s) for key, s in shares.items() if len(key) == 2):
        claim = found.get((names[a], names[b])) or found.get((names[b], names[a]))
        true = share > INTERACTS
        if claim is None:
            yield Scored("share of a pair", False, False, None, None, true)
            continue
        right = true == (claim.side == "above")
        covered = _covers(claim, share, 0.005)
        yield Scored("share of a pair", True, claim.certain, right, covered, true)
    if len(names) > 1 and (claim := found.get(names)):
        alone = sum(s for key, s in shares.items() if len(key) == 1)
        yield Scored("shares of all", True, claim.certain, None, _covers(claim, alone, 0.005), True)


def _effects(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    for j, name in enumerate(problem.space.names):
        parameter, truth = problem.space.parameters[j], problem.curve(j)
        slack = 0.01 * problem.spread
        real = np.ptp(truth) > max(LOSS * problem.spread, 1e-12)
        told = {"difference": False, "best": False}
        for claim in hx.partial_dependence(run, name).claims:
            if claim.term:
                continue
            told[claim.kind] = told.get(claim.kind, False) or claim.side == "above"
            if claim.kind == "difference" and claim.values:
                a, b = (problem.level(j, parameter.encode([v])[0]) for v in claim.values[0])
                gap = float(truth[a] - truth[b])
                right = bool(np.sign(gap) == np.sign(claim.estimate)) if abs(gap) > 1e-12 else False
                covered = _covers(claim, gap, slack)
                yield Scored("difference", True, claim.certain, right, covered, bool(real))
            elif claim.kind == "difference":  # none beyond noise
                right = bool(np.ptp(truth) <= max(_noise_of(problem), slack))
                yield Scored("no difference", True, claim.certain, right, None, not real)
            elif claim.kind == "best":
                inside = _inside(problem, j, claim.values[0])
                right = bool(truth[inside].min() <= truth.min() + slack)
                yield Scored("best at", True, claim.certain, right, None, bool(real))
        for kind in ("difference", "best"):
            if not told[kind]:
                label = {"best": "best at"}.get(kind, kind)
                yield Scored(label, False, False, None, None, bool(real))


def _inside(problem: Problem, j: int, values: Any) -> np.ndarray:
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


def _best_space(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    lose = max(LOSS * problem.spread, 1e-9)
    result = hx.recommended_space(run, lose=lose)
    kept = [_kept(problem, j, result) for j in range(len(problem.space))]
    left = problem.table[np.ix_(*kept)]
    right = bool(left.min() <= problem.table.min() + lose)
    volume = float(np.prod([k.mean() for k in kept]))
    could = bool((problem.table <= problem.table.min() + lose).mean() < 0.5)
    made = volume < 0.999
    certain = made and all(c.certain for c in result.claims if c.kind == "keep")
    yield Scored("keep", made, certain, right if made else None, None, could)


def _kept(problem: Problem, j: int, result: Any) -> np.ndarray:
    """Return which levels of a hyperparameter a recommended space holds."""
    name, levels = problem.space.names[j], problem.levels[j]
    if name in result.space.names:
        new = result.space[name]
        values = list(new.choices) if isinstance(new, CategoricalParameter) else (new.low, new.high)
        return _inside(problem, j, values)
    fixed = [c.values[0] for c in result.claims if c.hyperparameters == (name,)]
    if not fixed:
        return np.ones(len(levels), bool)
    at = problem.level(j, problem.space.parameters[j].encode(fixed[:1])[0])
    return levels == levels[at]


def _default(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    result = hx.ablation(run)
    ends = [problem.space.encode(config) for config in (result.source, result.target)]
    values = [float(problem.cost(x)[0]) for x in ends]
    gain = values[0] - values[1]
    whole = next(
        (c for c in result.claims if c.kind == "difference" and len(c.hyperparameters) > 1), None
    )
    true = gain > LOSS * problem.spread
    if whole is None or whole.side == "below":
        yield Scored("better than another", False, False, None, None, true)
        return
    covered = _covers(whole, gain, 0.01 * problem.spread)
    right = bool(np.sign(gain) == np.sign(whole.estimate))
    yield Scored("better than another", True, whole.certain, right, covered, true)


def _noise_of(problem: Problem) -> float:
    return NOISE * problem.scale


def _noise(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    if problem.draw is not None:
        return
    truth = NOISE * problem.scale
    ratio = run.belief().noise_std / truth
    yield Scored("spread", True, False, bool(0.5 < ratio < 2.0), None, True)


def _trust(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    rows = problem.space.sample(2000, seed=7)
    truth, mean = problem.cost(rows), run.sign * run.belief().predict(rows)[0]
    r2 = 1.0 - float(((truth - mean) ** 2).mean()) / max(float(truth.var()), 1e-300)
    found = hx.trust(run)
    low, high = found.r2_interval
    yield Scored(
        f"trust {found.level}", True, False, None, bool(low - 0.05 <= r2 <= high + 0.05), True
    )
