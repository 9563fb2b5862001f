"""An effect as the panels of several effects, and of regions, draw it."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.patches import Patch

from hpo_explain.methods.effects.effect_result import PartialDependence
from hpo_explain.methods.effects.effect_show import MOST_CURVES
from hpo_explain.plotting._axes import (
    BAND,
    BEST,
    CURVE,
    DIMMED,
    DOTS,
    INCUMBENT,
    RUG,
    SECOND,
    STAR,
    Effect,
)
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._style import BLUE, GREEN, GREY
from hpo_explain.space import Array

NORMAL_95 = 1.96


def as_drawn(effect: PartialDependence, *, curves: bool = True) -> Effect:
    """Return a partial dependence as plots draw it."""
    lower, upper = effect.band()
    return Effect(
        names=effect.names,
        axes=effect.axes,
        log=effect.log,
        categorical=effect.categorical,
        mean=effect.mean,
        half=(upper - lower) / 2.0,
        tried=effect.tried,
        objective_name=effect.subject.objective_name,
        direction=effect.subject.direction,
        supported=effect.shown,
        best=effect.best if curves and len(effect.names) == 1 else None,
        second=_attainable(effect) if curves else None,
        curves=effect.ice_mean[:MOST_CURVES] if curves and len(effect.names) == 1 else None,
        incumbent=effect.incumbent,
    )


def _attainable(effect: PartialDependence) -> tuple[Array, Array] | None:
    found = effect.attainable
    return None if found is None else (found.mean, NORMAL_95 * found.std)


def legend_of(effect: PartialDependence, drawn: Effect) -> list[tuple[Artist, str]]:
    """Return the entries of the legend of an effect as it is drawn."""
    entries: list[tuple[Artist, str]] = []
    pair = len(effect.names) == 2
    if not pair and drawn.as_points:
        point: dict[str, Any] = {"color": BLUE, "linewidth": 1.8, "marker": "o"}
        entries.append((line_mark(**point), "mean with 95 % band"))
        best = {**point, "color": GREEN}
        entries.append((line_mark(**best), "may be the best"))
        if drawn.untried.any():
            hollow = {**point, "color": GREY, "markerfacecolor": "white"}
            entries.append((line_mark(**hollow), "not relied on"))
    elif not pair:
        entries.append((line_mark(color=BLUE, linewidth=1.8), "mean"))
        entries.append((Patch(**BAND), "95 % band"))
        entries.append((line_mark(**BEST), "may be the best"))
    if drawn.second is not None:
        look = {**SECOND, "marker": "D", "linestyle": "-"} if drawn.as_points else SECOND
        entries.append((line_mark(**look), "attainable: the others at their best"))
    if (pair or not drawn.as_points) and drawn.untried.any():
        entries.append((Patch(**DIMMED), "not relied on"))
    if drawn.curves is not None:
        entries.append((line_mark(**{**CURVE, "alpha": 0.6}), "single configurations (ICE)"))
    if effect.incumbent is not None:
        entries.append((line_mark(**(STAR if pair else INCUMBENT)), "incumbent"))
    if effect.tried and (pair or not effect.categorical[0]):
        rug = {**RUG, "color": ink(), "alpha": 1.0}
        entries.append((line_mark(**(DOTS if pair else rug)), "tried"))
    return entries
