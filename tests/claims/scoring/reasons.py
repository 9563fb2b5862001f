"""What values contribute to the objective at one configuration."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement

SMALL = 0.005  # of the signal's standard deviation: a contribution of less is none


def contribution(case: Case, claim: Claim) -> Judgement:
    """The Shapley value of the true objective has the claimed sign.

    What an acquisition says of itself is its own.
    """
    if claim.term != "objective" and case.method != "explain_prediction":
        return UNDECIDED
    (name,) = claim.hyperparameters
    sign = 1.0 if case.run.direction == "minimize" else -1.0
    phi = sign * float(true_contributions(case)[case.problem.space.index(name)])
    return Judgement(bool(np.sign(phi) == np.sign(claim.estimate)), f"{phi:.3g}")


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
    """What an oracle could claim: the contributions of the values that the claims name."""
    result: Any = case.result
    phi = true_contributions(case)
    names = [n for c in result.claims if c.term == "objective" for n in c.hyperparameters]
    large = [n for n in names if abs(phi[case.problem.space.index(n)]) > SMALL * case.problem.scale]
    return Counter({"contribution objective": len(large)})
