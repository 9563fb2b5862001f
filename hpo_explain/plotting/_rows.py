"""What plots of labelled rows share: their axis, and the texts around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import columns, shorten
from hpo_explain.plotting._layout import (
    limit_ticks,
    sides,
    write_footer,
    write_header,
    write_legend,
)
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._style import GREY, TEXT, make_literal
from hpo_explain.plotting._text import abbreviated, distinct

_LINE = 10.5  # points of every further line of a label


def style_rows(ax: Axes, labels: Sequence[str], *, zero: bool = True) -> None:
    """Label rows from the top down, tint every second one, and mark zero unless told not to."""
    n = len(labels)
    tint_rows(ax, n)
    if zero:
        ax.axvline(0.0, color=ink(), linewidth=0.8, zorder=1.5)
    ax.set_ylim(max(n, 1) - 0.5, -0.5)
    ax.set_yticks(np.arange(n), labels, fontsize=TEXT)
    ax.tick_params(axis="y", length=0.0)
    ax.tick_params(axis="x", labelsize=TEXT)
    make_literal(ax.get_yticklabels())
    ax.spines[["top", "left", "right"]].set_visible(False)


def tint_rows(ax: Axes, n: int) -> None:
    """Tint every second of n rows, so that the eye keeps to one."""
    for i in range(1, n, 2):
        ax.axhspan(i - 0.5, i + 0.5, color=GREY, alpha=0.07, linewidth=0.0, zorder=0)


def write_rows(
    ax: Axes, *, heading: str, subtitle: str, label: str, footer: str,
    legend: Sequence[tuple[Artist, str]] = (), beside: float = 0.0,
) -> float:  # fmt: skip
    """Write what stands over and under rows; return how many points high it is without them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes, whose rows are labelled already.
    heading, subtitle : str
        What stands over the axes.
    label, footer : str
        What stands under them.
    legend : sequence of (matplotlib.artist.Artist, str)
        Marks and what they mean.
    beside : float, default 0.0
        Points that something right of the axes takes.
    """
    left, points = sides(ax, beside=beside)
    limit_ticks(ax, points)
    high = write_legend(ax, legend, left=left, points=left + points)
    high += write_header(ax, heading, subtitle, above=high, left=left, points=left + points)
    return high + write_footer(ax, label, footer, left=left, points=points)


def row_labels(rows: Iterable[Sequence[str]], width: int) -> list[str]:
    """Return a label for each row: its parts on a line, or below each other where they are long."""
    parts = [[part for part in row if part] for row in rows]
    names = list(dict.fromkeys(row[0] for row in parts))
    fitted = dict(zip(names, abbreviated(names, width), strict=True))
    labels = []
    for row in parts:
        line = " ".join(row)
        if columns(line) > width:
            line = "\n".join([fitted[row[0]], *(shorten(part, width) for part in row[1:])])
        labels.append(line)
    return distinct(labels)


def row_height(labels: Iterable[str], points: float) -> float:
    """Return how many points high rows are, of which `points` is enough for one line."""
    return points + _LINE * max((label.count("\n") for label in labels), default=0)
