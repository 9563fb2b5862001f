"""Steps between configurations (ablation), and changes of one hyperparameter (LIME)."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement, inside

SMALL = 0.01  # of the signal's standard deviation: differences of less are none
WORTH = 0.05  # of the whole gain: an oracle names steps that gain more
EQUAL = 0.1  # of the signal's standard deviation: "do not differ" holds of less


def gain(case: Case, claim: Claim) -> Judgement:
    """The step truly goes the way that is claimed, on the same path."""
    result: Any = case.result
    place = list(result.steps).index(claim.hyperparameters)
    true = -float(np.diff(true_path(case))[place])
    return _signed(case, claim, true)


def total_gain(case: Case, claim: Claim) -> Judgement:
    """The target is truly better, or worse, than the source."""
    return _signed(case, claim, true_total(case))


def difference(case: Case, claim: Claim) -> Judgement:
    """The target is truly better, or worse, than the source; or they do not differ."""
    return (no_difference if claim.side == "below" else total_gain)(case, claim)


def no_difference(case: Case, claim: Claim) -> Judgement:
    """The configurations' true costs differ by next to nothing."""
    true = true_total(case)
    right = abs(true) <= EQUAL * case.problem.scale
    return Judgement(right, f"gain {true:.3g}", inside(claim.interval, true))


def order_matters(case: Case, claim: Claim) -> Judgement:
    """The step's true gain on the path is apart from its true Shapley value."""
    result: Any = case.result
    place = list(result.steps).index(claim.hyperparameters)
    gains, shapley = -np.diff(true_path(case)), true_shapley(case)
    whole = max(abs(gains.sum()), np.abs(shapley).max())
    gap = abs(gains[place] - shapley[place])
    return Judgement(bool(gap >= 0.05 * whole > 0.0), f"gap {gap:.3g} of {whole:.3g}")


def effect(case: Case, claim: Claim) -> Judgement:
    """The coefficient of the same linear model of the true function has the same sign."""
    if claim.side == "below":
        return no_effect(case, claim)
    true = lime_coefficients(case).get((claim.hyperparameters, claim.values))
    return UNDECIDED if true is None else _signed(case, claim, true)


def no_effect(case: Case, claim: Claim) -> Judgement:
    """Nothing differs in truth: along the path, around the configuration, or anywhere."""
    if case.method == "ablation":
        size = float(np.abs(np.diff(true_path(case))).max())
    elif case.method == "lime":
        size = max(map(abs, lime_coefficients(case).values()), default=0.0)
    elif case.method == "local_importance":
        from tests.claims.scoring.shares import local_variances

        size = float(np.sqrt(local_variances(case).max()))
    else:
        size = case.problem.spread
    return Judgement(size <= 2 * SMALL * case.problem.scale, f"largest {size:.3g}")


def _signed(case: Case, claim: Claim, true: float) -> Judgement:
    right = np.sign(true) == np.sign(claim.estimate) and abs(true) > SMALL * case.problem.scale
    return Judgement(bool(right), f"{true:.3g}", inside(claim.interval, true))


# ---------------------------------------------------------------------- ablation


def _mixed(case: Case, flipped: set[str]) -> dict[str, Any]:
    """The configuration with some values of the target and the others of the source."""
    result: Any = case.result
    source, target = dict(result.source), dict(result.target)
    flips = {name for step in result.steps for name in step}
    merged = {}
    for name in case.problem.space.names:
        first, second = (
            (target, source) if name in flipped or name not in flips else (source, target)
        )
        if name in first or name in second:
            merged[name] = first[name] if name in first else second[name]
    for parameter in case.problem.space.parameters:
        for parent, values in (parameter.active_when or {}).items():
            if merged.get(parent) not in values:
                merged.pop(parameter.name, None)
    return merged


def true_path(case: Case) -> np.ndarray:
    """The true costs along the path, source and target included."""
    result: Any = case.result
    flipped: set[str] = set()
    costs = [case.cost(result.source)]
    for step in result.steps:
        flipped |= set(step)
        costs.append(case.cost(_mixed(case, flipped)))
    return np.array(costs)


def true_total(case: Case) -> float:
    """The true improvement from source to target."""
    result: Any = case.result
    return case.cost(result.source) - case.cost(result.target)


def true_shapley(case: Case) -> np.ndarray:
    """Shapley values of the steps on the true cost, from all coalitions."""
    result: Any = case.result
    k = len(result.steps)

    @cache
    def value(members: frozenset[int]) -> float:
        return -case.cost(_mixed(case, {name for i in members for name in result.steps[i]}))

    found = np.zeros(k)
    for i in range(k):
        others = [j for j in range(k) if j != i]
        for size in range(k):
            for chosen in combinations(others, size):
                before = frozenset(chosen)
                weight = 1.0 / (k * comb(k - 1, size))
                found[i] += weight * (value(before | {i}) - value(before))
    return found


# ---------------------------------------------------------------------- LIME


def lime_coefficients(case: Case) -> dict[tuple[tuple[str, ...], tuple[Any, ...]], float]:
    """Coefficients of weighted least squares on the true function, by name and change.

    With the same kernel around the same configuration; of a number over its whole range.
    """
    result: Any = case.result
    problem = case.problem
    x, z = case.row(result.config), problem.rows(problem.points)
    keys: list[tuple[tuple[str, ...], tuple[Any, ...]]] = []
    columns, squares = [np.ones(len(z))], np.zeros(len(z))
    for j, parameter in enumerate(problem.space.parameters):
        gap = z[:, j] - x[j]
        if isinstance(parameter, hx.CategoricalParameter):
            own = parameter.choices[int(x[j])]
            squares += gap != 0.0
            for code, choice in enumerate(parameter.choices):
                if choice != own:
                    keys.append(((parameter.name,), (own, choice)))
                    columns.append((z[:, j] == code).astype(float))
            continue
        both = np.isnan(z[:, j]) & np.isnan(x[j])
        squares += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap)) ** 2
        if not np.isnan(x[j]):
            keys.append(((parameter.name,), (parameter.low, parameter.high)))
            columns.append(np.nan_to_num(gap))
    root = np.exp(-0.5 * squares / result.kernel_width**2)
    design = np.column_stack(columns) * root[:, None]
    change = (problem.cost(z) - problem.cost(x[None, :])) * root
    beta = np.linalg.lstsq(design, change, rcond=None)[0]
    return dict(zip(keys, beta[1:].tolist(), strict=True))


# ---------------------------------------------------------------------- an oracle


def could(case: Case) -> Counter[str]:
    """What an oracle could claim about the same configurations."""
    scale = case.problem.scale
    if case.method == "lime":
        sizes = np.array([abs(b) for b in lime_coefficients(case).values()])
        return Counter(difference=min(3, int((sizes > WORTH * scale).sum())))
    total, gains = true_total(case), -np.diff(true_path(case))
    if abs(total) <= SMALL * scale:
        return Counter({"difference none": 1})
    aligned = np.sort(np.sign(total) * gains)[::-1]
    n = 0
    while n < min(3, len(aligned)) and aligned[n] > WORTH * abs(total):
        n += 1
        if aligned[:n].sum() >= 0.75 * aligned[aligned > 0].sum():
            break
    gap = np.abs(gains - true_shapley(case)).max()
    return Counter(difference=1, contribution=n, order=int(gap > 0.1 * abs(total)))
