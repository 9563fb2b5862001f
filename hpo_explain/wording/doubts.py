"""Why a claim is not certain, in words."""

from __future__ import annotations

from collections.abc import Iterable

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import join_words
from hpo_explain.wording._registry import add_facts

add_facts(
    {
        "no_posterior": lambda fact: (
            f"the result of {fact['model'] or 'a model'} has no draws from a posterior: these are "
            "known of what a Gaussian process (kind='gp') says of a run, by itself"
        ),
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
