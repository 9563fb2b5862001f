"""How a map of configurations is drawn: where was searched, where it is good, where nobody was."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base import filled, number
from hpo_explain.base.figures import Axis, Cells, Dots, View
from hpo_explain.methods.space.footprint_result import Footprint
from hpo_explain.space import Array

_MEANS = {
    "star": "incumbent",
    "tried": "trial",
    "colored": "trial",
    "random": "nobody looked near",
}
_ENDS = (0.02, 0.98)  # of the predictions: the scale of colors


def plane(footprint: Footprint) -> Cells:
    """Draw the map, without units; colors are predictions.

    Where trials are near, the color of a place is the mean of the predictions around, if these say
    something of it; else each trial has its own. Configurations far from all trials are crosses.
    """
    tried = footprint.of_kind("tried", "incumbent")
    far = np.flatnonzero(~footprint.near)
    best = footprint.of_kind("incumbent")[-1:]
    low, high = np.quantile(footprint.mean, _ENDS).tolist()
    width = (high - low) or 1.0
    colors = np.clip((footprint.mean - low) / width, 0.0, 1.0)
    surface = footprint.searched.T
    marks = "tried"
    if not footprint.has_surface:
        surface, marks = np.full_like(surface, np.nan), "colored"
    dots = [
        _points(footprint, tried, marks, colors),
        _points(footprint, far, "random", colors),
        _points(footprint, best, "star", colors),
    ]
    return Cells(
        x=Axis(label="", values=footprint.grid[0].tolist()),
        y=Axis(label="", values=footprint.grid[1].tolist()),
        values=surface,
        scale=f"predicted {footprint.objective_name}",
        low=low,
        high=low + width,
        dots=[marks for marks in dots if len(marks.x)],
        means=_MEANS,
        heading="Where was searched, and what is predicted there",
        subtitle=filled(
            "{share:%} of the space is near a trial; {better} is better",
            share=footprint.explored[0],
            better=footprint.subject.better,
        ),
        footer=filled(
            "{n:#trial}. The axes have no unit: near places are similar configurations, as far as "
            "two dimensions show it (stress {stress}).",
            n=len(tried),
            stress=number(round(footprint.stress, 3), 2),
        ),
        bare=True,
    )


def _points(footprint: Footprint, rows: Any, look: str, colors: Array) -> Dots:
    xy = footprint.xy[rows]
    colored = look in {"colored", "random"}
    return Dots(
        xy[:, 0],
        xy[:, 1],
        look=look,
        colors=colors[rows] if colored else None,
    )


VIEWS = {
    "": View(
        plane,
        "The configurations on a map: near places are similar configurations.",
    )
}
