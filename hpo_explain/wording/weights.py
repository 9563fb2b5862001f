"""What matters to weighted objectives, in words."""

from __future__ import annotations

from hpo_explain.base.phrases import join_words
from hpo_explain.explanations.weights import WeightedImportance
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import percent

_MOST_NAMED = 3


@sentence_of(WeightedImportance)
def sentence(result: WeightedImportance) -> str:
    """Say what matters whatever the weights, and what to one objective more than to another."""
    claims = result.claims
    whatever = [claim for claim in claims if claim.kind == "everywhere"][:_MOST_NAMED]
    differing = [claim for claim in claims if claim.kind == "shares_differ"]
    differing = sorted(differing, key=lambda claim: -claim.estimate)[:_MOST_NAMED]
    of = join_words(result.objectives)
    if whatever:
        parts = [f"{c.hyperparameters[0]} ({percent(c.estimate)} on average)" for c in whatever]
        verb = "matter" if whatever[1:] else "matters"
        text = f"Whatever the weights of {of}, {join_words(parts)} {verb}."
    else:
        text = f"No hyperparameter is known to matter for all weights of {of}."
    for claim in differing:
        ((most, least),) = claim.values
        text += f" {claim.hyperparameters[0]} matters more to {most} than to {least}."
    return text + reservation([*whatever, *differing])


LABEL = "share of the variance, alone"
BANDS = "Bands: 95 % intervals of the shares."
OF_ALL = "Dots: the share for each weights."
MEAN, EACH = "mean over the weights", "each weights"


def heading(result: WeightedImportance) -> str:
    """Return the heading of the plot."""
    return f"What matters to the weighted sum of {join_words(result.objectives)}"


SUBTITLE = "objectives normalized to 0 to 1 over the trials"


def axis(name: str, other: str) -> str:
    """Return the label of the axis of two objectives' weights."""
    return f"weight of {name} (that of {other} is the rest)"
