"""Checks of the number of orders in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import join_words
from hpo_explain.explanations.sample_size import SampleSizeCheck
from hpo_explain.wording._registry import add_facts, sentence_of


def _not_told_apart(fact: Fact) -> str:
    more, less = fact.names
    return f"{more} and {less} cannot be told apart"


add_facts(
    {
        "not_told_apart": _not_told_apart,
        "sampling_error_unknown": "coalitions were sampled once, so their error is not known",
    }
)


@sentence_of(SampleSizeCheck)
def sentence(result: SampleSizeCheck) -> str:
    """Say whether the sample is large enough."""
    unsafe = [claim for claim in result.claims if not claim.certain]
    if not unsafe:
        return (
            "The sample is large enough: all neighbours in the rankings can be told apart (95 %)."
        )
    reasons = join_words(list(dict.fromkeys(str(claim.because[0]) for claim in unsafe)))
    remedy = "Take more orders."
    if result.limited:
        remedy = f"Twice as many orders exceed the limit of {result.most}."
    return (
        f"The sample is too small to rank the hyperparameters by "
        f"{join_words([claim.term for claim in unsafe])}: {reasons}. {remedy}"
    )


HEADING = "Is the sample large enough to rank the hyperparameters?"
LABEL = "difference between two contributions that are neighbours in the ranking"
FOOTER = (
    "For each term the two neighbours that are told apart worst. Whiskers: 95 % interval of their "
    "difference, for all pairs and terms together; the ranking is safe where it does not reach 0."
)


def pair(more: str, less: str) -> str:
    """Return the label of a difference."""
    return f"{more} − {less}"


def subtitle(result: SampleSizeCheck) -> str:
    """Return the verdict by term."""
    orders = "" if result.orders is None else f"{result.orders} orders; "
    safe = [claim.term for claim in result.claims if claim.certain]
    return f"{orders}safe ranking by {join_words(safe) if safe else 'no term'}"
