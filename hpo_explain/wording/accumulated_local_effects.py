"""Accumulated local effects in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hpo_explain._words import counted, join_words, listed
from hpo_explain.explanations import AccumulatedLocalEffects, Subject
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_value, number, plus_minus
from hpo_explain.wording.partial_dependence import basis, caution, said_of
from hpo_explain.wording.subject import better

_MOST_CATEGORIES = 8
_UNTOLD = "interaction_may_be_nothing"
_SAID = ("flat_within", _UNTOLD)  # by the finding


@sentence_of(AccumulatedLocalEffects)
def sentence(result: AccumulatedLocalEffects) -> str:
    """Say which values are best along the trials, or whether a pair acts together."""
    if len(result.names) == 2:
        return f"{_together(result)} {doubt(result)}".rstrip()
    what = (
        "Along the configurations tried, relative to their average, the "
        f"{result.subject.objective_name} is"
    )
    parts = said_of(result.claims[0], what, result), caution(result), _differs(result)
    return " ".join(filter(None, (*parts, basis(result))))


def _together(result: AccumulatedLocalEffects) -> str:
    (claim,) = result.claims
    names = join_words(result.names)
    if claim.kind == "no_interaction":
        (within, *_) = claim.because
        return (
            f"Along the configurations tried {names} do not act together: what both do beyond the "
            f"sum of both makes a difference of less than {format_value(within['bound'])}."
        )
    beyond = (
        "what both do beyond the sum of both makes a difference of "
        f"{plus_minus(claim.estimate, claim.half)}."
    )
    if any(reason.kind == _UNTOLD for reason in claim.because):
        return (
            f"Along the configurations tried it cannot be told whether {names} act together: "
            f"{beyond}"
        )
    return f"Along the configurations tried {names} act together: {beyond}"


def _differs(result: AccumulatedLocalEffects) -> str:
    told = [note for note in result.notes if note.kind == "partial_dependence_differs"]
    return f"{str(told[0])[0].upper()}{str(told[0])[1:]}." if told else ""


# ---------------------------------------------------------------------- facts


def _partial_differs(fact: Fact) -> str:
    return (
        f"the partial dependence differs from it by {number(fact['by'], 2)} at {fact.names[0]} = "
        f"{format_value(fact['at'])}, as it averages over all combinations, tried or not"
    )


def _ordered(fact: Fact) -> str:
    values = listed([format_value(value) for value in fact["order"]], _MOST_CATEGORIES)
    return (
        f"the categories of {fact.names[0]} have no order of their own: effects are accumulated "
        f"from one to the most similar one by the trials' other hyperparameters ({values})"
    )


add_facts(
    {
        "categories_ordered": _ordered,
        "never_tried_together": lambda fact: (
            f"no trial has values of both {join_words(fact.names)} that can be changed one by one"
        ),
        "partial_dependence_differs": _partial_differs,
        "sample_thinned": lambda fact: (
            f"the effects are averaged over {counted(fact['kept'], 'configuration')} drawn from "
            "those tried"
        ),
        "too_few_values": lambda fact: (
            f"fewer than two values of {fact.names[0]} were tried, so nothing changes along it"
        ),
    }
)

# ---------------------------------------------------------------------- plots


def heading(labels: Sequence[str], objective: str) -> str:
    """Return the plot's heading, from names as they are written."""
    if len(labels) == 2:
        return f"What {join_words(labels)} do together to the {objective}"
    return f"Effect of {labels[0]} on the {objective} along the trials"


def subtitle(subject: Subject, *, pair: bool) -> str:
    """Return what the plot shows."""
    beyond = ", beyond the sum of both" if pair else ""
    return f"accumulated local effects{beyond}; {better(subject)} is better"


def caption(result: AccumulatedLocalEffects) -> str:
    """Say what the band is of, and what the effect is relative to."""
    text = f"Relative to the average of {counted(result.sample_size, 'configuration')}."
    if np.isnan(result.std).all():
        return f"{text} The model does not say how uncertain it is of differences."
    if len(result.names) == 2:
        ends = (number(float(end), 2) for end in (np.nanmin(result.std), np.nanmax(result.std)))
        return f"{text} The standard deviation is between {' and '.join(ends)}."
    return f"{text} The 95 % band is the uncertainty about this average, without observation noise."


def doubt(result: AccumulatedLocalEffects) -> str:
    """Say why the claim is not certain, in a sentence; empty where it is."""
    if len(result.names) == 1:
        return caution(result)
    (claim,) = result.claims
    doubts = tuple(reason for reason in claim.because if reason.kind not in _SAID)
    return reservation([replace(claim, because=doubts)]).strip()


WHAT = "effect on"
PARTIAL = "partial dependence, centred"
