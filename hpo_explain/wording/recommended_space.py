"""Recommended search spaces in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.recommended_space import Recommendation
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, values_in_words

HEADING = "Recommended search space"
SUBTITLE = "the values that stay, along each hyperparameter's own scale"
LABEL = "place on the hyperparameter's own scale"
STAYS = "stays"
UNTRIED = "stays, but was hardly tried"
GIVEN_UP = "given up"


def _worse_at_best(fact: Fact) -> str:
    near = counted(fact["near"], "trial")
    return (
        f"given up: {fact['objective']} {format_value(fact['bound'])} at best "
        f"({fact['level']:.0%} bound), {format_value(fact['reached'])} is reached; at "
        f"least {near} near each value"
    )


def _never_active(fact: Fact) -> str:
    names = f": {join_words(fact.names)}" if fact.names else ""
    return f"left out, because never active in the recommended space{names}"


add_facts(
    {
        "range": lambda fact: f"[{values_in_words(fact['values'])}]",
        "categories": lambda fact: f"{{{values_in_words(fact['values'])}}}",
        "nothing_given_up": "no value can be given up with confidence yet",
        "worse_at_best": _worse_at_best,
        "never_active": _never_active,
        "fitted_on_some": lambda fact: (
            f"the model is fitted on {fact['used']} of the {fact['n']} trials, drawn at random"
        ),
        "no_trials_known": "no trials are known, so nothing is given up",
    }
)


@sentence_of(Recommendation)
def sentence(result: Recommendation) -> str:
    """Say what the search can leave out."""
    objective = result.subject.objective_name
    narrowed = [claim for claim in result.claims if claim.estimate < 1.0]
    if not narrowed:
        return f"No range can be narrowed with confidence yet for a better {objective}."
    certain = [claim for claim in narrowed if claim.certain]
    doubtful = [claim for claim in narrowed if not claim.certain]
    if not certain:
        return (
            f"No range can be narrowed with confidence yet for a better {objective}. Perhaps "
            f"values of {_names(doubtful)} can be left out: {_left(doubtful)} of the space would "
            "remain."
        )
    fewest = min(row.trials for row in result.rows if row.trials is not None)
    rest = f" Perhaps values of {_names(doubtful)} can be left out as well." if doubtful else ""
    return (
        f"For a better {objective} the search can leave out values of {_names(certain)}: "
        f"{_left(certain)} of the space remains. This rests on the model's bounds: with the values "
        "left out even the best choice of the others is worse than what is predicted to be best "
        f"({result.level:.0%} certainty), with at least {counted(fewest, 'trial')} near each of "
        f"them.{rest}"
    )


def _names(claims: Sequence[Claim]) -> str:
    return join_words([claim.hyperparameters[0] for claim in claims])


def _left(claims: Sequence[Claim]) -> str:
    return f"{100.0 * math.prod(claim.estimate for claim in claims):.2g}%"
