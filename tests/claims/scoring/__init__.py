"""Whether claims are true, by code that knows the function and none of the package's analyses."""

from __future__ import annotations

from collections import Counter

from hpo_explain.base.claim import Claim
from tests.claims.scoring import actions, effects, paths, reasons, shares, spaces, steps, trust
from tests.claims.scoring.case import UNDECIDED, Case, Judgement

JUDGES = {
    "importance": shares.importance,
    "share": shares.share,
    "interaction": shares.interaction,
    "no_interaction": shares.no_interaction,
    "no_effect": steps.no_effect,
    "best_at": effects.best_at,
    "contrast": effects.contrast,
    "flat": effects.flat,
    "region": effects.region,
    "gain": steps.gain,
    "total_gain": steps.total_gain,
    "no_difference": steps.no_difference,
    "order_matters": steps.order_matters,
    "effect": steps.effect,
    "keep": spaces.keep,
    "contribution": reasons.contribution,
    "order": paths.turning_point,
    "form": paths.balance,
    "action": actions.action,
}
"""By kind of claim; of other kinds the truth does not decide."""

ORACLES = {
    "importance": shares.could,
    "subspace": lambda case: shares.could(case) + spaces.could(case),
    "h_statistic": shares.could,
    "local_importance": shares.could,
    "partial_dependence": effects.could,
    "ablation": steps.could,
    "lime": steps.could,
    "recommended_space": spaces.could,
    "explain_proposal": reasons.could,
}
"""By method: how many claims of each kind could be made by who knows the truth at the trials."""

SPLIT_BY_TERM = ("contribution", "best_at", "contrast", "flat", "action")


def judge(case: Case, claim: Claim) -> Judgement:
    """What the truth says about a claim of a result."""
    judged = JUDGES.get(claim.kind)
    return UNDECIDED if judged is None else judged(case, claim)


def kind_of(claim: Claim) -> str:
    """The kind, with the term where that changes what is claimed."""
    return f"{claim.kind} {claim.term}".strip() if claim.kind in SPLIT_BY_TERM else claim.kind


def oracle(case: Case) -> Counter[str]:
    """How many claims of each kind an oracle could make by a result's method."""
    could = ORACLES.get(case.method)
    return Counter() if could is None else could(case)


__all__ = ["JUDGES", "ORACLES", "Case", "Judgement", "judge", "kind_of", "oracle", "trust"]
