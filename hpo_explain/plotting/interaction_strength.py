"""The plots of the H-statistic: which hyperparameters act together."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain._words import counted
from hpo_explain.explanations import InteractionStrength
from hpo_explain.plotting._bars import MOST_ROWS, Bar, plot_bars
from hpo_explain.plotting._heatmap import draw_cells, draw_scale, names_along_x, names_along_y
from hpo_explain.plotting._layout import (
    points_across,
    sides,
    write_footer,
    write_header,
)
from hpo_explain.plotting._style import TEXT, WIDTH, make_literal, new_axes, set_height
from hpo_explain.plotting._text import not_shown, plain, shorten
from hpo_explain.space import Array

MOST_NAMES = 20
_MOST_NUMBERS = 8  # names up to which H is written into the cells
_CELL = 22.0  # points, height of a row
_SCALE = 78.0  # points, width of the scale of colors with its texts


def plot_interaction_strength(
    result: InteractionStrength, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw H of all pairs as a matrix of colors, or of one hyperparameter's pairs as bars.

    Parameters
    ----------
    result : InteractionStrength
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: the hyperparameters along both, those that interact most first; of one
        hyperparameter's pairs H by the other member. At most 20 are drawn.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figure 11 ii and iii.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.interactions(table, objective="loss", sample=20)
    >>> plot_interaction_strength(found).get_title(loc="left")
    'Which hyperparameters act together on the predicted loss'
    """
    if result.focus is not None or len(result.names) < 2:
        return _plot_pairs(result, ax, width)
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    ranking = np.argsort(-np.nansum(result.absolute, axis=1), kind="stable")
    shown = ranking[:MOST_NAMES]
    names = [result.names[j] for j in shown]
    n = len(shown)
    # A pair stands once: below the diagonal.
    below = np.tri(n, k=-1, dtype=bool)
    lower = np.where(below, result.pairs[np.ix_(shown, shown)], np.nan)[1:, : n - 1]
    std = result.pairs_std[np.ix_(shown, shown)]
    across = points_across(ax)
    edges = np.arange(n, dtype=np.float64) - 0.5
    mesh = draw_cells(ax, edges, edges, lower, low=0.0, high=_reach(lower))
    draw_scale(mesh, ax, label="H")
    ax.set_ylim(n - 1.5, -0.5)
    names_along_y(ax, names[1:], points=0.3 * across)
    left, points = sides(ax)
    high = names_along_x(ax, names[:-1], points=points - _SCALE)
    ax.spines[:].set_visible(False)
    if n <= _MOST_NUMBERS:
        _write_numbers(ax, lower, std[1:, : n - 1])

    # What is wider than the axes would push the scale of colors away from them.
    points -= _SCALE
    high += write_header(
        ax, _heading(result), _subtitle(result), above=0.0, left=left, points=left + points
    )
    footer = _footer(result, len(result.names) - n)
    if n <= _MOST_NUMBERS:
        footer = f"In the cells: H ± standard error. {footer}"
    high += write_footer(ax, "", footer, left=left, points=points)
    if own:
        set_height(ax, high + max(3, n - 1) * _CELL)
    return ax


def plot_total_interactions(
    result: InteractionStrength, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw H of each hyperparameter with any others as bars, the largest on top.

    Parameters
    ----------
    result : InteractionStrength
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: H by hyperparameter; at most 20 are drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> plot_total_interactions(hx.interactions(table, objective="loss", sample=20)).get_xlabel()
    'H with any others'
    """
    order = np.argsort(-result.total, kind="stable").tolist()
    bars = [
        Bar((result.names[j],), float(result.total[j]), float(result.total_std[j]))
        for j in order[:MOST_ROWS]
    ]
    return plot_bars(
        bars,
        ax=ax,
        width=width,
        heading=f"Which hyperparameters act with any others on the {_what(result)}",
        subtitle="0: its effect only adds up with the others; 1: all of the variation is "
        "interaction with it",
        label="H with any others",
        footer=_whiskers(result, len(order) - len(bars)),
    )


def _plot_pairs(result: InteractionStrength, ax: Axes | None, width: float) -> Axes:
    ranking = sorted(result.members(), key=lambda u: -result.pairs[u])
    bars = []
    for j, k in ranking[:MOST_ROWS]:
        other = k if result.names[j] == result.focus else j
        bars.append(
            Bar((result.names[other],), float(result.pairs[j, k]), float(result.pairs_std[j, k]))
        )
    focus = shorten(plain(result.focus or result.names[0]), 60)
    return plot_bars(
        bars,
        ax=ax,
        width=width,
        heading=f"What acts together with {focus} on the {_what(result)}",
        subtitle=_subtitle(result),
        label=f"H with {focus}",
        footer=_whiskers(result, len(ranking) - len(bars)),
    )


def _write_numbers(ax: Axes, lower: Array, std: Array) -> None:
    middle = 0.5 * _reach(lower)
    for (i, j), value in np.ndenumerate(lower):
        if np.isfinite(value):
            ax.text(
                j, i, f"{value:.2f} ± {std[i, j]:.2f}", ha="center", va="center",
                fontsize=TEXT - 1.0, color="white" if value <= middle else "black",
            )  # fmt: skip
    make_literal(ax.texts)


def _reach(lower: Array) -> float:
    """Return where the scale ends, which is not shorter than the numbers are exact."""
    return max(0.1, float(np.nanmax(lower)))


# ---------------------------------------------------------------------- words


def _what(result: InteractionStrength) -> str:
    return shorten(plain(result.explained), 60)


def _heading(result: InteractionStrength) -> str:
    return f"Which hyperparameters act together on the {_what(result)}"


def _subtitle(result: InteractionStrength) -> str:
    return "H-statistic: 0 where two effects only add up, 1 where there is nothing but interaction"


def _footer(result: InteractionStrength, left_out: int) -> str:
    text = (
        f"Estimated from {counted(result.sample_size, 'point')}. H is relative: a pair that hardly "
        "matters can have a large one."
    )
    return text + not_shown(
        left_out, "hyperparameter that interacts less", "hyperparameters that interact less"
    )


def _whiskers(result: InteractionStrength, left_out: int) -> str:
    text = f"Whiskers: standard error of estimating from {counted(result.sample_size, 'point')}."
    return text + not_shown(left_out, "smaller one", "smaller ones")
