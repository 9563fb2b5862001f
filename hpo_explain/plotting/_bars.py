"""Horizontal bars: a row per hyperparameter, in it a bar per term, with whiskers and a mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from hpo_explain.base.width import shorten
from hpo_explain.plotting._layout import characters, points_across
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._rows import row_height, row_labels, style_rows, write_rows
from hpo_explain.plotting._style import FILLS, GREY, Fill, new_axes, set_height
from hpo_explain.plotting._text import distinct, plain
from hpo_explain.space import Array

MOST_ROWS = 20
_ROW_POINTS = (18.0, 30.0, 36.0)  # height of a row with 1, 2, 3 and more bars
_LABELS = 0.34  # share of the width that labels take
_BARS = 0.78  # share of a row that its bars take
_NEGLIGIBLE = 1e-12  # of the values that were subtracted: rounding, not a contribution


# ---------------------------------------------------------------------- the description


Half: TypeAlias = float | tuple[float, float]


def _reach(half: Half) -> tuple[float, float]:
    """Return how far whiskers reach down and up."""
    return half if isinstance(half, tuple) else (half, half)


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes
    ----------
    parts : tuple of str
        What it is of, in parts that may stand on lines of their own.
    values : tuple of float
        The length of each bar.
    halves : tuple of (float, (float, float) or None)
        Half the whiskers of each bar, and of the mark where there is one, or how far they reach
        down and up; None where none is known. Empty for none at all.
    mark : float or None
        Where the mark stands.
    fill : int or None
        The fill of all its bars, as a place in the colors; by default each bar has its own.
    model : tuple of (float or None)
        As `halves`, but by what a model does not know of each bar: pale lines behind the whiskers.
    """

    parts: tuple[str, ...]
    values: tuple[float, ...]
    halves: tuple[Half | None, ...] = ()
    mark: float | None = None
    fill: int | None = None
    model: tuple[float | None, ...] = ()

    @property
    def ends(self) -> list[float]:
        """All places that the row reaches."""
        places = [*self.values, *(() if self.mark is None else (self.mark,))]
        found = list(places)
        for halves in (self.halves, self.model):
            for place, half in zip(places, halves, strict=False):
                down, up = _reach(half or 0.0)
                found += [place - down, place + up]
        return found


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Rows of bars, and what is written around them.

    Attributes
    ----------
    rows : tuple of Row
        The rows, the first on top.
    heading, subtitle, label, footer : str
        What stands over and under the axes.
    legend : tuple of (int, str)
        Fills and what they mean.
    mark : str
        What the mark means.
    marker : str
        The shape of the mark: "D" or "|".
    inactive : tuple of str
        Labels of rows without bars, which stand last, in grey.
    percent : bool
        Whether numbers along the axis are shares.
    positive : bool
        Whether what is drawn cannot be negative; whiskers are then cut at 0.
    scale : float
        The size of the values of which bars are differences: less than rounding of it is drawn
        as 0.
    """

    rows: tuple[Row, ...]
    heading: str
    subtitle: str
    label: str
    footer: str
    legend: tuple[tuple[int, str], ...] = ()
    mark: str = ""
    marker: str = "D"
    inactive: tuple[str, ...] = ()
    percent: bool = False
    positive: bool = False
    scale: float = 0.0

    @property
    def terms(self) -> int:
        """Number of bars in a row."""
        return max((len(row.values) for row in self.rows), default=1)

    def limits(self) -> tuple[float, float]:
        """Return where the axis begins and ends."""
        ends = [0.0, *(end for row in self.rows for end in row.ends)]
        low, high = min(ends), max(ends)
        if high - low <= _NEGLIGIBLE * max(self.scale, abs(low), abs(high)) or high == low:
            reach = self.scale or 1.0
            return (0.0 if self.positive else -reach), reach
        if self.positive:
            return 0.0, high + 0.04 * (high - low)
        margin = 0.06 * (high - low)
        return (low - margin if low < 0 else -margin), (high + margin if high > 0 else margin)


def folded(order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return which rows are drawn, and which are summed in the last one, if they are too many."""
    if len(order) <= MOST_ROWS:
        return list(order), []
    return list(order[: MOST_ROWS - 1]), list(order[MOST_ROWS - 1 :])


# ---------------------------------------------------------------------- the drawing


def draw_bars(
    bars: Bars,
    *,
    ax: Axes | None,
    width: float,
    legend: Sequence[tuple[Artist, str]] | None = None,
) -> Axes:
    """Draw bars; return the axes.

    Parameters
    ----------
    bars : Bars
        What is drawn.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure as high as the rows need.
    width : float
        Width of the new figure, in inches.
    legend : sequence of (matplotlib.artist.Artist, str), optional
        Marks and what they mean, in place of those of the bars.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    parts = [[plain(part) for part in row.parts] for row in bars.rows]
    names = row_labels(parts, characters(_LABELS * points_across(ax)))
    labels = distinct([*names, *bars.inactive])
    for t in range(bars.terms):
        _draw_term(ax, bars, t)
    _draw_marks(ax, bars)
    style_rows(ax, labels)
    ax.set_xlim(bars.limits())
    if bars.percent:
        ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    for tick in ax.get_yticklabels()[len(bars.rows) :]:
        tick.set_color(GREY)
    high = write_rows(
        ax,
        heading=bars.heading,
        subtitle=bars.subtitle,
        label=bars.label,
        footer=bars.footer,
        legend=_legend(bars) if legend is None else legend,
    )
    if own:
        of_bars = _ROW_POINTS[min(bars.terms, len(_ROW_POINTS)) - 1]
        row = max(of_bars, row_height(labels, _ROW_POINTS[0]))
        set_height(ax, high + max(len(labels), 1) * row)
    return ax


def _draw_term(ax: Axes, bars: Bars, t: int) -> None:
    rows = [(i, row) for i, row in enumerate(bars.rows) if t < len(row.values)]
    if not rows:
        return
    thickness = _BARS / bars.terms
    y = np.array([i for i, _ in rows]) + (t - (bars.terms - 1) / 2) * thickness
    x = np.array([row.values[t] for _, row in rows])
    fills = [_fill(t if row.fill is None else row.fill) for _, row in rows]
    ax.barh(
        y, x, height=0.9 * thickness, color=[fill.color for fill in fills],
        hatch=[fill.hatch for fill in fills], edgecolor="white", linewidth=0.0, zorder=2,
    )  # fmt: skip
    _draw_model(ax, x, y, [row.model[t] if row.model else None for _, row in rows])
    halves = [row.halves[t] if row.halves else None for _, row in rows]
    _draw_whiskers(ax, x, y, halves, 0.8 if bars.terms > 1 else 1.0)


def _draw_marks(ax: Axes, bars: Bars) -> None:
    rows = [(i, row) for i, row in enumerate(bars.rows) if row.mark is not None]
    if not rows:
        return
    y, x = np.array([i for i, _ in rows], dtype=float), np.array([row.mark for _, row in rows])
    halves = [row.halves[-1] if len(row.halves) > len(row.values) else None for _, row in rows]
    _draw_whiskers(ax, x, y, halves, 1.4)
    ax.plot(x, y, linestyle="none", clip_on=bars.marker == "D", zorder=4, **_mark(bars.marker))


def _draw_model(ax: Axes, x: Array, y: Array, halves: Sequence[float | None]) -> None:
    """Draw what a model does not know as wide pale lines, behind the whiskers."""
    known = [(x[i], y[i], half) for i, half in enumerate(halves) if half]
    if known:
        at, height, half = np.array(known).T
        ax.hlines(height, at - half, at + half, color=GREY, alpha=0.45, linewidth=4.0, zorder=2.5)


def _draw_whiskers(
    ax: Axes,
    x: Array,
    y: Array,
    halves: Sequence[Half | None],
    linewidth: float,
) -> None:
    known = [i for i, half in enumerate(halves) if half is not None]
    if known:
        reach = np.array([_reach(half) for half in halves if half is not None]).T
        ax.errorbar(
            x[known], y[known], xerr=reach, fmt="none",
            ecolor=ink(), elinewidth=linewidth, capsize=2.0, capthick=linewidth, zorder=3,
        )  # fmt: skip


def _fill(place: int) -> Fill:
    return FILLS[place % len(FILLS)]


def _mark(marker: str) -> dict[str, Any]:
    if marker == "D":
        edge = {"markeredgecolor": "white", "markeredgewidth": 1.0}
        return {"marker": marker, "color": ink(), "markersize": 6.0, **edge}
    return {"marker": marker, "color": ink(), "markersize": 9.0, "markeredgewidth": 2.2}


def _legend(bars: Bars) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = []
    for place, name in bars.legend:
        fill = _fill(place)
        patch = Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0)
        entries.append((patch, shorten(plain(name), 40)))
    if bars.mark:
        width = 1.4 if bars.marker == "D" else 0.0
        entries.append((line_mark(linewidth=width, **_mark(bars.marker)), bars.mark))
    return entries
