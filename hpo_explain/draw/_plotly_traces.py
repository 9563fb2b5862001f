"""Rows, curves and cells as traces of plotly, and how much room their axes take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import GREEN, GREY, RULE, VEIL, Axis
from hpo_explain.base.figures.rows import PALE, Bar, Rows, color_and_hatch
from hpo_explain.draw import _room as texts
from hpo_explain.draw._plotly_axes import (
    HIGH,
    NUMBERS,
    PANEL,
    SCALE,
    Axes,
    Room,
    along_x,
    along_y,
    draw_dots,
    draw_line,
    hovertext,
    names_down,
    point,
    pointed_at,
    row_high,
    scale_of_colors,
    write_at,
)
from hpo_explain.draw._room import MARGIN, NAME, SMALL
from hpo_explain.draw._text import abbreviated, plain


def draw(axes: Axes, figure: Rows | Curves | Cells) -> Room:
    """Draw a description on axes."""
    if isinstance(figure, Rows):
        return _draw_rows(axes, figure)
    if isinstance(figure, Curves):
        return _draw_curves(axes, figure)
    return _draw_cells(axes, figure)


# ---------------------------------------------------------------------- rows


def _draw_rows(axes: Axes, rows: Rows) -> Room:
    n = len(rows.labels)
    names = [" ".join(filter(None, label)) for label in rows.labels]
    # what is pointed at says its number, then its row
    axes.x = Axis(label="", names=names)
    axes.y = Axis(label=rows.label, percent=rows.percent)
    axes.lying = True
    _draw_bars(axes, rows)
    for row, level in enumerate(rows.levels):
        _draw_grey(axes, [row, row + 1], [level, level], width=1)
    for x, look in rows.guides:
        axes.stroke([-0.5, n - 0.5], [x, x], look)
    if rows.scale:
        low, high, label = rows.scale
        ends = [texts.lines(end, NAME) for end in (low, high)]
        axes.colorbar = scale_of_colors(label, tickvals=[0, 1], ticktext=ends)
    for dots in rows.dots:
        draw_dots(axes, replace(dots, x=dots.y, y=dots.x))
    labels = [texts.row_label(label) for label in rows.labels]
    left = names_down(axes, labels, quiet=rows.quiet)
    title = texts.within(rows.label, axes.wide - left - MARGIN)
    axes.update_x(
        range=rows.limits(),
        title=title,
        zeroline=rows.zero,
        nticks=6,
        tickformat=".0%" if rows.percent else None,
    )
    row = max(row_high(labels), 12 * rows.places)
    return Room(max(n, 3) * row, left, texts.below(title))


def _draw_bars(axes: Axes, rows: Rows) -> None:
    for fill, bars in rows.by_fill():
        color, hatch = color_and_hatch(fill)
        thickness = rows.thickness / (3 if fill == PALE else 1)
        whiskers = [(None, None) if bar.bare else bar.reach for bar in bars]
        down, up = zip(*whiskers, strict=True)
        hover = [bar.told or f"{axes.x.names[bar.row]}: {_reached(axes.y, bar)}" for bar in bars]
        trace = go.Bar(
            orientation="h",
            base=[bar.begin for bar in bars],
            x=[bar.length for bar in bars],
            y=[bar.row for bar in bars],
            offset=[rows.height_of(bar) - bar.row - thickness / 2 for bar in bars],
            width=thickness,
            opacity=0.3 if fill == PALE else 1.0,
            marker_color=color,
            marker_pattern_shape=hatch,
            error_x={"arrayminus": down, "array": up, "color": "black", "width": 2},
            hovertext=hovertext(hover),
            hoverinfo="text",
        )
        axes.add(trace, text=rows.fills.get(fill, ""))


def _draw_grey(
    axes: Axes, x: Sequence[float], y: Sequence[float], *, width: int, opacity: float = 1.0
) -> None:
    """Draw a line that says nothing when it is pointed at."""
    line = {"color": GREY, "width": width}
    axes.scatter(x, y, mode="lines", line=line, opacity=opacity, hoverinfo="skip")


def _reached(axis: Axis, bar: Bar) -> str:
    """Return from where to where a bar leads, and its whisker, as text."""
    down, up = bar.reach
    begin = f"{axis.text(bar.begin)} to " if bar.begin else ""
    low, high = axis.text(bar.end - down), axis.text(bar.end + up)
    whisker = f" ({low} to {high})" if down or up else ""
    return f"{begin}{axis.text(bar.end)}{whisker}"


# ---------------------------------------------------------------------- curves


def _draw_curves(axes: Axes, curves: Curves) -> Room:
    limits = curves.limits()
    axes.x, axes.y, axes.lying = curves.x, curves.y, curves.lying
    if curves.thin:
        axes.stroke(*curves.thin, "thin", opacity=0.35, hoverinfo="skip")
    for line in curves.lines:
        draw_line(axes, line)
    for dots in curves.dots:
        # before points stand at an end of the axes
        hover = dots.told or axes.told(dots)
        for some, marker in curves.placed(replace(dots, told=hover)):
            draw_dots(axes, some, marker=marker)
    if curves.has_beyond:
        axes.key("beyond", **point("beyond"))
    for level, look in curves.levels:
        axes.stroke(curves.across(), [level, level], look)
    for note in curves.uprights:
        axes.stroke(
            [note.x, note.x],
            limits,
            note.look,
            mode="lines+text",
            text=["", texts.lines(note.text, NAME)],
            textposition="bottom right",
            textfont_size=SMALL,
        )
    _draw_stretches(axes, curves, *limits)
    if curves.empty:
        text = texts.lines(curves.empty, NAME)
        middle = dict.fromkeys(("xanchor", "align"), "center")
        write_at(axes.figure, text, 0.5, 0.5, font_color=GREY, **middle)
    if curves.lying:
        labels = [texts.row_label((name,)) for name in curves.x.names]
        left = names_down(axes, labels, curves.x.title)
        below = along_x(axes, curves.y, axes.wide - left, limits)
        return Room(max(len(labels), 3) * row_high(labels), left, below)
    below = along_x(axes, curves.x, axes.wide - NUMBERS)
    along_y(axes, curves.y, PANEL + NUMBERS, limits)
    return Room(HIGH, NUMBERS, below)


def _draw_stretches(axes: Axes, curves: Curves, low: float, high: float) -> None:
    """Draw what stands along the x axis: what is marked or dimmed, and the rug."""
    for first, last in curves.marked:
        axes.scatter(
            [first, last],
            [low, low],
            meaning="marked",
            mode="lines",
            line_color=GREEN,
            line_width=6,
        )
    for first, last in curves.dimmed:
        axes.scatter(
            [first, last, last, first],
            [low, low, high, high],
            meaning="dimmed",
            mode="none",
            fill="toself",
            fillpattern={"shape": "/", "fgcolor": RULE, "bgcolor": VEIL},
            hoverinfo="skip",
        )
    if len(curves.rug):
        axes.scatter(
            curves.rug,
            np.full(len(curves.rug), low),
            meaning="rug",
            mode="markers",
            marker={"symbol": "line-ns-open", "color": "black", "size": 8},
            hoverinfo="x",
        )


# ---------------------------------------------------------------------- cells


def _draw_cells(axes: Axes, cells: Cells) -> Room:
    axes.x, axes.y = cells.x, cells.y
    low, high = cells.ends()
    values = Axis(label=cells.scale)
    hover = [
        hovertext(
            pointed_at((cells.x, x), (cells.y, y), (values, value))
            for x, value in zip(cells.x.places, row, strict=True)
        )
        for y, row in zip(cells.y.places, cells.values.T, strict=True)
    ]
    percent = ".0%" if cells.percent else None
    colorbar = scale_of_colors(cells.scale, tickformat=percent, nticks=6)
    trace = go.Heatmap(
        x=cells.x.edges(),
        y=cells.y.edges(),
        z=cells.values.T,
        colorscale="Cividis",
        zmin=low,
        zmax=high,
        hoverongaps=False,
        hoverinfo="text",
        hovertext=hover,
        colorbar=colorbar,
    )
    axes.add(trace)
    if "dimmed" in cells.shown.signs:
        white = {"color": "rgb(255, 255, 255)", "width": 1}  # in the dark, too
        axes.scatter(*cells.crosses(), mode="lines", line=white, opacity=0.7, hoverinfo="skip")
        outline = {"color": GREY, "width": 1}
        patch = {"symbol": "square-x-open", "size": 9, "line": outline}
        axes.key("dimmed", color=GREY, **patch)
    if not np.isfinite(cells.values).any():  # then their scale is not shown
        axes.scale, axes.colorbar = (low, high), colorbar
    for dots in cells.dots:
        draw_dots(axes, dots)
    left = NUMBERS
    if cells.y.names:
        names = abbreviated(map(plain, cells.y.names), NAME)
        left = names_down(axes, [*map(texts.whole, names)], cells.y.title)
    else:
        along_y(axes, cells.y, PANEL)
    below = along_x(axes, cells.x, axes.wide - left - SCALE)
    return Room(max(HIGH, 26 * len(cells.y.names)), left, below)
