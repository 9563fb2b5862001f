"""The H-statistic in words."""

from __future__ import annotations

import math

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.h_statistic import InteractionStrength
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_value, plus_minus
from hpo_explain.wording.subject import explained

add_facts(
    {
        "estimated_from_sample": lambda fact: (
            f"estimated from {counted(fact['size'], 'point')} (seed {fact['seed']}); ± is the "
            "standard error of this estimate, not the model's uncertainty"
        ),
        "pairs_screened": lambda fact: (
            f"{fact['shown']} of {fact['all']} hyperparameters are looked at: those with the "
            "largest total effects (how much the prediction changes where one alone is drawn anew)"
        ),
        "interactions_drawn": (
            "intervals of H are those of functions drawn from the posterior: noise is no part of "
            "them, but may be of the H of the model's mean"
        ),
        "interacts_with_its_condition": "a conditional hyperparameter interacts with what decides "
        "whether it is active",
    }
)


@sentence_of(InteractionStrength)
def sentence(result: InteractionStrength) -> str:
    """Name the pair that interacts most, and where H is larger; say what is not certain."""
    (claim,) = result.claims
    what = explained(result.subject)
    if claim.kind == "no_interaction":
        some = "No hyperparameters interact in their"
        if result.focus is not None:
            some = f"No hyperparameter interacts with {result.focus} in its"
        return f"{some} effect on the {what}{_at_most(result)}.{reservation([claim])}"
    return f"{_most(result, claim, what)}{_larger(result)}{reservation([claim])}"


def _most(result: InteractionStrength, claim: Claim, what: str) -> str:
    """Say which pair interacts most, and how strongly."""
    first, *others = result.members()
    pairs = "Of all pairs" if result.focus is None else f"Of all pairs with {result.focus}"
    size = format_value(float(result.known_sizes[first]))
    bounds, verb = result.bounds, "interact"
    H = f"H = {plus_minus(claim.estimate, float(result.pairs_std[first]))}"
    if bounds is not None:
        low, high = bounds.lower[first], bounds.upper[first]
        H = f"H is {f'between {low:.2f} and' if low > 0.0 else 'at most'} {high:.2f}"
        if any(bounds.size_upper[other] > bounds.size_lower[first] for other in others):
            verb = "seem to interact"
    return (
        f"{pairs}, {join_words(claim.hyperparameters)} {verb} most in their effect on the {what}: "
        f"{H}, and the interaction's root mean square is {size}."
    )


def _larger(result: InteractionStrength) -> str:
    """Name the pair with the largest H, where it is another one."""
    ranking, H = result.members(), result.known_pairs
    largest = max(ranking, key=lambda pair: float(H[pair]))
    if f"{H[largest]:.2f}" == f"{H[ranking[0]]:.2f}":
        return ""
    names = join_words([result.names[j] for j in largest])
    return f" H is larger for {names} ({H[largest]:.2f}), which matter less together."


def _at_most(result: InteractionStrength) -> str:
    """Say how much pairs may explain at most; empty where it is not known."""
    pairs = result.members()
    if result.bounds is None or not pairs:
        return ""
    most = max(float(result.bounds.share_upper[pair]) for pair in pairs)
    return f": each pair explains less than {max(math.ceil(100.0 * most), 1)}% of its variance"


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
    drawn = result.bounds is not None
    error = "half its 95% interval" if drawn else "standard error"
    size = counted(result.sample_size, "point")
    rests = "Of functions drawn from the posterior" if drawn else f"Estimated from {size}"
    return (
        f"In the cells: H ± {error}. " if in_cells else ""
    ) + f"{rests}. H is relative: a pair that hardly matters can have a large one."


def whiskers(result: InteractionStrength) -> str:
    """Say what the whiskers of bars of pairs are, and in which order they stand."""
    order = "The pair that interacts most, in the objective's units, is on top."
    if result.bounds is not None:
        return f"Whiskers: 95% interval of functions drawn from the posterior. {order}"
    return f"{_sampled(result)} {order}"


def totals_whiskers(result: InteractionStrength) -> str:
    """Say what the whiskers of totals are."""
    return _sampled(result)


def _sampled(result: InteractionStrength) -> str:
    size = counted(result.sample_size, "point")
    return f"Whiskers: standard error of estimating from {size}, not the model's uncertainty."


def totals_heading(what: str) -> str:
    """Return the heading of the plot of totals."""
    return f"Which hyperparameters act with any others on the {what}"


TOTALS_LABEL = "H with any others"
TOTALS_SUBTITLE = (
    "0: its effect only adds up with the others; 1: all of the variation is interaction with it"
)
