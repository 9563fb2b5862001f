"""Why a claim is not certain, in words."""

from __future__ import annotations

from collections.abc import Iterable

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import join_words, listed
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


def _not_checked(fact: Fact) -> str:
    along = f" along {join_words(fact.names)}" if fact.names else ""
    return f"predictions were checked in a small part of the space only{along}"


def _partly_tried(fact: Fact) -> str:
    if not fact.names:
        return "it is not known what was tried"
    verb = "was" if len(fact.names) == 1 else "were"
    return f"{listed(list(fact.names), _MOST_BARELY)} {verb} tried in a part of the range only"


_MOST_BARELY = 4

add_facts(
    {
        "range_partly_tried": _partly_tried,
        "model_not_trusted": _not_trusted,
        "model_not_checked": _not_checked,
        "value_not_tried": lambda fact: (
            f"hardly any trial has such values of {join_words(fact.names)}"
        ),
        "no_posterior": lambda fact: (
            f"the result of {fact['model'] or 'a model'} has no draws from a posterior: these are "
            "known of what a Gaussian process (kind='gp') says of a run, by itself"
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


# by the sentence itself
_SAID = ("gain_within_uncertainty", "low_fidelity")
