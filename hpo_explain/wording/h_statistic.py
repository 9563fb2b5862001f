"""The H-statistic in words."""

from __future__ import annotations

from hpo_explain._words import counted, join_words
from hpo_explain.explanations import InteractionStrength
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, plus_minus
from hpo_explain.wording.subject import explained

add_facts(
    {
        "estimated_from_sample": lambda fact: (
            f"estimated from {counted(fact['size'], 'point')} (seed {fact['seed']}); ± is the "
            "standard error of this estimate, not the model's uncertainty"
        ),
        "interacts_with_its_condition": "a conditional hyperparameter interacts with what decides "
        "whether it is active",
    }
)


@sentence_of(InteractionStrength)
def sentence(result: InteractionStrength) -> str:
    """Name the pair that interacts most."""
    (claim,) = result.claims
    what = explained(result.subject)
    if claim.kind == "no_interaction":
        if result.focus is None:
            return f"No hyperparameters interact in their effect on the {what}."
        return f"No hyperparameter interacts with {result.focus} in its effect on the {what}."
    j, k = result.members()[0]
    pairs = "Of all pairs" if result.focus is None else f"Of all pairs with {result.focus}"
    return (
        f"{pairs}, {join_words(claim.hyperparameters)} interact most in their effect on the "
        f"{what}: H = {plus_minus(claim.estimate, claim.half)}, and the interaction's root mean "
        f"square is {format_value(float(result.absolute[j, k]))}."
    )


def heading(what: str, focus: str | None = None) -> str:
    """Return the plot's heading; `what` and `focus` are names as they are written."""
    if focus is None:
        return f"Which hyperparameters act together on the {what}"
    return f"What acts together with {focus} on the {what}"


SUBTITLE = "H-statistic: 0 where two effects only add up, 1 where there is nothing but interaction"

LEFT_OUT = ("hyperparameter that interacts less", "hyperparameters that interact less")
SMALLER = ("smaller one", "smaller ones")


def label(focus: str) -> str:
    """Return the label of H of one hyperparameter's pairs."""
    return f"H with {focus}"


def caption(result: InteractionStrength, *, in_cells: bool) -> str:
    """Say what the matrix rests on, and what H leaves open."""
    return (
        ("In the cells: H ± standard error. " if in_cells else "")
        + f"Estimated from {counted(result.sample_size, 'point')}. H is relative: a pair that "
        "hardly matters can have a large one."
    )


def whiskers(result: InteractionStrength) -> str:
    """Say what the whiskers of bars are."""
    return f"Whiskers: standard error of estimating from {counted(result.sample_size, 'point')}."


def totals_heading(what: str) -> str:
    """Return the heading of the plot of totals."""
    return f"Which hyperparameters act with any others on the {what}"


TOTALS_LABEL = "H with any others"
TOTALS_SUBTITLE = (
    "0: its effect only adds up with the others; 1: all of the variation is interaction with it"
)
