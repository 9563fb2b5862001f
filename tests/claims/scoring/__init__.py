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
    "best": effects.best,
    "difference": effects.difference,
    "gain": steps.gain,
    "total_gain": steps.total_gain,
    "keep": spaces.keep,
    "contribution": reasons.contribution,
    "order": paths.turning_point,
    "form": paths.balance,
    "action": actions.action,
}
"""By kind of claim; of other kinds the truth does not decide."""

OF_METHOD = {
    ("ablation", "contribution"): steps.gain,
    ("ablation", "difference"): steps.difference,
    ("ablation", "order"): steps.order_matters,
    ("lime", "difference"): steps.effect,
    ("local_importance", "share"): shares.importance,
    ("regional_partial_dependence", "form"): effects.region,
}
"""By method and kind, where it is another question than elsewhere."""

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

SPLIT_BY_TERM = ("contribution", "best", "difference", "action")


def judge(case: Case, claim: Claim) -> Judgement:
    """What the truth says about a claim of a result."""
    judged = OF_METHOD.get((case.method, claim.kind), JUDGES.get(claim.kind))
    return UNDECIDED if judged is None else judged(case, claim)


def kind_of(claim: Claim) -> str:
    """The kind, with the term where that changes what is claimed, and whether there is none."""
    term = claim.term if claim.kind in SPLIT_BY_TERM else ""
    return " ".join(filter(None, [claim.kind, term, "none" if claim.side == "below" else ""]))


def oracle(case: Case) -> Counter[str]:
    """How many claims of each kind an oracle could make by a result's method."""
    could = ORACLES.get(case.method)
    return Counter() if could is None else could(case)


__all__ = ["JUDGES", "ORACLES", "Case", "Judgement", "judge", "kind_of", "oracle", "trust"]
