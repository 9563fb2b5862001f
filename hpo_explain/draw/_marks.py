"""Draws rows, curves and cells on axes of matplotlib, without what is written around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves, broken
from hpo_explain.base.figures.marks import GREY, LOOKS, Axis, Dots, Line
from hpo_explain.base.figures.rows import PALE, Rows
from hpo_explain.base.phrases import shorten
from hpo_explain.draw._layout import Shape
from hpo_explain.draw._legend import DIMMED, MARKED, MARKERS, patch, point, stroke
from hpo_explain.draw._log_axis import make_log
from hpo_explain.draw._text import plain
from hpo_explain.draw._texts import (
    SMALL,
    TEXT,
    characters,
    high,
    ink,
    literal,
    names_across,
    names_down,
    row_labels,
    whole_names,
)
from hpo_explain.space import Array

HEIGHT = 190.0  # points that axes are high
SCALE = 78.0  # points, width of the scale of colors with its texts
_ROW = 2.0 * TEXT  # points that a row of one bar is high
_MOST_VECTORS = 2000  # marks that are drawn as such: an SVG of 50,000 takes 10 MB


def draw(
    ax: Axes,
    figure: Rows | Curves | Cells,
    points: float,
    *,
    scale: bool = True,
    high: float = HEIGHT,
) -> Shape:
    """Draw a description on axes that are so wide in points.

    Cells have the scale of their colors beside them, or not; curves are so high.
    """
    ax.tick_params(labelsize=TEXT)
    for axis in (ax.xaxis, ax.yaxis):
        numbers = axis.get_major_formatter()
        if isinstance(numbers, ScalarFormatter):
            numbers.set_useOffset(False)
    if isinstance(figure, Rows):
        return _draw_rows(ax, figure, points)
    if isinstance(figure, Curves):
        return _draw_curves(ax, figure, points, high)
    return _draw_cells(ax, figure, points, scale=scale)


# ---------------------------------------------------------------------- rows


def _draw_rows(ax: Axes, rows: Rows, points: float) -> Shape:
    labels = row_labels(rows.labels, characters(0.36 * points))
    _draw_bars(ax, rows)
    for row, level in enumerate(rows.levels):
        ax.plot([level] * 2, [row, row + 1], color=GREY, linewidth=1.0, zorder=1.5)
    if rows.zero:
        ax.axvline(0.0, color=ink(), linewidth=0.8, zorder=1.5)
    for x, look in rows.guides:
        ax.axvline(x, zorder=1.6, **stroke(look))
    for dots in rows.dots:
        _draw_dots(ax, replace(dots, x=dots.y, y=dots.x), lying=True)
    names_down(ax, labels)
    for tick in ax.get_yticklabels()[len(labels) - rows.quiet : len(labels)]:
        tick.set_color(GREY)
    ax.set_xlim(rows.limits())
    if rows.percent:
        ax.xaxis.set_major_formatter(_percent)
    _bins(ax, 0.64 * points, shares=rows.percent)
    ax.spines[["top", "left", "right"]].set_visible(False)
    bars = (_ROW, 30.0, 36.0)[min(rows.places, 3) - 1]
    height = max(bars, _row_high(labels, _ROW)) * max(len(labels), 1)
    scale = None
    if rows.scale:
        *ends, label = rows.scale
        scale = _draw_scale([ax], (0.0, 1.0), label, height)
        scale.set_yticks([0.0, 1.0], labels=ends)
    return Shape(height, rows.label, "", scale)


def _row_high(labels: Sequence[str], one: float) -> float:
    """Return how many points rows are high with their labels, of which one line takes `one`."""
    return one + 10.5 * max((label.count("\n") for label in labels), default=0)


def _draw_bars(ax: Axes, rows: Rows) -> None:
    """Draw all bars of a kind, and all whiskers, at once: one by one they take thrice the time."""
    for fill, bars in rows.by_fill():
        ax.barh(
            [rows.height_of(bar) for bar in bars],
            [bar.length for bar in bars],
            left=[bar.begin for bar in bars],
            height=(0.3 if fill == PALE else 0.9) * rows.thickness,
            zorder=2,
            **patch(fill),
        )
    uncertain = [bar for bar in rows.bars if not bar.bare]
    line = 0.8 if rows.places > 1 else 1.0
    if uncertain:
        ends = np.array([bar.end for bar in uncertain])
        heights = np.array([rows.height_of(bar) for bar in uncertain])
        reach = np.transpose([bar.reach for bar in uncertain])
        style = {"elinewidth": line, "capthick": line, "zorder": 3}
        _draw_whiskers(ax, heights, ends, reach, lying=True, ecolor=ink(), **style)


def _draw_whiskers(
    ax: Axes, x: Array, y: Array, reach: Array, *, lying: bool, capsize: float = 2.0, **style: Any
) -> None:
    """Draw how far values may be off, along y."""
    style["xerr" if lying else "yerr"] = reach
    ax.errorbar(*_turned(x, y, lying), fmt="none", capsize=capsize, **style)


# ---------------------------------------------------------------------- curves


def _draw_curves(ax: Axes, figure: Curves, points: float, high: float) -> Shape:
    lying, limits = figure.lying, figure.limits()
    x, y = (figure.y, figure.x) if lying else (figure.x, figure.y)
    _set_axes(ax, x, y, points)
    if figure.thin:
        ax.plot(*_turned(*figure.thin, lying), zorder=1.0, **stroke("thin"))
    for line in figure.lines:
        _draw_line(ax, line, lying=lying)
    for dots in figure.dots:
        for some, marker in figure.placed(dots):
            _draw_dots(ax, some, lying=lying, marker=marker)
    across = ax.axvline if lying else ax.axhline
    for level, look in figure.levels:
        across(level, zorder=1.2, **stroke(look))
    _draw_uprights(ax, figure)
    _draw_stretches(ax, figure)
    hidden = ["top", "right", *(["left"] if lying else [])]
    ax.spines[hidden].set_visible(False)
    if figure.empty:
        style: dict[str, Any] = {"ha": "center", "color": GREY}
        ax.text(0.5, 0.5, figure.empty, transform=ax.transAxes, **style)
        ax.set_yticks([])
    if lying:
        ax.set_xlim(limits)
        return Shape(_name_rows(ax, figure, points), x.title, y.title)
    ax.set_ylim(limits)
    if figure.x.names:
        names_across(ax, figure.x.names, 0.85 * points)
    return Shape(high, x.title, y.title)


def _name_rows(ax: Axes, figure: Curves, points: float) -> float:
    """Write the name of each row; return how many points high all are."""
    labels = whole_names(figure.x.names, characters(0.4 * points))
    names_down(ax, labels)
    heights = [high(label, TEXT) for label in labels]
    # neighbours share the room between them
    pairs = [(one + other) / 2.0 for one, other in pairwise(heights)]
    return max(max([17.0, *pairs]) * len(labels), 60.0)


def _draw_uprights(ax: Axes, figure: Curves) -> None:
    """Draw upright lines, behind all dots where they are a guide."""
    upright = ax.axhline if figure.lying else ax.axvline
    for note in figure.uprights:
        is_behind = note.look == "guide" and len(figure.dots) > 0
        order = 0.5 if is_behind else 2.5
        upright(note.x, zorder=order, **stroke(note.look))
        if note.text:
            text = ax.annotate(
                note.text,
                (note.x, 1.0),
                (3.0, -1.0),
                xycoords=ax.get_xaxis_transform(),
                textcoords="offset points",
                va="top",
                fontsize=SMALL,
                color=ink(LOOKS[note.look].color),
            )
            literal(text)


def _draw_stretches(ax: Axes, figure: Curves) -> None:
    """Draw what stands along the x axis: what is dimmed or marked, and the rug."""
    for ends in figure.dimmed:
        ax.axvspan(*ends, zorder=2.2, **DIMMED)
    along: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "clip_on": False}
    for ends in figure.marked:
        ax.plot(ends, [0.0, 0.0], zorder=2.8, **along, **MARKED)
    if len(figure.rug):
        ticks = np.broadcast_to([0.0, 0.035], (len(figure.rug), 2))
        ax.plot(
            *broken(figure.rug[:, None], ticks),
            zorder=3,
            color=ink(),
            linewidth=0.9,
            alpha=0.55,
            rasterized=len(figure.rug) > _MOST_VECTORS,
            **along,
        )


def _draw_line(ax: Axes, line: Line, *, lying: bool = False) -> None:
    style = stroke(line.look)
    if line.has_ends:
        low, high = line.ends
        (ax.fill_betweenx if lying else ax.fill_between)(
            line.x,
            low,
            high,
            facecolor=style["color"],
            linewidth=0.0,
            zorder=1.2,
            alpha=0.22 if line.look in ("main", "total") else 0.15,
            step="post" if line.step else None,
        )
        alone = line.alone & np.isfinite(low)
        if alone.any() and not line.marks:
            reach, color = line.reach[:, alone], style["color"]
            _draw_whiskers(ax, line.x[alone], line.y[alone], reach, lying=lying, ecolor=color)
    if line.alone.any():
        mark = point(line.look)
        style |= {key: mark[key] for key in mark if key.startswith("marker")}
        style["markersize"] = 3.5
        style["markevery"] = np.flatnonzero(line.alone).tolist()
    ax.plot(
        *_turned(line.x, line.y, lying),
        drawstyle="steps-post" if line.step else "default",
        zorder=2.4,
        rasterized=len(line.x) > 10 * _MOST_VECTORS,
        **style,
    )


def _draw_dots(ax: Axes, dots: Dots, *, lying: bool = False, marker: str = "") -> None:
    x, y = _turned(dots.x, dots.y, lying)
    many = len(x) > _MOST_VECTORS
    look = LOOKS[dots.look]
    if len(dots.colors):
        # those of a color at once: an SVG says each color once
        order = np.argsort(dots.colors)
        ax.scatter(
            x[order],
            y[order],
            c=np.array(dots.colors)[order],
            cmap=colormaps["cividis"].resampled(16),
            vmin=0.0,
            vmax=1.0,
            marker=MARKERS[look.marker],
            s=LOOKS["colored"].size ** 2,
            linewidths=1.2 if look.marker == "cross" else 0.0,
            clip_on=False,
            zorder=3,
            rasterized=many,
        )
        return
    style = point(dots.look)
    if marker:
        style["marker"] = MARKERS[marker]
        style["markersize"] = LOOKS["beyond"].size
    if dots.has_ends:
        how = {"capsize": 2.5, "ecolor": style["color"], "elinewidth": 1.4, "zorder": 3}
        _draw_whiskers(ax, dots.x, dots.y, np.nan_to_num(dots.reach), lying=lying, **how)
        if look.hollow:
            style["markerfacecolor"] = "white"
    ax.plot(x, y, clip_on=False, zorder=3.2, rasterized=many, **style)
    beside: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL}
    for right, up, text in zip(x, y, dots.labels, strict=False):
        literal(ax.annotate(text, (right, up), (4.0, 4.0), **beside))


def _turned(x: Array, y: Array, lying: bool) -> tuple[Array, Array]:
    return (y, x) if lying else (x, y)


# ---------------------------------------------------------------------- axes


def _set_axes(ax: Axes, x: Axis, y: Axis, points: float) -> None:
    """Give axes their scales, limits and ticks; names are written elsewhere."""
    for description, axis in ((x, ax.xaxis), (y, ax.yaxis)):
        if description.log:
            make_log(axis, description.values, few=points <= 250.0)
        elif description is x and not x.names:
            _bins(ax, 0.85 * points, whole=x.integers, shares=x.percent)
        if description.percent:
            axis.set_major_formatter(_percent)
        if description.limits != (None, None):
            ax.set(**{f"{axis.axis_name}lim": description.limits})


def _percent(share: float, _: float) -> str:
    return f"{100.0 * share:.4g}%"


def _bins(ax: Axes, points: float, *, whole: bool = False, shares: bool = False) -> None:
    locator = MaxNLocator(
        nbins=max(2, min(9, int(points / 48.0))),
        integer=whole,
        # of shares: the whole is a multiple of each
        steps=[1, 2, 2.5, 5, 10] if shares else None,
        min_n_ticks=1,
    )
    ax.xaxis.set_major_locator(locator)


# ---------------------------------------------------------------------- cells


def _draw_cells(ax: Axes, figure: Cells, points: float, *, scale: bool) -> Shape:
    low, high = figure.ends()
    shown = np.ma.masked_invalid(figure.values.T)
    ax.pcolormesh(
        figure.x.edges(),
        figure.y.edges(),
        shown,
        cmap="cividis",
        vmin=low,
        vmax=high,
        shading="flat",
        rasterized=shown.size > 500,
        snap=True,
    )
    if "dimmed" in figure.shown.signs:
        white: dict[str, Any] = {"color": "white", "linewidth": 0.7}
        ax.plot(*figure.crosses(), alpha=0.7, **white)
    _set_axes(ax, figure.x, figure.y, points - SCALE * scale)
    for dots in figure.dots:
        _draw_dots(ax, dots)
    height = HEIGHT
    if figure.y.names:
        rows = [(name,) for name in figure.y.names]
        labels = row_labels(rows, characters(0.3 * points))
        names_down(ax, labels, tinted=False)
        height = max(3, len(labels)) * 22.0
    if figure.x.names:
        names_across(ax, figure.x.names, 0.65 * points - SCALE * scale)
        ax.spines[:].set_visible(False)
    beside = draw_scale_of(figure, [ax], height) if scale else None
    return Shape(height, figure.x.title, figure.y.title, beside)


def draw_scale_of(figure: Cells, axes: list[Axes], height: float = HEIGHT) -> Axes:
    """Draw the scale of the colors of cells beside axes, which may be several panels."""
    scale = _draw_scale(axes, figure.ends(), figure.scale, height)
    scale.yaxis.set_major_locator(MaxNLocator(nbins=6))
    if figure.percent:
        scale.yaxis.set_major_formatter(_percent)
    return scale


def _draw_scale(axes: list[Axes], ends: tuple[float, float], label: str, height: float) -> Axes:
    """Draw a scale of colors beside axes that are so high in points."""
    colors = ScalarMappable(Normalize(*ends), cmap="cividis")
    scale = axes[0].figure.colorbar(colors, ax=axes, pad=0.02, fraction=0.05, aspect=30)
    scale.ax.tick_params(labelsize=TEXT)
    scale.outline.set_visible(False)
    scale.set_label(shorten(plain(label), characters(height)), fontsize=TEXT)
    literal(scale.ax.yaxis.label)
    beside: Axes = scale.ax
    return beside
