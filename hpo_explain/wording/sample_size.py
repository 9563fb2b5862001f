"""Checks of the number of draws in words."""

from __future__ import annotations

from hpo_explain._words import join_words
from hpo_explain.explanations import SampleSizeCheck
from hpo_explain.wording._registry import add_facts, sentence_of

add_facts(
    {
        "efficiency_error_too_large": "the efficiency error is not below the smallest difference "
        "between two contributions"
    }
)


@sentence_of(SampleSizeCheck)
def sentence(result: SampleSizeCheck) -> str:
    """Say whether the sample is large enough."""
    unsafe = [claim.term for claim in result.claims if not claim.certain]
    if not unsafe:
        return "The sample is large enough: the efficiency error cannot change any ranking."
    remedy = "Take more draws."
    if result.limited:
        remedy = f"Twice as many draws exceed the limit of {result.most}."
    return (
        "The sample is too small: the efficiency error could change the ranking by "
        f"{join_words(unsafe)}. {remedy}"
    )


HEADING = "Is the sample large enough to rank the hyperparameters?"
FOOTER = (
    "Whiskers: ± the efficiency error of the term, what the contributions miss of the payout. The "
    "ranking is safe where it is smaller than the smallest difference between two contributions."
)


def subtitle(result: SampleSizeCheck) -> str:
    """Return the verdict by term."""
    draws = "" if result.draws is None else f"{result.draws} draws; "
    safe = [claim.term for claim in result.claims if claim.certain]
    return f"{draws}safe ranking by {join_words(safe) if safe else 'no term'}"
