"""Draws a figure's description with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from hpo_explain.base.figures.curves import Cells, Curves
from hpo_explain.base.figures.rows import Rows
from hpo_explain.draw.curves_on_matplotlib import draw_cells, draw_curves
from hpo_explain.plotting._layout import characters, points_across
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._rows import row_height, row_labels, style_rows, write_rows
from hpo_explain.plotting._style import FILLS, GREY, WIDTH, set_height, shown_axes
from hpo_explain.plotting._text import distinct, plain

_ROW_POINTS = (18.0, 30.0, 36.0)  # height of a row with 1, 2, 3 and more bars
_DOT: dict[str, Any] = {"marker": "o", "linestyle": "none", "markeredgecolor": "white"}


def drawn(
    figure: Rows | Curves | Cells, *, ax: Axes | None = None, width: float | None = None
) -> Axes:
    """Draw a description on axes, or on a new figure as high as it needs; return the axes."""
    own = ax is None
    if ax is None:
        ax = shown_axes(WIDTH if width is None else width)
    draw: Any = {Rows: _draw_rows, Curves: draw_curves, Cells: draw_cells}[type(figure)]
    high = draw(ax, figure)
    if own:
        set_height(ax, high)
    return ax


def _draw_rows(ax: Axes, rows: Rows) -> float:
    """Draw rows; return how many points high all is."""
    parts = [[plain(part) for part in label] for label in rows.labels]
    labels = distinct(row_labels(parts, characters(0.35 * points_across(ax))))
    _draw_bars(ax, rows)
    for i, level in enumerate(rows.levels):
        ax.plot([level, level], [i, i + 1], color=GREY, linewidth=1.0, zorder=1.5)
    if rows.dots:
        at = list(rows.dots.values()), list(rows.dots)
        ax.plot(*at, color=ink(), markersize=6.0, zorder=4, **_DOT)
    style_rows(ax, labels, zero=rows.zero)
    ax.set_xlim(rows.limits())
    if rows.percent:
        ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    high = write_rows(ax, heading=rows.heading, subtitle=rows.subtitle, label=rows.label,
                      footer=rows.footer, legend=_legend(rows))  # fmt: skip
    row = max(_ROW_POINTS[min(rows.places, 3) - 1], row_height(labels, _ROW_POINTS[0]))
    return high + len(labels) * row


def _draw_bars(ax: Axes, rows: Rows) -> None:
    thickness = 0.78 / rows.places
    line = 0.8 if rows.places > 1 else 1.0
    for bar in sorted(rows.bars, key=lambda bar: bar.place):
        fill = FILLS[bar.place if bar.fill is None else bar.fill]
        y = bar.row + (bar.place - (rows.places - 1) / 2) * thickness
        ax.barh(y, bar.end - bar.begin, left=bar.begin, height=0.9 * thickness, color=fill.color,
                hatch=fill.hatch, edgecolor="white", linewidth=0.0, zorder=2)  # fmt: skip
        if bar.half is not None:
            reach = np.transpose([bar.reach])
            ax.errorbar([bar.end], [y], xerr=reach, fmt="none", ecolor=ink(), capsize=2.0,
                        elinewidth=line, capthick=line, zorder=3)  # fmt: skip


def _legend(rows: Rows) -> list[tuple[Artist, str]]:
    there = {bar.place if bar.fill is None else bar.fill for bar in rows.bars}
    entries = [(FILLS[fill].patch(), what) for fill, what in rows.fills.items() if fill in there]
    marks = [(line_mark(color=ink(), **_DOT), rows.dots_mean)] if rows.dots_mean else []
    return [*entries, *marks]
