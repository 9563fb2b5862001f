"""Small multiples of paths: panels side by side, with one heading, legend and footer for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation, Transform

from hpo_explain.plotting._layout import MARGINS, characters, fit_text, points_across
from hpo_explain.plotting._look import ink
from hpo_explain.plotting._style import (
    GREY,
    HEADING,
    LEGEND,
    TEXT,
    NotebookAxes,
    make_literal,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, wrap
from hpo_explain.space import Array

HIGH = 105.0  # points, of a panel
_PANEL = 165.0  # points that a panel needs across
_MOST_COLUMNS = 3
_BESIDE = 45.0  # points that the y axis takes with its label
_LEAST_TITLE = 6
_EDGE = 0.01  # where texts begin, as a share of the figure
_PAD = 3.0  # points that the layout leaves over the heading
_LINE = 1.2  # distance of lines in matplotlib, in sizes of their font
_FEW = 12  # proposals up to which each is marked


@dataclass(frozen=True, eq=False)
class Panels:
    """Axes side by side in a part of a figure."""

    part: SubFigure
    axes: tuple[Axes, ...]
    columns: int
    across: float
    own: bool

    @property
    def rows(self) -> int:
        """Number of rows."""
        return -(-len(self.axes) // self.columns)

    @property
    def width(self) -> float:
        """Points that a panel has across, about."""
        return (self.across - MARGINS - _BESIDE) / self.columns


def new_panels(
    ax: Axes | None, n: int, *, width: float, same_scale: bool = True, same_x: bool = True
) -> Panels:
    """Return n panels that share their x axis, where axes stood or in a new figure.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        Axes that the panels replace; None for a new figure.
    n : int
        Number of panels, at least one.
    width : float
        Width of the new figure, in inches.
    same_scale : bool, default True
        Whether the panels share their y axis too.
    same_x : bool, default True
        Whether they share their x axis at all.

    Returns
    -------
    Panels
        The panels, row by row.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    most = max(1, min(_MOST_COLUMNS, n, int(across / _PANEL)))
    rows = -(-n // most)
    columns = -(-n // rows)
    part = part_of(ax)
    grid = part.subplots(
        rows, columns, sharex=same_x, sharey=same_scale, squeeze=False,
        subplot_kw={"axes_class": NotebookAxes},
    ).ravel()  # fmt: skip
    for empty in grid[n:]:
        empty.remove()
    for k, panel in enumerate(grid[:n]):
        panel.tick_params(labelsize=TEXT, labelbottom=k + columns >= n or not same_x)
        panel.spines[["top", "right"]].set_visible(False)
    return Panels(part, tuple(grid[:n]), columns, across, own)


def part_of(ax: Axes) -> SubFigure:
    """Return a part of the figure where axes stood, which are removed."""
    figure, place = ax.figure, ax.get_subplotspec()
    if place is None:
        box = ax.get_position()
        place = figure.figure.add_gridspec(
            1, 1, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1
        )[0]
    ax.remove()
    return figure.add_subfigure(place)


# ---------------------------------------------------------------------- paths


def limit_trials(ax: Axes, x: Array, points: float) -> None:
    """Have an x axis of so many points span the trials, with ticks at whole numbers."""
    first, last = float(np.min(x)), float(np.max(x))
    margin = 0.5 + 0.02 * (last - first)
    ax.set_xlim(first - margin, last + margin)
    bins = max(2, min(9, int(points / 40.0)))
    ax.xaxis.set_major_locator(MaxNLocator(nbins=bins, integer=True, min_n_ticks=1))


def draw_path(
    ax: Axes, x: Array, y: Array, *, half: Array | None = None, alpha: float = 0.25, **style: Any
) -> Line2D:
    """Draw values by trial as a line that is broken where a value is missing.

    A value without neighbours is a mark, and so is every value of a few.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    x, y : ndarray of shape (T,)
        Trials and values; NaN where there is none.
    half : ndarray of shape (T,), optional
        Half the width of a ribbon around the line; NaN where it is not known.
    alpha : float, default 0.25
        How opaque the ribbon is.
    **style
        Of the line.
    """
    marked = ~np.isnan(y) if len(x) <= _FEW else alone(~np.isnan(y))
    if marked.any():
        style |= {"marker": "o", "markersize": 3.5, "markevery": np.flatnonzero(marked).tolist()}
    (line,) = ax.plot(x, y, **style)
    if half is not None:
        ribbon = {"color": style["color"], "alpha": alpha, "linewidth": 0.0, "zorder": 1.2}
        ax.fill_between(x, y - half, y + half, **ribbon)
        bars = alone(~np.isnan(y - half))
        if bars.any():
            ax.errorbar(
                x[bars], y[bars], yerr=half[bars], fmt="none", ecolor=style["color"],
                elinewidth=1.0, capsize=2.0, zorder=1.8,
            )  # fmt: skip
    return line


def alone(known: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which known values have no known neighbour."""
    beside = np.zeros_like(known)
    beside[1:] |= known[:-1]
    beside[:-1] |= known[1:]
    return np.asarray(known & ~beside)


# ---------------------------------------------------------------------- words


def write_titles(panels: Panels, texts: Sequence[str], ends: Sequence[str] = ()) -> None:
    """Write the titles of panels, each on one line; no two different ones look the same.

    `ends` are added to the texts, and never shortened.
    """
    ends = ends or [""] * len(texts)
    points, scale = panels.width - 2.0 * TEXT, 72.0 / panels.part.figure.dpi
    for k, panel in enumerate(panels.axes):
        title = panel.set_title("", loc="left", fontsize=TEXT, y=1.0)
        least = _LEAST_TITLE + len(ends[k])
        for width in range(1 + characters(points, 0.9 * TEXT), least, -1):
            title.set_text(abbreviated(texts, width - len(ends[k]))[k] + ends[k])
            make_literal([title])
            if title.get_window_extent().width * scale <= points:
                break


def write_around(
    panels: Panels, *, heading: str, subtitle: str, legend: Sequence[tuple[Artist, str]],
    x_label: str, y_label: str, footer: str,
) -> None:  # fmt: skip
    """Write what all panels have in common, and make a new figure as high as it all needs."""
    part, first = panels.part, panels.axes[0]
    points = panels.across - MARGINS
    title = part.suptitle("", x=_EDGE, ha="left", fontsize=HEADING, fontweight="bold", color=ink())
    fit_text(first, title, heading, points)
    high = (title.get_text().count("\n") + 1) * _LINE * HEADING
    text = part.text(
        _EDGE,
        1.0,
        "",
        va="top",
        fontsize=TEXT,
        color=ink(),
        transform=_from_top(part, _PAD + high + 2.0),
    )
    high += fit_text(first, text, subtitle, points) + 2.0
    high += _write_legend(panels, legend, _PAD + high, points)
    # The layout makes room for a heading only, so its empty lines keep the place of the others.
    lines = ceil(high / (_LINE * HEADING))
    title.set_text(title.get_text() + "\n" * (lines - title.get_text().count("\n") - 1))

    below = part.supxlabel(
        "", x=_EDGE, ha="left", fontsize=TEXT - 1.0, fontweight="normal", color=GREY
    )
    low = fit_text(first, below, footer, points)
    height = panels.rows * HIGH
    beside = part.supylabel(
        wrap(y_label, characters(0.9 * height, 1.05 * TEXT)), fontsize=TEXT, fontweight="normal",
        color=ink(),
    )  # fmt: skip
    make_literal([title, below, beside])
    for k, panel in enumerate(panels.axes):
        if k + panels.columns >= len(panels.axes):
            panel.set_xlabel(x_label, fontsize=TEXT)
    _make_room(part, title, top=lines * _LINE * HEADING, bottom=low)
    if panels.own:
        titles = panels.rows * 2.4 * TEXT
        set_height(first, height + titles + lines * _LINE * HEADING + low + 2.6 * TEXT)


def _make_room(part: SubFigure, title: Text, *, top: float, bottom: float) -> None:
    """Leave so many points for texts where no layout engine does."""
    if part.get_layout_engine() is not None:
        return
    scale = 72.0 / part.figure.dpi
    high, across = part.bbox.height * scale, part.bbox.width * scale
    title.set_y(1.0 - _PAD / high)
    bottom = min((bottom + 4.0 * TEXT) / high, 0.4)
    top = max(1.0 - (_PAD + top + 2.0 * TEXT) / high, bottom + 0.1)
    part.subplots_adjust(
        left=min(1.3 * _BESIDE / across, 0.3), right=0.98, bottom=bottom, top=top, hspace=0.35
    )


def _write_legend(
    panels: Panels, entries: Sequence[tuple[Artist, str]], top: float, points: float
) -> float:
    """Write a legend so far under the top; return how many points high it is."""
    if not entries:
        return 0.0
    for n_columns in range(len(entries), 0, -1):
        legend = _legend(panels.part, entries, top, n_columns)
        scale = 72.0 / panels.part.figure.dpi
        if n_columns == 1 or legend.get_window_extent().width * scale <= points:
            break
        legend.remove()
    return float(legend.get_window_extent().height * scale) + 2.0


def _legend(
    part: SubFigure, entries: Sequence[tuple[Artist, str]], top: float, n_columns: int
) -> Legend:
    legend = part.legend(
        [mark for mark, _ in entries], ["-"] * len(entries), loc="upper left",
        bbox_to_anchor=(_EDGE, 1.0), bbox_transform=_from_top(part, top), ncols=n_columns,
        handlelength=2.6, labelcolor=ink(), **LEGEND,
    )  # fmt: skip
    # Set afterwards: a legend leaves out labels that begin with an underscore.
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)
    make_literal(legend.get_texts())
    return legend


def _from_top(part: SubFigure, points: float) -> Transform:
    return part.transSubfigure + ScaledTranslation(0.0, -points / 72.0, part.figure.dpi_scale_trans)
