"""How regions are drawn: the effect in each, and how the uncertainty varies along its values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import InputError, counted, join_words, percent, shorten
from hpo_explain.base.figures import Axis, Cells, Curves, Line, Panels, View, broken
from hpo_explain.methods._engines.effect_show import (
    MOST_CURVES,
    UNTRIED,
    as_points,
    axis_of,
    band_caption,
    effect,
    place_of,
)
from hpo_explain.methods.effects.regional_partial_dependence_result import (
    Region,
    RegionalPartialDependence,
)

_MOST_REGIONS = 9
_NAMED = 4  # regions with a look of their own
_ABOUT_STD = {
    False: "ŝ is the standard deviation of the function, without observation noise.",
    True: "ŝ includes observation noise, which this model cannot tell apart.",
}


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


def uncertainty(regional: RegionalPartialDependence) -> Curves:
    """Draw ŝ along one hyperparameter: thick the mean of each region, thin its configurations."""
    if len(regional.names) != 1:
        problem = f"must be of one hyperparameter, but is of {' and '.join(regional.names)}"
        raise InputError("result", problem, regional, "Explain one of them, or use result.plot().")
    shown = _largest(regional)
    x = axis_of(regional.whole, 0)
    most = max(5, MOST_CURVES // len(shown))
    curves = [region.effect.ice_std[:most] for region in shown]
    return Curves(
        x=x,
        y=Axis(label=f"ŝ: std of the predicted {shorten(regional.objective_name, 40)}"),
        lines=[
            Line(x.places, region.effect.std, look=str(min(k, _NAMED)))
            for k, region in reversed([*enumerate(shown)])
        ],
        thin=broken(x.places, np.concatenate(curves)),
        guide=place_of(regional.whole, 0, x),
        heading=f"Uncertainty along {shorten(regional.names[0], 60)}, by region",
        subtitle="lower is more certain; a thin line is one configuration, a thick one its region",
        footer=_ABOUT_STD[regional.std_with_noise],
        means={
            **{
                str(k): f"{shorten(_title(regional, region), 90)} ({percent(region.weight)})"
                for k, region in enumerate(shown[:_NAMED])
            },
            str(_NAMED): "other regions",
            "guide": "incumbent",
        },
        upright=True,
    )


def _largest(regional: RegionalPartialDependence) -> list[Region]:
    """Return the incumbent's region and then the largest others."""
    order = sorted(regional.regions, key=lambda r: (not regional.is_incumbents(r), -r.weight))
    return order[:_MOST_REGIONS]


def _title(regional: RegionalPartialDependence, region: Region) -> str:
    if regional.is_incumbents(region):
        return f"Incumbent's region: {region.label}"
    return region.label


VIEWS = {
    "": View(regions, "The effect of {names} in regions of similar {found.alike}."),
    "ice": View(
        uncertainty,
        "How uncertain the model is along {names}, by region.",
        shown_if=lambda _: False,
    ),
}
