"""What matters: shares of the variance, of what decides the best, and who is first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

import hpo_explain as hx
from tests.claims.asked import Asked, Scored, covers

MATTERS, INTERACTS = 0.02, 0.005
"""Shares that count."""
SLACK = 0.005


def shares(asked: Asked) -> Iterator[Scored]:
    """Of single hyperparameters, of pairs, and of all single ones together."""
    problem, names = asked.problem, asked.problem.space.names
    if not problem.is_whole or problem.asked is not None:
        return
    result = hx.importance(asked.run, order=2)
    claims = [claim for claim in result.claims if claim.kind == "share"]
    found = {frozenset(c.hyperparameters): c for c in claims if c.term in ("alone", "interaction")}
    for members, share in problem.shares.items():
        one = len(members) == 1
        kind = "share of one" if one else "share of a pair"
        true = bool(problem.totals[members[0]] > MATTERS if one else share > INTERACTS)
        yield _share(kind, found.get(frozenset(names[j] for j in members)), share, true)
    alone = sum(problem.shares[j,] for j in range(len(names)))
    for claim in claims:
        if claim.term == "all alone" and len(claim.hyperparameters) == len(names) > 1:
            covered = covers(claim.interval, alone, SLACK)
            yield Scored("shares of all", certain=claim.certain, covered=covered)
    yield from _orders(asked, result)
    yield from _first(asked, result)


def _share(kind: str, claim: Any, share: float, true: bool) -> Scored:
    if claim is None:
        return Scored(kind, made=False, could=true)
    return Scored(
        kind,
        certain=claim.certain,
        right=true == (claim.side == "above"),
        covered=covers(claim.interval, share, SLACK),
        could=true,
        stated=claim.estimate,
        known=share,
        width=2.0 * (claim.half or np.nan),
    )


def _orders(asked: Asked, result: Any) -> Iterator[Scored]:
    """Which of two neighbours in the ranking explains more."""
    names, shares = asked.problem.space.names, asked.problem.shares
    for claim in result.claims:
        if claim.kind != "order" or len(claim.hyperparameters) != 2:
            continue
        a, b = (shares[names.index(name),] for name in claim.hyperparameters)
        yield Scored("order", certain=claim.certain, right=bool(a > b), could=a > b + MATTERS)


def _first(asked: Asked, result: Any) -> Iterator[Scored]:
    """The hyperparameter that is said to matter most, by a claim of its own or as the first."""
    single = [c for c in result.claims if c.kind == "share" and len(c.hyperparameters) == 1]
    if not single or len(asked.problem.space) < 2:
        return
    first = max(single, key=lambda claim: (claim.term == "with interactions", claim.estimate))
    largest = asked.problem.totals.max()
    total = asked.problem.totals[asked.problem.space.names.index(first.hyperparameters[0])]
    right = bool(total >= largest - SLACK) and largest > MATTERS
    yield Scored(
        "matters most",
        certain=first.certain and first.side == "above",
        right=right,
        could=largest > MATTERS,
        stated=first.probability,
        known=float(right),
    )


def shares_of_the_best(asked: Asked) -> Iterator[Scored]:
    """What decides the best 10 %, in the whole space and among the better half."""
    problem = asked.problem
    if not problem.is_whole or not problem.has_table or problem.spread <= 0.0:
        return
    if problem.asked is not None:
        return
    names, table = problem.space.names, problem.table
    best = table <= np.quantile(table, 0.1)
    for within in (None, 0.5):
        label = "the best 10 %" if within is None else "the best of the better"
        inside = table <= np.quantile(table, within or 1.0)
        explained = _explained(best, inside)
        alone = [explained(j) for j in range(len(names))]
        pairs = {frozenset(pair): explained(*pair) for pair in combinations(range(len(names)), 2)}
        result = hx.importance(asked.run, top=0.1, within=within)
        found = {
            c.hyperparameters: c
            for c in result.claims
            if c.kind == "share" and c.term in ("alone", "interaction")
        }
        for j, name in enumerate(names):
            others = [k for k in range(len(names)) if k != j]
            interactions = sum(pairs[frozenset((j, k))] - alone[j] - alone[k] for k in others)
            true = bool(alone[j] + interactions > MATTERS)
            yield _share(f"share in {label}", found.get((name,)), alone[j], true)
        for claim in result.claims:
            if claim.kind == "order":
                a, b = (alone[names.index(name)] for name in claim.hyperparameters)
                right = bool(a > b)
                yield Scored(f"order in {label}", certain=claim.certain, right=right, could=right)


def _explained(best: np.ndarray, inside: np.ndarray) -> Any:
    """Return the function of a set's share in whether a cell of those inside is among the best."""
    mean = best[inside].mean()
    variance = max(mean * (1.0 - mean), 1e-12)

    def explained(*kept: int) -> float:
        others = tuple(k for k in range(best.ndim) if k not in kept)
        rows, hits = inside.sum(axis=others), best.sum(axis=others)
        between = (hits**2 / np.maximum(rows, 1)).sum() / inside.sum() - mean**2
        return float(between / variance)

    return explained


def fanova(asked: Asked) -> Iterator[Scored]:
    """Optuna's fANOVA of the same run, normalized shares of single hyperparameters as it says."""
    import optuna

    problem, run = asked.problem, asked.run
    if not problem.is_whole or problem.is_constant or problem.asked is not None:
        return
    if any(p.active_when for p in problem.space.parameters):
        return
    study = optuna.create_study(direction=run.direction)
    distributions = problem.space.to_optuna()
    for number, value in zip(run.trials, run.objective, strict=True):
        params = {name: _plain(v) for name, v in run.config(number).items()}
        study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=distributions, value=float(value)
            )
        )
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    told = optuna.importance.get_param_importances(study, evaluator=evaluator, normalize=False)
    for j, name in enumerate(problem.space.names):
        known = problem.shares[j,]
        yield Scored("share by fANOVA", stated=told.get(name, 0.0), known=known)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
