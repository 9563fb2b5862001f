"""How a map of configurations is drawn: what is predicted, what was tried, and what was not."""

from __future__ import annotations

from hpo_explain.base import filled, number
from hpo_explain.base.figures import Axis, Cells, Dots, Line, View
from hpo_explain.methods.space.footprint_result import Footprint

_MEANS = {
    "border": "not tried: ends of the ranges",
    "random": "not tried: anywhere",
    "tried": "tried",
    "incumbent": "best so far, in their order",
    "star": "incumbent",
}


def plane(footprint: Footprint) -> Cells:
    """Draw the map, without units; its colors are the mean of the predictions nearby."""
    n, best = (
        len(footprint.of_kind("tried", "incumbent")),
        footprint.xy[footprint.of_kind("incumbent")],
    )
    points = {
        kind: footprint.xy[footprint.of_kind(kind)] for kind in _MEANS
    } | {"star": best[-1:]}
    footer = filled(
        "{n:#trial}. The axes have no unit: near places are similar configurations, as far as two "
        "dimensions show it (stress {stress}).",
        n=n,
        stress=number(round(footprint.stress, 3), 2),
    )
    if footprint.surface_r2 == footprint.surface_r2:
        footer += f" Colors: mean of predictions nearby (R² {number(footprint.surface_r2, 2)})."
    return Cells(
        x=Axis(label="", values=footprint.grid[0].tolist()),
        y=Axis(label="", values=footprint.grid[1].tolist()),
        values=footprint.surface.T,
        scale=f"predicted {footprint.objective_name}",
        lines=[Line(best[:, 0], best[:, 1], look="incumbent")]
        if len(best)
        else [],
        dots=[
            Dots(xy[:, 0], xy[:, 1], look=kind)
            for kind, xy in points.items()
            if len(xy)
        ],
        means={kind: _MEANS[kind] for kind, xy in points.items() if len(xy)},
        heading="Where configurations were tried, and what is predicted there",
        subtitle=filled(
            "{share:%} of the space is near a trial",
            share=footprint.explored[0],
        ),
        footer=footer,
        bare=True,
    )


VIEWS = {
    "": View(
        plane,
        "The configurations on a map: near places are similar configurations.",
    )
}
