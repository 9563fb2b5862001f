"""The plot of a marginal prediction: how the objective depends on one or two hyperparameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.markers import TICKUP
from matplotlib.ticker import MaxNLocator

from hpo_explain.explanations import Marginal
from hpo_explain.plotting._heatmap import draw_cells, names_along_x, names_along_y
from hpo_explain.plotting._layout import (
    MARGINS,
    label_points,
    limit_ticks,
    points_across,
    write_footer,
    write_header,
    write_y_label,
)
from hpo_explain.plotting._style import BLUE, GREY, TEXT, WIDTH, ink, new_axes, set_height
from hpo_explain.plotting._text import number, plain, shorten
from hpo_explain.space import Array, category_index

_HEIGHT = 190.0  # points, of the axes
_ROW = 17.0  # points, of a category
_MOST_CATEGORIES = 40
_MOST_POINTS = 20  # whole numbers up to which each is a point
_MOST_VECTORS = 2000  # marks that are drawn as such: an SVG of 50,000 takes 10 MB
_SPREAD = 0.3  # how far from its value a mark of the rug stands that others share
_SCALE = 78.0  # points, width of the scale of colors with its texts


def plot_marginal(marginal: Marginal, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw a marginal prediction with its std over trees, and the values that were tried.

    A real-valued hyperparameter is a curve with a band, an integer or a category a point with a
    bar, and a pair is a heatmap. Marks along the axis (numbers beside categories, dots in a
    heatmap) are the values of the observed trials.

    Parameters
    ----------
    marginal : Marginal
        The marginal prediction of one or two hyperparameters.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in the user's units; logarithmic where the hyperparameter's own scale is.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Figures 1 to 3.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> marginal = hx.importance(table, objective="loss").marginal("x")
    >>> plot_marginal(marginal).get_ylabel()
    'predicted loss'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    if len(marginal.names) == 2:
        high = _draw_pair(ax, marginal)
    elif marginal.categorical[0]:
        high = _draw_categories(ax, marginal)
    else:
        high = _draw_numbers(ax, marginal)
    if own:
        set_height(ax, high)
    return ax


# ---------------------------------------------------------------------- one hyperparameter


def _draw_numbers(ax: Axes, marginal: Marginal) -> float:
    x = np.array(marginal.grid[0], dtype=float)
    if _are_points(marginal.grid[0]):
        ax.errorbar(x, marginal.mean, yerr=marginal.std, **_POINTS)
        ax.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    else:
        low, high = marginal.mean - marginal.std, marginal.mean + marginal.std
        ax.fill_between(x, low, high, color=BLUE, alpha=0.22, linewidth=0.0)
        ax.plot(x, marginal.mean, color=BLUE, linewidth=1.8)
    if marginal.log[0]:
        ax.set_xscale("log")
    tried = _tried(marginal, 0)
    ax.plot(
        tried, np.zeros(len(tried)), linestyle="none", marker=TICKUP, markersize=7.0, color=ink(),
        alpha=0.55, markeredgewidth=0.9, transform=ax.get_xaxis_transform(), clip_on=False,
        zorder=3, rasterized=len(tried) > _MOST_VECTORS,
    )  # fmt: skip
    write_y_label(ax, _predicted(marginal), points=0.95 * _HEIGHT)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    left = label_points(ax) + 2.0 * TEXT
    points = max(points_across(ax) - left - MARGINS, 0.3 * points_across(ax))
    return _HEIGHT + _words(ax, marginal, _name(marginal, 0), left, points)


def _draw_categories(ax: Axes, marginal: Marginal) -> float:
    best_first = np.argsort(marginal.mean if marginal.direction == "minimize" else -marginal.mean)
    shown = np.sort(best_first[:_MOST_CATEGORIES])
    y = np.arange(len(shown))
    ax.errorbar(marginal.mean[shown], y, xerr=marginal.std[shown], **_POINTS)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    for i in range(1, len(shown), 2):
        ax.axhspan(i - 0.5, i + 0.5, color=GREY, alpha=0.07, linewidth=0.0, zorder=0)
    across = points_across(ax)
    names_along_y(ax, _categories(marginal, shown), points=0.32 * across)
    write_y_label(ax, _name(marginal, 0), points=max(0.95 * _ROW * len(shown), 60.0))
    ax.tick_params(axis="x", labelsize=TEXT)
    ax.spines[["top", "left", "right"]].set_visible(False)
    left = label_points(ax) + 2.0 * TEXT
    points = max(across - left - MARGINS, 0.3 * across)
    limit_ticks(ax, points)
    words = _words(ax, marginal, _predicted(marginal), left, points)
    return max(_ROW * len(shown), 60.0) + words


_POINTS: dict[str, Any] = {
    "fmt": "o", "color": BLUE, "ecolor": BLUE, "markersize": 6.0, "elinewidth": 1.6, "capsize": 3.0,
}  # fmt: skip


def _categories(marginal: Marginal, shown: npt.NDArray[np.intp]) -> list[str]:
    """Return labels of categories, with how often each was tried where that is known."""
    labels = [plain(marginal.grid[0][k]) for k in shown]
    if not marginal.tried:
        return labels
    counts = np.bincount(_positions(marginal, 0), minlength=len(marginal.grid[0]))[shown]
    return [f"{label} ({count})" for label, count in zip(labels, counts, strict=True)]


# ---------------------------------------------------------------------- two hyperparameters


def _draw_pair(ax: Axes, marginal: Marginal) -> float:
    x, y = (_edges(marginal, k) for k in (0, 1))
    draw_cells(ax, x, y, marginal.mean.T, label=_predicted(marginal))
    across = points_across(ax)
    height = _HEIGHT
    if marginal.categorical[1]:
        names_along_y(ax, marginal.grid[1], points=0.3 * across)
        height = max(_HEIGHT, _ROW * len(marginal.grid[1]))
    elif marginal.log[1]:
        ax.set_yscale("log")
    ax.tick_params(labelsize=TEXT)
    write_y_label(ax, _name(marginal, 1), points=0.95 * height)
    left = label_points(ax) + 2.0 * TEXT
    points = max(across - left - MARGINS, 0.3 * across)
    high = 0.0
    if marginal.categorical[0]:
        high = names_along_x(ax, marginal.grid[0], points=points - _SCALE)
    elif marginal.log[0]:
        ax.set_xscale("log")
    ax.plot(
        _tried(marginal, 0), _tried(marginal, 1, shuffled=True), "o", markersize=3.5,
        color="white", markeredgecolor="black", markeredgewidth=0.6, alpha=0.8, clip_on=False,
        rasterized=bool(marginal.tried) and len(marginal.tried[0]) > _MOST_VECTORS,
    )  # fmt: skip
    return height + high + _words(ax, marginal, _name(marginal, 0), left, points)


def _edges(marginal: Marginal, k: int) -> Array:
    """Return edges of cells around the grid's values: halfway, on the hyperparameter's scale."""
    if marginal.categorical[k]:
        return np.arange(len(marginal.grid[k]) + 1, dtype=np.float64) - 0.5
    values = np.array(marginal.grid[k], dtype=float)
    if len(values) == 1:
        return np.array([0.9, 1.1]) * values if marginal.log[k] else values + [-0.5, 0.5]
    if marginal.log[k]:
        return np.asarray(np.exp(_between(np.log(values))))
    return _between(values)


def _between(values: Array) -> Array:
    middle = (values[:-1] + values[1:]) / 2.0
    return np.concatenate([[2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]])


# ---------------------------------------------------------------------- tried values


def _are_points(grid: tuple[Any, ...]) -> bool:
    return len(grid) <= _MOST_POINTS and all(isinstance(value, int) for value in grid)


def _tried(marginal: Marginal, k: int, *, shuffled: bool = False) -> Array:
    """Return where the tried values stand along an axis, those that fall together side by side."""
    if not marginal.tried:
        return np.empty(0)
    if marginal.categorical[k]:
        return _spread(_positions(marginal, k), shuffled)
    if _are_points(marginal.grid[k]) and not marginal.log[k]:
        return _spread(marginal.tried[k], shuffled)
    return np.array(marginal.tried[k], dtype=float)


def _positions(marginal: Marginal, k: int) -> list[int]:
    """Return the positions of the tried categories."""
    if not marginal.tried:
        return []
    found = [category_index(marginal.grid[k], value) for value in marginal.tried[k]]
    return [position for position in found if position is not None]


def _spread(values: npt.ArrayLike, shuffled: bool) -> Array:
    """Return values with those that are equal spread evenly around their place."""
    spread = np.array(values, dtype=float)
    rng = np.random.default_rng(0)
    for value in np.unique(spread):
        same = np.flatnonzero(spread == value)
        if len(same) > 1:
            places = np.linspace(-_SPREAD, _SPREAD, len(same))
            # Both axes of a heatmap in the same order would line the dots up.
            spread[same] += rng.permutation(places) if shuffled else places
    return spread


# ---------------------------------------------------------------------- words


def _words(ax: Axes, marginal: Marginal, x_label: str, left: float, points: float) -> float:
    heading = f"Predicted {_objective(marginal)} by {' and '.join(_names(marginal))}"
    # What is wider than the axes would push the scale of colors away from them.
    scale = _SCALE if len(marginal.names) == 2 else 0.0
    high = write_header(
        ax, heading, _subtitle(marginal), above=0.0, left=left, points=left + points - scale
    )
    points -= scale
    return high + write_footer(ax, x_label, _footer(marginal), left=left, points=points)


def _objective(marginal: Marginal) -> str:
    return shorten(plain(marginal.objective_name), 40)


def _predicted(marginal: Marginal) -> str:
    return f"predicted {_objective(marginal)}"


def _names(marginal: Marginal) -> list[str]:
    return [shorten(plain(name), 60) for name in marginal.names]


def _name(marginal: Marginal, k: int) -> str:
    return _names(marginal)[k]


def _subtitle(marginal: Marginal) -> str:
    better = "lower" if marginal.direction == "minimize" else "higher"
    where = f"given {shorten(plain(marginal.where), 200)}, " if marginal.where else ""
    lines = [f"{where}averaged over all other hyperparameters; {better} is better"]
    space = "sub-space" if marginal.where else "space"
    lines += [
        f"{name} is active in {share:.0%} of the {space} and makes no difference elsewhere"
        for name, share in zip(_names(marginal), marginal.activity, strict=False)
        if share < 1.0
    ]
    return "\n".join(lines)


def _footer(marginal: Marginal) -> str:
    tried = len(marginal.tried[0]) if marginal.tried else 0
    if len(marginal.names) == 2:
        text = (
            f"The std over trees is {number(float(marginal.std.mean()), 2)} on average, at most "
            f"{number(float(marginal.std.max()), 2)}."
        )
        return text + (" Dots: tried values." if tried else "")
    numeric = not marginal.categorical[0] and not _are_points(marginal.grid[0])
    text = f"{'Band' if numeric else 'Bars'}: std over the trees of the forest."
    if tried and marginal.categorical[0]:
        text += " In brackets: how often it was tried."
    elif tried:
        text += " Marks along the axis: tried values."
    left_out = len(marginal.grid[0]) - _MOST_CATEGORIES
    if marginal.categorical[0] and left_out > 0:
        text += f" {left_out} worse categories are not shown."
    return text
