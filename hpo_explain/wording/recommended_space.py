"""Recommended search spaces in words."""

from __future__ import annotations

import math

from hpo_explain._words import join_words
from hpo_explain.explanations import Recommendation
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, values_in_words

HEADING = "Recommended search space"
SUBTITLE = "the values that stay, and their share of each hyperparameter's own scale"
LABEL = "share of its values that stays, on its own scale"


def _never_best(fact: Fact) -> str:
    return (
        f"{join_words([format_value(c) for c in fact['categories']])} never best anywhere: worse "
        f"than the best by {fact['margin']:.3g} in {fact['objective']} or more"
    )


def _never_active(fact: Fact) -> str:
    names = f": {join_words(fact.names)}" if fact.names else ""
    return f"left out, because never active in the recommended space{names}"


add_facts(
    {
        "range": lambda fact: f"[{values_in_words(fact['values'])}]",
        "categories": lambda fact: f"{{{values_in_words(fact['values'])}}}",
        "nothing_given_up": "no value can be given up with confidence yet",
        "never_best": _never_best,
        "little_gain": lambda fact: (
            f"outside, at most {fact['gain']:.0%} of what the best value gains"
        ),
        "never_active": _never_active,
        "good_region": lambda fact: (
            f"the good region: {fact['objective']} better than {fact['bound']:.6g}"
        ),
        "no_incumbent_kept": "no incumbent is known, so none is kept in the space",
    }
)


@sentence_of(Recommendation)
def sentence(result: Recommendation) -> str:
    """Say what the search can leave out."""
    objective = result.subject.objective_name
    narrowed = [claim for claim in result.claims if claim.estimate < 1.0]
    if not narrowed:
        return f"No range can be narrowed with confidence yet for a better {objective}."
    names = join_words([claim.hyperparameters[0] for claim in narrowed])
    left = math.prod(claim.estimate for claim in narrowed)
    return (
        f"For a better {objective} the search can leave out values of {names}: {left:.2g} of the "
        "space remains."
    )
