"""How regions are drawn: the effect in each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import counted, join_words, percent, shorten
from hpo_explain.base.figures import Axis, Cells, Curves, Line, Panels, View
from hpo_explain.methods._engines.effect_show import (
    UNTRIED,
    as_points,
    band_caption,
    effect,
)
from hpo_explain.methods.effects.regional_partial_dependence_result import (
    Region,
    RegionalPartialDependence,
)

_MOST_REGIONS = 9


def regions(regional: RegionalPartialDependence) -> Panels:
    """Draw the effect in every region, the incumbent's first and tinted; at most nine regions."""
    shown, pair = _largest(regional), len(regional.names) == 2
    figures: list[Curves | Cells] = []
    for region in shown:
        panel = effect(replace(region.effect, attainable=None), compared=False, single=False)
        figures.append(
            replace(
                panel,
                heading=f"{_title(regional, region)}, {percent(region.weight)} of the space",
                emphasis=regional.is_incumbents(region),
            )
        )
    if pair:
        means = np.concatenate([region.effect.mean.ravel() for region in shown])
        low, high = float(np.nanmin(means)), float(np.nanmax(means))
        figures = [replace(p, low=low, high=high) for p in figures if isinstance(p, Cells)]
    whole, points = regional.whole, as_points(regional.whole)
    better = regional.subject.better.capitalize()
    texts = [f"{better} is better.", band_caption(whole)]
    if any(not region.effect.supported.all() for region in regional.regions):
        texts.append(f"{'Hollow' if points and not pair else 'Dimmed'}: {UNTRIED} in the region.")
    left = len(regional.regions) - len(shown)
    if left:
        texts.append(f"Not shown: {counted(left, 'smaller region')}.")
    names = join_words([shorten(name, 60) for name in regional.names])
    return Panels(
        panels=figures,
        heading=f"Effect of {names} on the {shorten(regional.objective_name, 40)}, by region",
        footer=" ".join(texts),
        same_x=not (pair or regional.whole.categorical[0]),
    )


def _largest(regional: RegionalPartialDependence) -> list[Region]:
    """Return the incumbent's region and then the largest others."""
    order = sorted(regional.regions, key=lambda r: (not regional.is_incumbents(r), -r.weight))
    return order[:_MOST_REGIONS]


def _title(regional: RegionalPartialDependence, region: Region) -> str:
    if regional.is_incumbents(region):
        return f"Incumbent's region: {region.label}"
    return region.label


def gains(regional: RegionalPartialDependence) -> Curves:
    """Draw how much narrower the bands are after every split."""
    table = regional.gain()
    depths = table.index.to_numpy(dtype=float)
    looks = {"main": "gain", "best": "incumbent_gain"}
    columns = {look: table[name].to_numpy() for look, name in looks.items()}
    return Curves(
        x=Axis(label="splits", whole=True),
        y=Axis(label="narrower bands (%)"),
        lines=[Line(depths, y, look=look) for look, y in columns.items() if np.isfinite(y).any()],
        levels=[(0.0, "zero")],
        heading=f"Confidence in the effect of {join_words(regional.names)}, by splits",
        means={"main": "all regions", "best": "the incumbent's region"},
        empty="" if np.isfinite(table["gain"]).any() else "The model has no uncertainty.",
    )


VIEWS = {
    "": View(regions, "The effect of {names} in regions of similar {found.alike}."),
    "gain": View(
        gains, "How much narrower the bands get with every split.", shown_if=lambda _: False
    ),
}
