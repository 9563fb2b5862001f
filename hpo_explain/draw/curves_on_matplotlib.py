"""Draws curves and cells with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.markers import TICKUP
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.figures.curves import Axis, Cells, Curves, Dots, Words
from hpo_explain.plotting import _heatmap as heatmap
from hpo_explain.plotting._layout import (
    limit_ticks,
    points_across,
    sides,
    write_above,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._rows import tint_rows
from hpo_explain.plotting._style import BLUE, GREEN, GREY, ORANGE, PURPLE, TEXT
from hpo_explain.plotting._text import plain

_HEIGHT, _ROW = 190.0, 17.0  # points, of the axes and of a row
_RUG = 0.035  # height of a mark of the rug, as a share of the axes
_MOST_VECTORS = 2000  # marks that are drawn as such: an SVG of 50,000 takes 10 MB
_COLORS = {"main": BLUE, "best": GREEN, "doubt": GREY, "second": PURPLE}
_DIMMED: dict[str, Any] = {
    "facecolor": (1.0, 1.0, 1.0, 0.6), "edgecolor": "#b0b0b0", "hatch": "////", "linewidth": 0.0,
}  # fmt: skip
_LOOKS: dict[str, dict[str, Any]] = {
    "line": {"color": BLUE, "linewidth": 1.8},
    "second": {"color": PURPLE, "linestyle": (0, (4, 1)), "linewidth": 1.6},
    "second points": {"color": PURPLE, "marker": "D", "linestyle": "-", "linewidth": 1.6},
    "marked": {"color": GREEN, "linewidth": 4.0, "solid_capstyle": "butt"},
    "thin": {"color": GREY, "alpha": 0.35, "linewidth": 0.6},
    "guide": {"color": ORANGE, "linestyle": "--", "linewidth": 1.8},
    "star": {"linestyle": "none", "marker": "*", "markersize": 13.0, "color": ORANGE,
             "markeredgecolor": "black", "markeredgewidth": 0.7},
    "dots": {"linestyle": "none", "marker": "o", "markersize": 3.5, "color": "white",
             "markeredgecolor": "black", "markeredgewidth": 0.6},
    "main": {"color": BLUE, "linewidth": 1.8, "marker": "o"},
    "best": {"color": GREEN, "linewidth": 1.8, "marker": "o"},
    "doubt": {"color": GREY, "linewidth": 1.8, "marker": "o", "markerfacecolor": "white"},
}  # fmt: skip
_CALLOUT: dict[str, Any] = {
    "bbox": {"facecolor": ORANGE, "alpha": 0.25, "linewidth": 0.0, "pad": 1.5},
    "fontweight": "bold",
}


def draw_curves(ax: Axes, figure: Curves) -> float:
    """Draw curves and points; return how many points high all is."""
    lying = bool(figure.x.names)
    _scale(ax, 0, figure.x)
    if figure.thin is not None:
        ax.plot(*_turned(*figure.thin, lying), zorder=1.0, **_LOOKS["thin"])
    for line in figure.lines:
        look, color = line.look.replace("main", "line"), _COLORS[line.look]
        if line.half is not None:
            ax.fill_between(line.x, line.y - line.half, line.y + line.half, facecolor=color,
                            alpha=0.22 if look == "line" else 0.15, linewidth=0.0)  # fmt: skip
        ax.plot(line.x, line.y, **_LOOKS[look])
    for dots in figure.dots:
        _draw_dots(ax, dots, lying)
    for ends in figure.dimmed:
        ax.axvspan(*ends, zorder=2.2, **_DIMMED)
    along = ax.get_xaxis_transform()
    for ends in figure.marked:
        ax.plot(ends, [0.0, 0.0], transform=along, clip_on=False, zorder=2.8, **_LOOKS["marked"])
    if figure.guide is not None:
        guide = ax.axhline if lying else ax.axvline
        guide(figure.guide, zorder=0.5 if figure.dots else 2.5, **_LOOKS["guide"])
    if len(figure.rug):
        x = np.array([0.0, 0.0, np.nan]) + figure.rug[:, None]
        ax.plot(x.ravel(), np.tile([0.0, _RUG, np.nan], len(figure.rug)), transform=along,
                clip_on=False, zorder=3, color=ink(), linewidth=0.9, alpha=0.55,
                rasterized=len(figure.rug) > _MOST_VECTORS)  # fmt: skip
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right", *(["left"] if lying else [])]].set_visible(False)
    height = _HEIGHT
    if lying:
        n = len(figure.x.names)
        ax.set_ylim(n - 0.5, -0.5)
        tint_rows(ax, n)
        heatmap.names_along_y(ax, figure.x.names, points=0.32 * points_across(ax))
        height = max(_ROW * n, 60.0)
    below, beside = (figure.y, figure.x) if lying else (figure.x, figure.y)
    write_y_label(ax, plain(beside.title), points=0.95 * height)
    left, across = sides(ax, label=2.0 * TEXT)
    if lying:
        limit_ticks(ax, across)
    return _write_words(ax, figure, plain(below.title), height, left, across)


def draw_cells(ax: Axes, figure: Cells) -> float:
    """Draw cells; return how many points high all is."""
    x, y = figure.x.edges(), figure.y.edges()
    mesh = heatmap.draw_cells(ax, x, y, figure.values.T)
    cells = [
        [(x[i], y[j]), (x[i + 1], y[j]), (x[i + 1], y[j + 1]), (x[i], y[j + 1])]
        for i, j in np.argwhere(figure.dimmed)
    ]
    if cells:
        ax.add_collection(PolyCollection(cells, **_DIMMED), autolim=False)
    for k, axis in enumerate((figure.x, figure.y)):
        _scale(ax, k, axis)
    if len(figure.dots[0]):
        ax.plot(*figure.dots, clip_on=False, alpha=0.8,
                rasterized=len(figure.dots[0]) > _MOST_VECTORS, **_LOOKS["dots"])  # fmt: skip
    if figure.star is not None:
        ax.plot(*([place] for place in figure.star), clip_on=False, zorder=4, **_LOOKS["star"])
    ax.tick_params(labelsize=TEXT)
    heatmap.draw_scale(mesh, ax, label=plain(figure.scale))
    height = _HEIGHT
    if figure.y.names:
        heatmap.names_along_y(ax, figure.y.names, points=0.3 * points_across(ax))
        height = max(_HEIGHT, _ROW * len(figure.y.names))
    write_y_label(ax, plain(figure.y.title), points=0.95 * height)
    left, across = sides(ax, label=2.0 * TEXT)
    across -= heatmap.SCALE  # what is wider would push the scale of colors away
    if figure.x.names:
        height += heatmap.names_along_x(ax, figure.x.names, points=across)
    return _write_words(ax, figure, plain(figure.x.title), height, left, across)


def _draw_dots(ax: Axes, dots: Dots, lying: bool) -> None:
    color, second = _COLORS[dots.look], dots.look == "second"
    bars: dict[str, Any] = {"xerr" if lying else "yerr": dots.half}
    ax.errorbar(*_turned(dots.x, dots.y, lying), **bars, fmt="D" if second else "o", color=color,
                ecolor=color, markersize=4.5 if second else 6.0, capsize=0.0 if second else 3.0,
                elinewidth=1.2 if second else 1.6,
                markerfacecolor="white" if dots.look == "doubt" else color)  # fmt: skip


def _turned(x: Any, y: Any, lying: bool) -> tuple[Any, Any]:
    return (y, x) if lying else (x, y)


def _scale(ax: Axes, k: int, axis: Axis) -> None:
    if axis.log:
        make_log(ax, k, axis.values)
    elif k == 0 and not axis.names and axis.whole and len(axis.values) <= 20:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))


def _mark(kind: str) -> Artist:
    """Return the mark of a legend."""
    if kind == "band":
        return Patch(facecolor=BLUE, alpha=0.22, linewidth=0.0)
    if kind == "dimmed":
        return Patch(**_DIMMED)
    if kind == "rug":
        return line_mark(
            linestyle="none", marker=TICKUP, markersize=7.0, color=ink(), markeredgewidth=0.9
        )
    return line_mark(**{**_LOOKS[kind], **({"alpha": 0.6} if kind == "thin" else {})})


def _write_words(
    ax: Axes, words: Words, label: str, height: float, left: float, across: float
) -> float:
    """Write what stands over and under the axes; return how many points high all is."""
    width = left + across
    high = write_legend(
        ax, [(_mark(k), v) for k, v in words.means.items()], left=left, points=width
    )
    if words.caution:
        text = f"Caution: {words.caution[0].lower()}{words.caution[1:]}"
        high += 4.0 + write_above(ax, text, above=high + 1.0, left=left, points=width, **_CALLOUT)
    subtitle = "\n".join(map(plain, words.subtitle.split("\n")))
    high += write_header(ax, plain(words.heading), subtitle, above=high, left=left, points=width)
    return height + high + write_footer(ax, label, words.footer, left=left, points=across)
