"""How several effects are drawn: a panel each, those of one hyperparameter on one scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import counted, percent, shorten
from hpo_explain.base.figures import Axis, Cells, Curves, Panels, View
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.effect_show import (
    as_points,
    band_caption,
    dimmed_caption,
    effect,
    subtitle,
)
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
from hpo_explain.methods.importance.estimates import SEPARATOR

_MOST_CATEGORIES = 12


def panels(effects: PartialDependences) -> Panels:
    """Draw each effect as by itself, without the single configurations; at most 12 of them."""
    shown = effects.effects[: Panels.MOST]
    figures: list[Curves | Cells] = [_panel(effects, one) for one in shown]
    alone = [panel for panel in figures if isinstance(panel, Curves)]
    ends = [end for panel in alone for end in panel.limits()]
    levels = np.concatenate([e.mean.ravel() for e in shown if len(e.names) == 2] or [np.zeros(1)])
    low, high = float(np.nanmin(levels)), float(np.nanmax(levels))
    return Panels(
        panels=[
            replace(panel, low=low, high=high)
            if isinstance(panel, Cells)
            # the heading over all panels says what their axes have in common
            else replace(panel, y=Axis(label="", limits=(min(ends), max(ends))))
            for panel in figures
        ],
        heading=f"Effects on the predicted {shorten(effects.objective_name, 40)}",
        subtitle=subtitle(shown[0]),
        footer=_footer(effects),
        same_y=len(alone) == len(figures) and not any(panel.lying for panel in alone),
    )


def _panel(effects: PartialDependences, one: Effect) -> Curves | Cells:
    panel = effect(one, most=_MOST_CATEGORIES, single=False)
    heading = SEPARATOR.join(one.names)
    for names, share in effects.shares.items():
        if {*names} == {*one.names}:
            heading += f" ({percent(share)})"
    if isinstance(panel, Cells):
        return replace(panel, heading=heading)
    return replace(panel, heading=heading, x=replace(panel.x, label=""))


def _footer(effects: PartialDependences) -> str:
    shown = effects.effects[: Panels.MOST]
    dimmed = [dimmed_caption(one, points=as_points(one)) for one in shown]
    texts = [band_caption(shown[0]), *dict.fromkeys(filter(None, dimmed))]
    if effects.shares:
        texts.append(
            "In brackets over a panel: share of the variance that it explains with its "
            "interactions (of a pair: by its interaction)."
        )
    named = [len(one.axes[0]) for one in shown if len(one.names) == 1 and one.categorical[0]]
    cut = sum(max(n - _MOST_CATEGORIES, 0) for n in named)
    left = len(effects) - len(shown)
    worse = "worse category" if cut == 1 else "worse categories"
    texts += [f"Not shown: {cut} {worse}."] if cut else []
    texts += [f"Not shown: {counted(left, 'further effect')}."] if left else []
    return " ".join([*texts, effects.basis]).rstrip()


VIEWS = {"": View(panels, "Partial dependence on what matters most.")}
