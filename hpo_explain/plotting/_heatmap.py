"""What heat maps share: cells, their scale, and axes of names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.ticker import Formatter, MaxNLocator

from hpo_explain.base.width import columns, shorten
from hpo_explain.plotting._layout import (
    characters,
)
from hpo_explain.plotting._look import is_of_page, settle_axes
from hpo_explain.plotting._style import TEXT, make_literal
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array

SCALE = 78.0  # points, width of the scale of colors with its texts

_MOST_VECTORS = 500  # beyond, cells are drawn as pixels: an SVG of 1,600 cells takes 200 kB
_UPRIGHT = 18  # columns of a name that is written upwards


def draw_cells(
    ax: Axes, x: Array, y: Array, values: npt.ArrayLike, *,
    low: float | None = None, high: float | None = None,
) -> QuadMesh:  # fmt: skip
    """Draw cells between edges.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    x, y : ndarray of shape (C + 1,) and (R + 1,)
        Edges of the cells.
    values : array_like of shape (R, C)
        What the colors say; masked cells stay empty.
    low, high : float, optional
        Where the scale begins and ends; by default at the least and the largest value.

    Returns
    -------
    matplotlib.collections.QuadMesh
        The cells.
    """
    shown = np.ma.masked_invalid(values)
    return ax.pcolormesh(
        x,
        y,
        shown,
        cmap="cividis",
        vmin=low,
        vmax=high,
        rasterized=shown.size > _MOST_VECTORS,
        shading="flat",
        snap=True,
    )


def draw_scale(
    mesh: QuadMesh, axes: Axes | Sequence[Axes], *, label: str, formatter: Formatter | None = None
) -> None:
    """Draw the scale of the colors beside axes.

    Parameters
    ----------
    mesh : matplotlib.collections.QuadMesh
        The cells.
    axes : matplotlib.axes.Axes or sequence of them
        The axes beside which it stands.
    label : str
        What the values are.
    formatter : matplotlib.ticker.Formatter, optional
        How numbers are written.
    """
    scale = new_scale(mesh, axes, formatter)
    scale.ax.yaxis.set_major_locator(MaxNLocator(nbins=6))
    scale.set_label(shorten(label, 60), fontsize=TEXT)
    make_literal([scale.ax.yaxis.label])


def new_scale(
    colors: ScalarMappable, axes: Axes | Sequence[Axes], formatter: Formatter | None = None
) -> Colorbar:
    """Return a new scale of colors beside axes."""
    first = axes if isinstance(axes, Axes) else axes[0]
    scale = first.figure.figure.colorbar(
        colors, ax=axes, pad=0.02, fraction=0.05, aspect=30, format=formatter
    )
    if is_of_page(first):
        settle_axes(scale.ax, scale=True)
    scale.ax.tick_params(labelsize=TEXT)
    scale.outline.set_visible(False)
    return scale


def names_along_y(ax: Axes, names: Sequence[object], *, points: float) -> None:
    """Write a name at each whole number of the y axis, the labels at most so many points wide."""
    width = characters(points)
    labels = abbreviated(map(plain, names), width)
    ax.set_yticks(np.arange(len(names)), labels, fontsize=TEXT)
    ax.tick_params(axis="y", length=0.0)
    make_literal(ax.get_yticklabels())


def names_along_x(ax: Axes, names: Sequence[object], *, points: float) -> float:
    """Write a name at each whole number of the x axis, upwards where they are too wide.

    Returns
    -------
    float
        How many points high the labels are beyond a line of text.
    """
    width = characters(points / max(len(names), 1)) - 1
    texts = [plain(name) for name in names]
    upright = max(map(columns, texts), default=0) > width
    labels = abbreviated(texts, _UPRIGHT if upright else width)
    ax.set_xticks(np.arange(len(names)), labels, fontsize=TEXT, rotation=90 if upright else 0)
    ax.tick_params(axis="x", length=0.0)
    make_literal(ax.get_xticklabels())
    if not upright:
        return 0.0
    pixels = max(tick.get_window_extent().height for tick in ax.get_xticklabels())
    return float(pixels / ax.figure.figure.dpi * 72.0) - TEXT
