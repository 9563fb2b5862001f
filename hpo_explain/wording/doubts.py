"""Why a claim is not certain, in words."""

from __future__ import annotations

from collections.abc import Iterable

from hpo_explain._words import join_words
from hpo_explain.explanations.claims import Claim
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts

_WHERE = {
    "everywhere": "over the whole space",
    "good_region": "among the good trials",
    "proposals": "behind the proposals",
}


def _not_trusted(fact: Fact) -> str:
    where = _WHERE[fact["scope"]]
    if fact["level"] == "unknown":
        return f"it is not known how well the model predicts {where}"
    return f"the model predicts badly {where}"


add_facts(
    {
        "model_not_trusted": _not_trusted,
        "value_not_tried": lambda fact: (
            f"hardly any trial has such values of {join_words(fact.names)}"
        ),
        "uncertainty_unknown": "the model does not say how uncertain it is of a difference",
    }
)


def reservation(claims: Iterable[Claim]) -> str:
    """Return a sentence that says why some claims are not certain; empty where all are."""
    reasons = dict.fromkeys(
        str(reason)
        for claim in claims
        if not claim.certain
        for reason in claim.because
        if reason.kind not in _SAID
    )
    return f" This is not certain: {join_words([*reasons])}." if reasons else ""


_SAID = ("gain_within_uncertainty",)  # by the sentence itself
