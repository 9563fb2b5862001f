"""The plot of pairs in a functional ANOVA: which hyperparameters act together."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.width import shorten
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.plotting._heatmap import draw_cells, draw_scale, names_along_x, names_along_y
from hpo_explain.plotting._layout import (
    points_across,
    sides,
    write_footer,
    write_header,
)
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import TEXT, WIDTH, make_literal, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.space import Array
from hpo_explain.wording import fanova as words
from hpo_explain.wording.plots import not_shown

MOST_NAMES = 20
_MOST_NUMBERS = 8  # names up to which the share is written into the cells
_CELL = 22.0  # points, height of a row
_SCALE = 78.0  # points, width of the scale of colors with its texts


@draws(FanovaImportance, "interactions")
def plot_fanova_pairs(
    result: FanovaImportance, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the interaction of every pair of hyperparameters as a matrix of colors.

    Parameters
    ----------
    result : FanovaImportance
        The analysis, of order 2 or more.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: the hyperparameters along both, those with the largest interactions first. More
        than 20 are cut, and a line under the plot says what is left.

    Raises
    ------
    ValueError
        If the analysis has no pairs.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Eq. 6 for sets of two.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(
    ...     {"x": [0.1, 0.9, 0.5, 0.3], "y": [0.2, 0.3, 0.8, 0.5], "loss": [1.0, 9.0, 4.0, 2.0]}
    ... )
    >>> plot_fanova_pairs(hx.importance(table, order=2, objective="loss")).get_title(loc="left")
    'Which hyperparameters interact on the loss'
    """
    if result.order < 2:
        raise InputError(
            "result",
            f"must hold pairs, but its order is {result.order}",
            result,
            ("Ask for them with importance(..., ", Option("order", 2), ")."),
        )
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    mean, half = _matrices(result)
    ranking = np.argsort(-mean.sum(axis=1), kind="stable")
    shown = ranking[:MOST_NAMES]
    names = [result.names[j] for j in shown]
    mean, half = mean[np.ix_(shown, shown)], half[np.ix_(shown, shown)]
    n = len(shown)
    # A pair stands once: below the diagonal.
    lower = np.where(np.tri(n, k=-1, dtype=bool), mean, np.nan)[1:, : n - 1]
    across = points_across(ax)
    edges = np.arange(n, dtype=np.float64) - 0.5
    mesh = draw_cells(ax, edges, edges, lower, low=0.0)
    draw_scale(mesh, ax, label=words.PAIR_SHARE, formatter=PercentFormatter(xmax=1.0))
    ax.set_ylim(n - 1.5, -0.5)
    names_along_y(ax, names[1:], points=0.3 * across)
    left, points = sides(ax)
    high = names_along_x(ax, names[:-1], points=points - _SCALE)
    ax.spines[:].set_visible(False)
    if n <= _MOST_NUMBERS:
        _write_shares(ax, lower, half[1:, : n - 1])

    # What is wider than the axes would push the scale of colors away from them.
    points -= _SCALE
    high += write_header(
        ax, words.pairs_heading(shorten(plain(result.subject.objective_name), 40)),
        _subtitle(result), above=0.0, left=left, points=left + points,
    )  # fmt: skip
    footer = words.pairs_footer(result, n <= _MOST_NUMBERS, float(half.max()))
    footer += not_shown(len(result.names) - n, *words.PAIRS_LEFT_OUT)
    high += write_footer(ax, "", footer, left=left, points=points)
    if own:
        set_height(ax, high + max(3, n - 1) * _CELL)
    return ax


def _matrices(result: FanovaImportance) -> tuple[Array, Array]:
    """Return the share of every pair, and half its interval or its std, symmetric, (d, d)."""
    d = len(result.names)
    share, half = np.zeros((d, d)), np.zeros((d, d))
    for i, u in enumerate(result.members):
        if len(u) == 2:
            share[u] = share[u[::-1]] = result.estimate[i]
            bounds = result.bounds(i)
            std = float(result.shares[:, i].std())
            half[u] = half[u[::-1]] = std if bounds is None else (bounds[1] - bounds[0]) / 2.0
    return share, half


def _write_shares(ax: Axes, mean: Array, half: Array) -> None:
    middle = 0.5 * float(np.nanmax(mean))
    for (i, j), value in np.ndenumerate(mean):
        if np.isfinite(value):
            ax.text(
                j, i, f"{_percent(value)} ± {_percent(float(half[i, j]))}", ha="center",
                va="center", fontsize=TEXT - 1.0, color="white" if value <= middle else "black",
            )  # fmt: skip
    make_literal(ax.texts)


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}" if share >= 0.1 else f"{100.0 * share:.1f}"


def _subtitle(result: FanovaImportance) -> str:
    pairs = [i for i, u in enumerate(result.members) if len(u) == 2]
    where = shorten(plain(words.sub_space(result.subject.space, result.given)), 200)
    return words.pairs_subtitle(min(1.0, float(result.estimate[pairs].sum())), where)
