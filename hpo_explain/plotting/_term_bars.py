"""Bars by hyperparameter and term, with a mark of their total and whiskers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hpo_explain.plotting._layout import (
    MARGINS,
    characters,
    label_points,
    limit_ticks,
    points_across,
    write_footer,
    write_header,
    write_legend,
)
from hpo_explain.plotting._style import (
    FILLS,
    GREY,
    TEXT,
    ink,
    make_literal,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import distinct, listed, plain, shorten
from hpo_explain.space import Array

MOST_ROWS = 20
_MOST_NAMED = 8
_ROW_POINTS = (24.0, 30.0, 36.0)  # height of a row with 1, 2, 3 and more terms
_BARS = 0.78  # share of a row that its bars take


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
        at, fill = y + (t - (n_terms - 1) / 2) * _BARS / n_terms, FILLS[t % len(FILLS)]
        ax.barh(
            at, mean[rows, t], height=0.9 * _BARS / n_terms, color=fill.color, hatch=fill.hatch,
            edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
        _draw_whiskers(ax, mean[rows, t], at, spread[rows, t], 0.8)
    if n_terms > 1:
        _draw_whiskers(ax, mean[rows, -1], y, spread[rows, -1], 1.4)
        ax.plot(
            mean[rows, -1], y, "D", color=ink(), markersize=6.0, markeredgecolor="white",
            markeredgewidth=1.0, zorder=4,
        )  # fmt: skip
    for i in range(1, n, 2):
        ax.axhspan(i - 0.5, i + 0.5, color=GREY, alpha=0.07, linewidth=0.0, zorder=0)
    ax.axvline(0.0, color=ink(), linewidth=0.8, zorder=1.5)
    ax.set_ylim(n - 0.5, -0.5)
    labels = distinct(shorten(plain(names[j]), characters(0.32 * across)) for j in rows)
    ax.set_yticks(y, labels, fontsize=TEXT)
    ax.tick_params(axis="y", length=0.0)
    ax.tick_params(axis="x", labelsize=TEXT)
    make_literal(ax.get_yticklabels())
    ax.spines[["top", "left", "right"]].set_visible(False)

    left = label_points(ax)
    points = max(across - left - MARGINS, 0.3 * across)
    limit_ticks(ax, points)
    high = write_legend(ax, _legend(terms), left=left, points=left + points)
    high += write_header(ax, heading, subtitle, above=high, left=left, points=left + points)
    high += write_footer(ax, label, footer, left=left, points=points)
    if own:
        set_height(ax, high + n * _ROW_POINTS[min(n_terms, len(_ROW_POINTS)) - 1])
    return ax


def _draw_whiskers(ax: Axes, x: Array, y: Array, half: Array, linewidth: float) -> None:
    ax.errorbar(
        x, y, xerr=half, fmt="none", ecolor=ink(), elinewidth=linewidth, capsize=2.0,
        capthick=linewidth, zorder=3,
    )  # fmt: skip


def _legend(terms: Sequence[str]) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = []
    for t, term in enumerate(terms):
        fill = FILLS[t % len(FILLS)]
        patch = Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0)
        entries.append((patch, shorten(plain(term), 40)))
    if len(terms) > 1:
        line = Line2D([], [], marker="D", color=ink(), markeredgecolor="white", linewidth=1.4)
        entries.append((line, "total"))
    return entries
