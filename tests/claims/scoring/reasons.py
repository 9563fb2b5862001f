"""Why a configuration is desirable: contributions of its values, and how common they are."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement

SMALL = 0.005  # of the signal's standard deviation: a contribution of less is none
GOOD = 0.25  # of the trials
APART = 0.02  # times as common
CLEAR = 1.1  # times as common: an oracle names values that are so much more common
FEW = 0.1  # of the trials are good ones for TPE
NEAR = 0.1  # of a range: as near are trials of the same value


def reason(case: Case, claim: Claim) -> Judgement:
    """The true contribution has the claimed sign.

    Of a term about the mean: the Shapley value of the true cost. Of TPE's densities: whether the
    value is truly more common among good trials; whether it is rarer among the others than by
    chance. What is about uncertainty, or mixes it with the mean, is the model's own.
    """
    if claim.term == "mean":
        (name,) = claim.hyperparameters
        phi = -float(true_contributions(case)[case.problem.space.index(name)])
        right = np.sign(phi) == np.sign(claim.estimate) and abs(phi) > SMALL * case.problem.scale
        return Judgement(bool(right), f"{phi:.3g}")
    if claim.term == "good":
        return _more_common(case, claim, claim.estimate > 0.0)
    if claim.term == "bad":
        return _rarer_than_chance(case, claim)
    return UNDECIDED


def common(case: Case, claim: Claim) -> Judgement:
    """With the value, trials like those made before are truly good more often than without."""
    return _more_common(case, claim, claim.kind == "common")


def _more_common(case: Case, claim: Claim, more: bool) -> Judgement:
    if len(claim.values) != 1:
        return UNDECIDED
    times = _times_as_good(case, claim.hyperparameters[0], claim.values[0])
    if times is None:
        return UNDECIDED
    right = times > 1.0 + APART if more else times < 1.0 - APART
    return Judgement(bool(right), f"good {times:.2f} times as often")


def _rarer_than_chance(case: Case, claim: Claim) -> Judgement:
    """Whether fewer of the other trials are near the value than of as many by chance."""
    (name,), (value,) = claim.hyperparameters, claim.values
    before = np.asarray(case.run.trials) < case.result.trial
    values, costs = case.run.X[before, case.problem.space.index(name)], case.run.cost[before]
    values = values[costs > np.quantile(costs, FEW)]
    values = values[~np.isnan(values)]
    if not len(values):
        return UNDECIDED
    at = next(case.positions(name, value))[0]
    parameter = case.problem.space.parameters[case.problem.space.index(name)]
    if isinstance(parameter, hx.CategoricalParameter):
        near, chance = float((values == at).mean()), 1.0 / len(parameter.choices)
    else:
        low, high = max(at - NEAR, 0.0), min(at + NEAR, 1.0)
        near, chance = float(((values >= low) & (values <= high)).mean()), high - low
    right = near <= chance if claim.estimate > 0.0 else near >= chance
    return Judgement(bool(right), f"{near:.2f} of the others are near it, by chance {chance:.2f}")


def _times_as_good(case: Case, name: str, value: Any) -> float | None:
    """How much more often trials are truly good with a value than with the others' values.

    Of the trials before the explained one, with every other hyperparameter as it was tried.
    """
    trial = case.result.trial
    rows = case.run.X[np.asarray(case.run.trials) < trial] if trial is not None else case.run.X
    j = case.problem.space.index(name)
    rows = rows[~np.isnan(rows[:, j])]
    if len(rows) < 5:
        return None
    good = np.quantile(case.problem.cost(rows), GOOD)
    moved = np.repeat(rows, len(rows), axis=0)
    moved[:, j] = np.tile(rows[:, j], len(rows))
    with_it = rows.copy()
    with_it[:, j] = next(case.positions(name, value))[0]
    overall = float((case.problem.cost(moved) <= good).mean())
    return float((case.problem.cost(with_it) <= good).mean()) / overall if overall else None


def true_contributions(case: Case) -> np.ndarray:
    """Shapley values (d,) of the true cost against the whole space, from all coalitions."""
    result: Any = case.result
    problem, x = case.problem, case.latent(result.config)
    players = np.flatnonzero(~np.isnan(x)).tolist()
    background = problem.points[:512]
    value = {}
    for size in range(len(players) + 1):
        for members in combinations(players, size):
            moved = background.copy()
            moved[:, list(members)] = x[list(members)]
            value[frozenset(members)] = float(problem.at(moved).mean())
    found = np.zeros(case.d)
    for members, here in value.items():
        for j in members:
            size = len(members) - 1
            weight = 1.0 / (len(players) * comb(len(players) - 1, size))
            found[j] += weight * (here - value[members - {j}])
    return found


def could(case: Case) -> Counter[str]:
    """What an oracle could claim: the main reasons that the mean gives, and common values."""
    result: Any = case.result
    if case.method == "proposal_densities":
        times = [_times_as_good(case, name, value) for name, value in result.config.items()]
        return Counter(common=min(3, sum(t is not None and t >= CLEAR for t in times)))
    if case.method != "explain_proposal" or "mean" not in result.terms:
        return Counter()
    phi = -true_contributions(case)
    aligned = np.sort(np.sign(phi.sum()) * phi)[::-1]
    if abs(phi.sum()) <= SMALL * case.problem.scale:
        return Counter()
    n = 0
    while n < min(3, len(aligned)) and aligned[n] > SMALL * case.problem.scale:
        n += 1
        if aligned[:n].sum() >= 0.75 * aligned[aligned > 0].sum():
            break
    return Counter({"reason mean": n})
