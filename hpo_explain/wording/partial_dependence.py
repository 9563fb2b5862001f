"""Partial dependence in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain._words import join_words
from hpo_explain.explanations import PartialDependence, Subject
from hpo_explain.explanations.claims import NOTHING
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_level, format_value, percent, plus_minus
from hpo_explain.wording.subject import better


@sentence_of(PartialDependence)
def sentence(result: PartialDependence) -> str:
    """Say where the objective is best on average, and how certain that is."""
    (claim,) = result.claims
    said = finding(result)
    return said if claim.kind == "flat" else f"{said} {caution(result)}".rstrip()


def finding(result: PartialDependence) -> str:
    """Say where the objective is best on average, without the caution."""
    (claim,) = result.claims
    what = f"On average the {result.subject.objective_name} is"
    if claim.kind == "flat":
        every = "every value" if len(result.names) == 1 else "all values"
        return f"{what} {format_value(claim.estimate)} for {every} of {join_words(result.names)}."
    at = ", ".join(
        f"{name} = {format_value(value)}"
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    )
    level = (
        plus_minus(claim.estimate, claim.half)
        if claim.half
        else format_level(claim.estimate, result.spread)
    )
    return f"{what} best at {at} ({level})."


def caution(result: PartialDependence) -> str:
    """Say where the effect is not certain, in a sentence; empty where it is."""
    reasons = ", ".join(map(str, result.claims[0].because))
    return f"{reasons[0].upper()}{reasons[1:]}." if reasons else ""


# ---------------------------------------------------------------------- facts


def _wider(fact: Fact) -> str:
    share = fact["share"]
    part = percent(share) if share >= NOTHING else "less than 1%"
    where = "everywhere" if share == 1.0 else f"at {part} of the values"
    what = "its shape is" if share > 0.5 else "differences there are"
    return f"the band is wider than the whole effect {where}: {what} not certain"


def _band(fact: Fact) -> str:
    if fact["variance"] == "average":
        return "averages pointwise variances (Eq. 5): the uncertainty about single configurations"
    if fact["exact"]:
        return "rests on the standard deviation of the average over the trees"
    return "is that of the average itself (Eq. 4)"


add_facts(
    {
        "effect_band": lambda fact: f"the band {_band(fact)}",
        "band_wider_than_effect": _wider,
        "averaged_where_active": lambda fact: (
            f"{fact.names[0]} is {fact['when']}: only such configurations are averaged"
        ),
        "values_never_valid": "values without any valid configuration are left out (NaN)",
    }
)

# ---------------------------------------------------------------------- plots


def heading(labels: Sequence[str], objective: str) -> str:
    """Return the plot's heading, from names as they are written."""
    return f"Effect of {join_words(labels)} on the {objective}"


def subtitle(subject: Subject) -> str:
    """Return what the plot shows."""
    return (
        f"partial dependence: averaged over all other hyperparameters; {better(subject)} is better"
    )


def band_caption(result: PartialDependence) -> str:
    """Say what the band is of, and what it leaves out."""
    band = next(note for note in result.notes if note.kind == "effect_band")
    return f"The 95 % band {_band(band)}. It describes the function without observation noise."


def surface_caption(result: PartialDependence, lowest: str, highest: str) -> str:
    """Say what a surface's marks are, and between which numbers its ŝ lies."""
    text = f"{band_caption(result)} ŝ is between {lowest} and {highest}."
    if result.wide.any():
        text += " Hatched: the band is wider than the whole effect."
    if np.isnan(result.mean).any():
        text += " Empty: no valid configuration."
    return text


COUNTED = "In brackets: number of trials."
WORSE = ("worse category", "worse categories")
