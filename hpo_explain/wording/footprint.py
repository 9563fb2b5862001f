"""A map of the configurations in words."""

from __future__ import annotations

from hpo_explain.base.phrases import counted
from hpo_explain.explanations.footprint import Footprint
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import number, percent

add_facts({"nothing_tried": "no trial is known, so there is nothing to draw"})

_ROUGH = 0.2  # stress-1: "poor" by Kruskal
_SHOWN = 0.5  # R²


@sentence_of(Footprint)
def sentence(result: Footprint) -> str:
    """Say how much was explored, and how far the map can be relied on."""
    (claim,) = result.claims
    low, high = claim.interval or (claim.estimate, claim.estimate)
    text = (
        f"{percent(claim.estimate)} of the space (95% interval {percent(low)} to {percent(high)}) "
        "is as near to a trial as 95% would be if as many trials had been spread evenly."
    )
    text += f" Distances on the map are off by {percent(result.stress)}"
    text += ": configurations that seem near may be far apart." if _rough(result) else "."
    if not result.surface_r2 >= _SHOWN:
        text += " Its colors show little of the predictions, which differ among neighbours."
    return text


def _rough(result: Footprint) -> bool:
    return result.stress >= _ROUGH


KINDS = {
    "tried": "tried",
    "incumbent": "best so far, in their order",
    "border": "not tried: ends of the ranges",
    "random": "not tried: anywhere",
}


def heading(result: Footprint) -> str:
    """Return the heading of the map."""
    return "Where configurations were tried, and what is predicted there"


def subtitle(result: Footprint) -> str:
    """Say how much was explored."""
    return f"{percent(result.explored[0])} of the space is near a trial"


def footer(result: Footprint) -> str:
    """Say what the axes are, and how well the map shows distances and predictions."""
    n = len(result.of_kind("tried", "incumbent"))
    text = (
        f"{counted(n, 'trial')}. The axes have no unit: near places are similar configurations, "
        f"as far as two dimensions show it (stress {number(round(result.stress, 3), 2)})."
    )
    if result.surface_r2 == result.surface_r2:
        text += f" Colors: mean of predictions nearby (R² {number(result.surface_r2, 2)})."
    return text


def scale(objective: str) -> str:
    """Return the label of the scale of the colors."""
    return f"predicted {objective}"
