"""The map of the configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.footprint import Footprint
from hpo_explain.plotting._axes import STAR
from hpo_explain.plotting._heatmap import SCALE, draw_cells, draw_scale
from hpo_explain.plotting._layout import sides, write_footer, write_header, write_legend
from hpo_explain.plotting._look import line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import RED, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.space import Array
from hpo_explain.wording import footprint as words

_HEIGHT = 320.0  # points, of the axes
_MARKS: dict[str, dict[str, Any]] = {
    "border": {"marker": "s", "markerfacecolor": "none", "color": "white", "markersize": 3.5},
    "random": {"marker": "x", "color": "white", "markersize": 3.5},
    "tried": {"marker": "o", "color": "black", "markersize": 3.5},
    "incumbent": {"marker": "o", "color": RED, "markersize": 5.0, "linewidth": 1.4},
}
_ON_PAPER = {"border": {"color": "#6b6b6b"}, "random": {"color": "#6b6b6b"}}


@draws(Footprint)
def plot_footprint(result: Footprint, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the map: what is predicted, what was tried, the incumbents, and what was not tried.

    Parameters
    ----------
    result : Footprint
        The map.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, without units.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> len(plot_footprint(hx.footprint(table, objective="loss")).get_xticks())
    0
    """
    own, ax = ax is None, new_axes(width) if ax is None else ax
    x, y = map(_edges, result.grid)
    mesh = draw_cells(ax, x, y, result.surface)
    name = shorten(plain(result.objective_name), 40)
    draw_scale(mesh, ax, label=words.scale(name))
    legend: list[tuple[Artist, str]] = []
    for kind, mark in _MARKS.items():
        rows = result.of_kind(kind)
        if not len(rows):
            continue
        line: dict[str, Any] = {} if kind == "incumbent" else {"linestyle": "none"}
        ax.plot(*result.xy[rows].T, **mark, **line, zorder=3)
        shown = {**mark, **line, **_ON_PAPER.get(kind, {})}
        legend.append((line_mark(**shown), words.KINDS[kind]))
    best = result.of_kind("incumbent")
    if len(best):
        ax.plot(*result.xy[best[-1:]].T, **STAR, zorder=4)
        legend.append((line_mark(**STAR), "incumbent"))
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    left, points = sides(ax)
    points -= SCALE
    high = write_legend(ax, legend, left=left, points=left + points)
    high += write_header(
        ax,
        words.heading(result),
        words.subtitle(result),
        above=high,
        left=left,
        points=left + points,
    )
    high += write_footer(ax, "", words.footer(result), left=left, points=points)
    if own:
        set_height(ax, high + _HEIGHT)
    return ax


def _edges(middle: Array) -> Array:
    """Return the edges of cells around equidistant places."""
    half = (middle[1] - middle[0]) / 2.0
    return np.append(middle - half, middle[-1] + half)
