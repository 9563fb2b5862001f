"""What plots of horizontal bars share: rows with a name and a value, whiskers, texts around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter

from hpo_explain.plotting._layout import (
    characters,
    points_across,
)
from hpo_explain.plotting._rows import row_labels, style_rows, write_rows
from hpo_explain.plotting._style import (
    FILLS,
    Fill,
    ink,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import plain

MOST_ROWS = 20
_ROW, _LINE = 18.0, 10.5  # points: height of a row, and of every further line of its label


@dataclass(frozen=True)
class Bar:
    """One row: what it is of, in parts that may stand on lines of their own, and its lengths."""

    parts: tuple[str, ...]
    value: float
    half: float | None = None
    fill: Fill = FILLS[0]


def plot_bars(
    bars: Sequence[Bar], *, ax: Axes | None, width: float, heading: str, subtitle: str,
    label: str, footer: str, legend: Sequence[tuple[Artist, str]] = (),
    formatter: Formatter | None = None,
) -> Axes:  # fmt: skip
    """Draw bars in the order given, with their texts; return the axes.

    Parameters
    ----------
    bars : sequence of Bar
        The rows, the first on top.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure as high as the rows need.
    width : float
        Width of the new figure, in inches.
    heading, subtitle : str
        What stands over the axes.
    label, footer : str
        What stands under them.
    legend : sequence of (matplotlib.artist.Artist, str)
        Marks and what they mean.
    formatter : matplotlib.ticker.Formatter, optional
        How numbers along the axis are written.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    width = characters(0.36 * across)
    labels = row_labels(([plain(part) for part in bar.parts] for bar in bars), width)
    n = len(bars)
    for i, bar in enumerate(bars):
        ax.barh(
            i, bar.value, height=0.72, color=bar.fill.color, hatch=bar.fill.hatch,
            edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
    known = [i for i, bar in enumerate(bars) if bar.half is not None]
    if known:
        ax.errorbar(
            [bars[i].value for i in known], known, xerr=[bars[i].half or 0.0 for i in known],
            fmt="none", ecolor=ink(), elinewidth=1.0, capsize=2.0, capthick=1.0, zorder=3,
        )  # fmt: skip
    style_rows(ax, labels)
    ax.set_xlim(_limits(bars))
    if formatter is not None:
        ax.xaxis.set_major_formatter(formatter)

    high = write_rows(
        ax, heading=heading, subtitle=subtitle, label=label, footer=footer, legend=legend
    )
    if own:
        lines = max((text.count("\n") for text in labels), default=0)
        set_height(ax, high + max(n, 1) * (_ROW + lines * _LINE))
    return ax


def _limits(bars: Sequence[Bar]) -> tuple[float, float]:
    ends = [0.0]
    for bar in bars:
        half = bar.half or 0.0
        ends += [bar.value, bar.value - half, bar.value + half]
    low, high = min(ends), max(ends)
    if low == high:
        return (-1.0, 1.0)
    margin = 0.04 * (high - low)
    # whiskers of what cannot be negative are cut at 0
    if all(bar.value >= 0.0 for bar in bars):
        return 0.0, high + margin
    return low - margin, high + margin if high > 0.0 else margin
