"""Claims of a run, and whether the truth agrees."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
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
    `stated` and `known` are the number of a verdict of trust and its truth.
    """

    kind: str
    made: bool
    certain: bool
    right: bool | None
    covered: bool | None
    true: bool
    stated: float = np.nan
    known: float = np.nan


def score(setting: Setting) -> Iterator[Scored]:
    """Ask what people ask, and hold every claim against the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run, problem = make_run(setting), setting.problem
        asked = (_shares, _best_shares, _effects, _best_space, _optimum, _default, _advice, _noise,
                 _trust)  # fmt: skip
        for ask in asked:
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
        covered = _covers(claim, alone, 0.005)
        yield Scored("shares of all", True, claim.certain, None, covered, False)


def _best_shares(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    """What decides the best 10 %, in the whole space and among the better half."""
    names, table = problem.space.names, problem.table
    best = table <= np.quantile(table, 0.1)
    for within in (None, 0.5):
        label = "the best 10 %" if within is None else "the best of the better"
        inside = table <= np.quantile(table, within or 1.0)
        mean = best[inside].mean()
        variance = max(mean * (1.0 - mean), 1e-12)

        def between(*kept: int, inside=inside, mean=mean, variance=variance) -> float:
            others = tuple(k for k in range(table.ndim) if k not in kept)
            rows, hits = (inside.sum(axis=others), best.sum(axis=others))
            explained = (hits**2 / np.maximum(rows, 1)).sum() / inside.sum() - mean**2
            return float(explained / variance)

        alone = [between(j) for j in range(len(names))]
        pairs = {frozenset(p): between(*p) for p in combinations(range(len(names)), 2)}
        result = hx.importance(run, top=0.1, within=within)
        found = {c.hyperparameters: c for c in result.claims if c.kind == "share"}
        for j, name in enumerate(names):
            claim = found[name,]
            others = [k for k in range(len(names)) if k != j]
            with_others = sum(pairs[frozenset((j, k))] - alone[j] - alone[k] for k in others)
            true = bool(alone[j] + with_others > MATTERS)
            right = true == (claim.side == "above")
            covered = _covers(claim, alone[j], 0.005)
            yield Scored(f"share in {label}", True, claim.certain, right, covered, true)
        for claim in (c for c in result.claims if c.kind == "order"):
            a, b = (alone[names.index(name)] for name in claim.hyperparameters)
            yield Scored(f"order in {label}", True, claim.certain, a > b, None, a > b)


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
    for j, (levels, of) in enumerate(zip(problem.levels, kept, strict=True)):
        if len(np.unique(levels[of])) == 1 < len(np.unique(levels)):
            right = bool(problem.attainable(j)[of].min() <= problem.table.min() + lose)
            yield Scored("fix", True, certain, right, None, True)


def cuts_the_best(setting: Setting) -> bool:
    """Whether the recommended space of a run loses more than it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run, problem = make_run(setting), setting.problem
        result = hx.recommended_space(run)
    left = problem.table[np.ix_(*(_kept(problem, j, result) for j in range(len(problem.space))))]
    return bool(left.min() > problem.table.min() + result.lose)


def _optimum(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    found, slack = hx.optimum(run), 0.01 * problem.spread
    best, better = found.claims[:2]
    at, incumbent = (
        float(problem.cost(problem.space.encode([config]))[0])
        for config in (found.config, found.incumbent)
    )
    covered, gains = _covers(best, run.sign * at, slack), incumbent - at > found.epsilon
    yield Scored("best near", True, best.certain, gains, covered, gains)
    left = incumbent - float(problem.table.min())
    true = left > found.epsilon
    yield Scored("better exists", True, better.certain, true, _covers(better, left, slack), true)


def _kept(problem: Problem, j: int, result: Any) -> np.ndarray:
    """Return which levels of a hyperparameter a recommended space holds."""
    name, levels = problem.space.names[j], problem.levels[j]
    if name in result.space.names:
        return _of_part(problem, name, result.space[name])
    fixed = [c.values[0] for c in result.claims if c.hyperparameters == (name,)]
    if not fixed:
        return np.ones(len(levels), bool)
    at = problem.level(j, problem.space.parameters[j].encode(fixed[:1])[0])
    return levels == levels[at]


def _default(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    result = hx.methods.ablation(run)
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


def _advice(run: hx.Run, problem: Problem) -> Iterator[Scored]:
    """Whether what each action says is gained is gained, and what it says is left is left."""
    best, number = float(problem.table.min()), list(run.trials)
    for action in hx.advise(run).actions:
        about = action.evidence[0] if action.evidence else {}
        own = [float(problem.cost(run.X[[number.index(t)]])[0]) for t in action.trials]
        right: bool | None = None
        if action.kind == "stop":
            kept = problem.cost(run.X[[number.index(about.trials[0])]])[0]
            right = bool(kept - best <= about["enough"])
        elif action.kind == "try":
            kept = problem.cost(run.X[[number.index(about.trials[0])]])[0]
            tried = problem.cost(problem.space.encode(list(action.configurations)))
            right = bool(kept - tried.min() > about["enough"])
        elif action.kind == "repeat":
            right = min(own) < own[0]
        elif action.kind == "keep":
            observed = problem.cost(run.X[[number.index(about["observed"])]])[0]
            right = bool(observed - own[0] > about["enough"])
        elif action.kind == "narrow":
            kept_levels = [_of_part(problem, p.name, p) for p in action.parameters]
            inside = np.ones(problem.table.shape, bool)
            for p, of in zip(action.parameters, kept_levels, strict=True):
                shape = np.ones(inside.ndim, int)
                shape[problem.space.index(p.name)] = -1
                inside &= of.reshape(shape)
            right = bool(problem.table[inside].min() <= best + about["lose"])
        elif action.kind == "widen" and problem.draw is None:
            right = _better_beyond(problem, action.parameters)
        yield Scored(f"{action.kind} (advice)", True, action.certain, right, None, False)


def _of_part(problem: Problem, name: str, part: Any) -> np.ndarray:
    """Return which levels of a hyperparameter a part of it holds."""
    categorical = isinstance(part, CategoricalParameter)
    values = list(part.choices) if categorical else (part.low, part.high)
    return _inside(problem, problem.space.index(name), values)


def _better_beyond(problem: Problem, parameters: Any) -> bool:
    """Return whether a function is better outside than in, from where it is best."""
    at = np.unravel_index(problem.table.argmin(), problem.table.shape)
    start = np.array([x[i] for x, i in zip(problem.levels, at, strict=True)])
    least = np.inf
    for p in parameters:  # all are of [0, 1], so encoded values are their own
        rows = np.repeat(start[None], 200, axis=0)
        rows[:, problem.space.index(p.name)] = np.linspace(p.low, p.high, 200)
        least = min(least, float(problem.cost(rows).min()))
    return least < float(problem.table.min()) - 0.01 * problem.spread


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
    if not np.ptp(truth):
        return  # of a constant R² is not defined
    r2 = 1.0 - float(((truth - mean) ** 2).mean() / truth.var())
    found = hx.trust(run)
    low, high = found.r2_interval
    covered = bool(low - 0.05 <= r2 <= high + 0.05)
    yield Scored(f"trust {found.level}", True, False, None, covered, True, found.r2, r2)
