"""Claims over all proposals of a run: do they hold for another weight of the uncertainty?"""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement

ASSUMED = 1.96
OTHERS = (1.0, 3.0)
NEAR = 0.1  # of the proposals
SIMILAR = 0.1
LATEST = 5
LEAST = 3


def turning_point(case: Case, claim: Claim) -> Judgement:
    """The turn is near the same trial for κ = 1 and 3."""
    result: Any = case.result
    (name,), (trial,) = claim.hyperparameters, claim.values
    place = list(result.trials).index(trial)
    turns = []
    for kappa in OTHERS:
        terms = _terms(case, kappa)
        if terms is None:
            return UNDECIDED
        j = result.names.index(name)
        turns.append(_turn(terms[0][:, j] - terms[1][:, j]))
    near = NEAR * len(result)
    right = all(turn is not None and abs(turn - place) <= near for turn in turns)
    return Judgement(right, f"turns at κ = 1 and 3: {turns}, claimed {place}")


def balance(case: Case, claim: Claim) -> Judgement:
    """The share for κ = 1 and 3 lies in the interval, or near the claimed one."""
    shares = []
    for kappa in OTHERS:
        terms = _terms(case, kappa)
        if terms is None:
            return UNDECIDED
        mean, uncertain = (np.abs(term[-LATEST:]).sum(axis=1) for term in terms)
        shares.append(float((uncertain / (mean + uncertain)).mean()))
    low, high = claim.interval or (claim.estimate - SIMILAR, claim.estimate + SIMILAR)
    right = all(low - 0.01 <= share <= high + 0.01 for share in shares)
    return Judgement(right, f"{shares[0]:.2f} to {shares[1]:.2f}")


def _terms(case: Case, kappa: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Contributions (T, d) of the mean, and of the uncertainty with another κ."""
    explanations = list(case.result.explanations)  # type: ignore[attr-defined]
    if not all(e.assumed and tuple(e.terms) == ("mean", "uncertainty") for e in explanations):
        return None
    phi = np.stack([e.phi for e in explanations])
    return phi[:, :, 0], phi[:, :, 1] * kappa / ASSUMED


def _turn(lead: np.ndarray) -> int | None:
    """The place that best separates uncertainty's lead from the mean's; two thirds must agree."""
    known = np.flatnonzero(~np.isnan(lead) & (lead != 0.0))
    led = lead[known] > 0.0
    best, turn = -1, None
    for p in range(LEAST, len(known) - LEAST + 1):
        before, after = ~led[:p], led[p:]
        if min(before.mean(), after.mean()) >= 2 / 3 and before.sum() + after.sum() > best:
            best, turn = int(before.sum() + after.sum()), int(known[p])
    return turn
