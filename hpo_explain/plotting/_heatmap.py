"""What heat maps share: cells, their scale, axes of names, and the matrix of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    points_across,
    sides,
    write_footer,
    write_header,
)
from hpo_explain.plotting._look import is_of_page, settle_axes
from hpo_explain.plotting._style import TEXT, make_literal, new_axes, set_height
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array
from hpo_explain.wording.plots import not_shown

SCALE = 78.0  # points, width of the scale of colors with its texts

_MOST_VECTORS = 500  # beyond, cells are drawn as pixels: an SVG of 1,600 cells takes 200 kB
_UPRIGHT = 18  # columns of a name that is written upwards
_MOST_NAMES = 20  # of a matrix of pairs
_MOST_NUMBERS = 8  # names up to which values are written into the cells
_CELL = 22.0  # points, height of a row


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


# ---------------------------------------------------------------------- pairs of names


@dataclass(frozen=True, eq=False)
class Pairs:
    """A value of each pair of names, as it is drawn.

    Attributes
    ----------
    names : sequence of str
        The names.
    values, std : ndarray of shape (d, d)
        The value of each pair, and its uncertainty; symmetric.
    order : sequence of int
        Places of the names, those that stand first before others.
    scale : str
        What the values are.
    reach : float
        Where the scale of the colors ends at the least.
    """

    names: Sequence[str]
    values: Array
    std: Array
    order: Sequence[int]
    scale: str
    reach: float = 0.0


def plot_pairs(
    pairs: Pairs, *, ax: Axes | None, width: float, heading: str, subtitle: str,
    footer: Callable[[bool], str], left_out: tuple[str, str],
    number: Callable[[float, float], str], formatter: Formatter | None = None,
) -> Axes:  # fmt: skip
    """Draw pairs as a matrix of colors, each pair once: below the diagonal; return the axes.

    At most 20 names are drawn.

    Parameters
    ----------
    pairs : Pairs
        The values.
    ax : matplotlib.axes.Axes or None
        Where to draw; None for a new figure as high as the rows need.
    width : float
        Width of the new figure, in inches.
    heading, subtitle : str
        What stands over the axes.
    footer : callable
        Returns what stands under them, from whether values are written into the cells.
    left_out : pair of str
        What names that are not shown are called, one and several of them.
    number : callable
        Writes a value with its uncertainty.
    formatter : matplotlib.ticker.Formatter, optional
        How numbers of the scale are written.
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    shown = np.asarray(pairs.order)[:_MOST_NAMES]
    names, n = [pairs.names[j] for j in shown], len(shown)
    below = np.tri(n, k=-1, dtype=bool)
    lower = np.where(below, pairs.values[np.ix_(shown, shown)], np.nan)[1:, : n - 1]
    reach = max(pairs.reach, float(np.nanmax(lower)))
    across = points_across(ax)
    edges = np.arange(n, dtype=np.float64) - 0.5
    mesh = draw_cells(ax, edges, edges, lower, low=0.0, high=reach)
    draw_scale(mesh, ax, label=pairs.scale, formatter=formatter)
    ax.set_ylim(n - 1.5, -0.5)
    names_along_y(ax, names[1:], points=0.3 * across)
    left, points = sides(ax)
    points -= SCALE  # a text wider than the axes would push the scale of colors away from them
    high = names_along_x(ax, names[:-1], points=points)
    ax.spines[:].set_visible(False)
    numbers = n <= _MOST_NUMBERS
    if numbers:
        std = pairs.std[np.ix_(shown, shown)][1:, : n - 1]
        for (i, j), value in np.ndenumerate(lower):
            if np.isfinite(value):
                ax.text(
                    j, i, number(value, float(std[i, j])), ha="center", va="center",
                    fontsize=TEXT - 1.0, color="white" if value <= 0.5 * reach else "black",
                )  # fmt: skip
        make_literal(ax.texts)
    text = footer(numbers) + not_shown(len(pairs.names) - n, *left_out)
    high += write_header(ax, heading, subtitle, above=0.0, left=left, points=left + points)
    high += write_footer(ax, "", text, left=left, points=points)
    if own:
        set_height(ax, high + max(3, n - 1) * _CELL)
    return ax
