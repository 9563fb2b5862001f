"""Regions and partial dependence within them, in words."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain.base.phrases import join_words
from hpo_explain.explanations.regional import Condition, Region, RegionalPartialDependence
from hpo_explain.methods.effects.effect_show import UNTRIED, band_caption
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.conditions import among
from hpo_explain.wording.numbers import format_value, percent
from hpo_explain.wording.subject import better


def condition(found: Condition) -> str:
    """Return a condition in words: "batch_size ≤ 96"."""
    if found.categories is not None:
        return among(found.name, found.categories)
    if found.above is None:
        return f"{found.name} ≤ {format_value(found.up_to)}"
    if found.up_to is None:
        return f"{found.name} > {format_value(found.above)}"
    return f"{format_value(found.above)} < {found.name} ≤ {format_value(found.up_to)}"


def place(conditions: Sequence[Condition]) -> str:
    """Return where conditions hold: "batch_size ≤ 96 and optimizer = sgd", or "everywhere"."""
    return " and ".join(map(condition, conditions)) or "everywhere"


@sentence_of(RegionalPartialDependence)
def sentence(result: RegionalPartialDependence) -> str:
    """Say where the effect is known best."""
    (claim,) = result.claims
    names = join_words(claim.hyperparameters)
    if claim.kind == "no_region":
        return f"The effect of {names} is known equally well in all parts of the space."
    return (
        f"The effect of {names} is known best where {place(claim.values)}: its band is "
        f"{percent(claim.estimate)} narrower there than over the whole space."
    )


def heading(labels: Sequence[str], objective: str) -> str:
    """Return the plot's heading, from names as they are written."""
    return f"Effect of {join_words(labels)} on the {objective}, by region"


def caption(result: RegionalPartialDependence, *, points: bool, rows: bool) -> str:
    """Say what the panels show.

    Parameters
    ----------
    result : RegionalPartialDependence
        The regions.
    points : bool
        Whether values are points with bars rather than a curve with a band.
    rows : bool
        Whether they are rows of categories.
    """
    pair = len(result.names) == 2
    parts = [f"{better(result.subject).capitalize()} is better.", band_caption(result.whole)]
    if any(not region.effect.supported.all() for region in result.regions):
        dimmed = "Hollow" if points and not pair else "Dimmed"
        parts.append(f"{dimmed}: {UNTRIED} in the region.")
    if result.whole.incumbent is not None:
        parts.append(f"{'Star' if pair else 'Dashed'}: the incumbent.")
    if result.whole.tried and not rows:
        parts.append(f"{'Dots' if pair else 'Marks'}: trials in the region.")
    return " ".join(parts)


def title(label: str, *, incumbents: bool) -> str:
    """Return a region's title, from its conditions as they are written."""
    return f"Incumbent's region: {label}" if incumbents else label


def share(region: Region) -> str:
    """Return how large a region is."""
    return f"{percent(region.weight)} of the space"


def ice_heading(label: str) -> str:
    """Return the heading of the plot of ŝ, from the hyperparameter's name as it is written."""
    return f"Uncertainty along {label}, by region"


def ice_label(what: str) -> str:
    """Return the label of the axis of ŝ, from what is predicted as it is written."""
    return f"ŝ: std of the {what}"


SMALLER = ("smaller region", "smaller regions")
ICE_SUBTITLE = "lower is more certain; a thin line is one configuration, a thick one its region"
ICE_CAPTION = "ŝ is the standard deviation of the function, without observation noise."
