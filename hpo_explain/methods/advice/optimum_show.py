"""How it is drawn where the best is: a panel per hyperparameter, the most narrowed first."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base import counted, join_words, percent
from hpo_explain.base.figures import Axis, Curves, Dots, Line, Panels, View
from hpo_explain.methods.advice.optimum_result import Optimum, Region
from hpo_explain.space import CategoricalParameter

_MOST_CATEGORIES = 10
_INACTIVE = "The best configuration may have no {}."


def densities(found: Optimum) -> Panels:
    """Draw how probably the best value of each hyperparameter lies where, at most 12 of them."""
    shown = found.narrowest[: Panels.MOST]
    left = len(found.regions) - len(shown)
    inactive = [r.hyperparameter for r in shown if r.inactive > 0.0]
    return Panels(
        panels=[_panel(found, region) for region in shown],
        heading="Where the best is",
        subtitle="the higher, the more likely the best value is there (1: no better than chance); "
        "in brackets the size of the 90 % range",
        footer=" ".join(
            [
                *([_INACTIVE.format(join_words(inactive))] if inactive else []),
                *([f"Not shown: {counted(left, 'less narrowed hyperparameter')}."] if left else []),
            ]
        ),
        same_y=False,
        means={
            "main": "density",
            "marked": "holds the best with 90 %",
            "guide": "by chance",
            "star": "expected best near the trials",
        },
    )


def _panel(found: Optimum, region: Region) -> Curves:
    name = region.hyperparameter
    parameter, best = found.subject.space[name], found.config.get(name)
    words: dict[str, Any] = {
        "heading": f"{name} ({percent(region.share)})",
        "y": Axis(label="density", limits=(0.0, None)),
        "levels": [(1.0, "guide")],
    }
    if isinstance(parameter, CategoricalParameter):
        order = np.argsort(-region.density, kind="stable")[:_MOST_CATEGORIES]
        names = [region.levels[place] for place in order]
        held = [i for i, value in enumerate(names) if value in region.values]
        at = names.index(best) if best in names else None
        x, y = np.arange(len(names), dtype=float), region.density[order]
        star = [] if at is None else [_star(float(at), float(y[at]))]
        return Curves(
            x=Axis(label="", names=[str(value) for value in names]),
            upright=True,
            dots=[Dots(x, y), *star],
            marked=[(i - 0.4, i + 0.4) for i in held],
            **words,
        )
    ends = np.array(region.levels, dtype=float)
    by_itself = bool((ends[:, 0] == ends[:, 1]).all())  # else each part is a step
    x, y = ends[:, 0], region.density
    if not by_itself:
        x, y = ends.ravel(), np.repeat(y, 2)
    star = []
    if best is not None:
        level = int(np.abs(ends - float(best)).min(axis=1).argmin())
        star = [_star(float(best), float(region.density[level]))]
    return Curves(
        x=Axis(
            label="", values=[value for pair in region.levels for value in pair], log=parameter.log
        ),
        lines=[Line(x, y, marks=by_itself)],
        dots=star,
        marked=[(float(region.values[0]), float(region.values[-1]))],
        **words,
    )


def _star(x: float, y: float) -> Dots:
    return Dots(np.array([x]), np.array([y]), look="star")


VIEWS = {"": View(densities, "Where the best value of each hyperparameter is.")}
