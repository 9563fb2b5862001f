"""Bars by hyperparameter and term, with a mark of their total and whiskers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hpo_explain.plotting._layout import (
    characters,
    points_across,
)
from hpo_explain.plotting._rows import style_rows, write_rows
from hpo_explain.plotting._style import (
    FILLS,
    ink,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, listed, plain, shorten
from hpo_explain.space import Array

MOST_ROWS = 20
_MOST_NAMED = 8
_ROW_POINTS = (24.0, 30.0, 36.0)  # height of a row with 1, 2, 3 and more terms
BARS = 0.78  # share of a row that its bars take


def plot_term_bars(
    names: Sequence[str], terms: Sequence[str], mean: Array, spread: Array, *,
    ax: Axes | None, width: float, heading: str, subtitle: str, label: str, footer: str,
) -> Axes:  # fmt: skip
    """Draw a row of bars per hyperparameter, the largest total on top; return the axes.

    Parameters
    ----------
    names, terms : sequence of str
        Hyperparameters and terms.
    mean, spread : ndarray of shape (d, number of terms + 1)
        What is drawn, and half its whiskers; the total comes last.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure as high as the rows need.
    width : float
        Width of the new figure, in inches.
    heading, subtitle, label, footer : str
        What stands over and under the axes.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    order = np.argsort(-np.abs(mean[:, -1]), kind="stable")
    rows, others = order[:MOST_ROWS], order[MOST_ROWS:]
    if len(others):
        left_out = listed([shorten(plain(names[j]), 24) for j in others], _MOST_NAMED)
        footer += f" Smaller, not drawn: {left_out}."
    n, n_terms, across = len(rows), len(terms), points_across(ax)
    y = np.arange(n, dtype=float)
    for t in range(n_terms):
        at, fill = y + (t - (n_terms - 1) / 2) * BARS / n_terms, FILLS[t % len(FILLS)]
        ax.barh(
            at, mean[rows, t], height=0.9 * BARS / n_terms, color=fill.color, hatch=fill.hatch,
            edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
        _draw_whiskers(ax, mean[rows, t], at, spread[rows, t], 0.8)
    if n_terms > 1:
        _draw_whiskers(ax, mean[rows, -1], y, spread[rows, -1], 1.4)
        ax.plot(
            mean[rows, -1], y, "D", color=ink(), markersize=6.0, markeredgecolor="white",
            markeredgewidth=1.0, zorder=4,
        )  # fmt: skip
    labels = abbreviated((plain(names[j]) for j in rows), characters(0.32 * across))
    style_rows(ax, labels)
    high = write_rows(
        ax, heading=heading, subtitle=subtitle, label=label, footer=footer,
        legend=term_legend(terms),
    )  # fmt: skip
    if own:
        set_height(ax, high + n * row_points(n_terms))
    return ax


def _draw_whiskers(ax: Axes, x: Array, y: Array, half: Array, linewidth: float) -> None:
    ax.errorbar(
        x, y, xerr=half, fmt="none", ecolor=ink(), elinewidth=linewidth, capsize=2.0,
        capthick=linewidth, zorder=3,
    )  # fmt: skip


def row_points(n_terms: int) -> float:
    """Return the height of a row with so many terms, in points."""
    return _ROW_POINTS[min(n_terms, len(_ROW_POINTS)) - 1]


def term_legend(terms: Sequence[str]) -> list[tuple[Artist, str]]:
    """Return the marks of terms and, if there are several, of their total."""
    entries: list[tuple[Artist, str]] = []
    for t, term in enumerate(terms):
        fill = FILLS[t % len(FILLS)]
        patch = Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0)
        entries.append((patch, shorten(plain(term), 40)))
    if len(terms) > 1:
        line = Line2D([], [], marker="D", color=ink(), markeredgecolor="white", linewidth=1.4)
        entries.append((line, "total"))
    return entries
