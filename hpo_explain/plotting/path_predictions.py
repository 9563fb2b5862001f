"""The plot of what the models of single iterations predicted, beside what was then observed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.plotting._layout import (
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._panels import draw_path, limit_trials
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    new_axes,
    set_height,
)
from hpo_explain.plotting._subject import shown
from hpo_explain.run import winsorized
from hpo_explain.space import Array
from hpo_explain.wording import path as words

_HEIGHT = 190.0  # points, of the axes
_MOST_VECTORS = 2000  # beyond, marks are drawn as pixels: an SVG of 50,000 marks takes 10 MB
_REACH = 0.5  # of the range of values: how far beyond them a band is shown
_BAND = 0.25


@draws(DesirabilityPath, "predictions")
def plot_predictions(
    path: DesirabilityPath, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the objective of every trial, and what was predicted for each proposal before it ran.

    The line is the mean predicted by the model of the proposal's own iteration, its ribbon ± one
    standard deviation; the step line is the best so far. Diverged trials are drawn at the bound
    at which they count for fitting.

    Parameters
    ----------
    path : DesirabilityPath
        The path.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: trial number by objective, in the user's units.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 3 and 9.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = hx.desirability_path(run, background=50, progress=False)
    >>> plot_predictions(path).get_title(loc="left")
    'Predicted and observed objective of 2 proposals'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    entries = _draw(ax, path)
    limit_trials(ax, path.all_trials.astype(float), across - 50.0)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    about = shown(path.subject)
    write_y_label(ax, about.objective_name, points=0.95 * _HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, entries, left=left, points=left + points)
    high += write_header(
        ax,
        words.predictions_heading(path, about),
        words.direction(about),
        above=high,
        left=left,
        points=left + points,
    )
    high += write_footer(ax, "trial", words.predictions_footer(path), left=left, points=points)
    if own:
        set_height(ax, high + _HEIGHT)
    return ax


def _draw(ax: Axes, path: DesirabilityPath) -> list[tuple[Artist, str]]:
    """Draw trials, predictions and the best so far; return the entries of the legend."""
    sign = 1.0 if path.subject.direction == "minimize" else -1.0
    cost = sign * path.objective
    bound = path.diverged_above
    shown = winsorized(cost, bound)
    objective = sign * shown
    entries = _draw_trials(ax, path, objective, cost > bound, sign * bound)
    predicted = path.predictions()
    mean, std = predicted["mean"].to_numpy(float), predicted["std"].to_numpy(float)
    if not np.isnan(mean).all():
        line = draw_path(
            ax, path.trials.astype(float), mean, half=std, alpha=_BAND, color=GREEN,
            linewidth=1.6, linestyle=(0, (5, 1.5)), zorder=2.5,
        )  # fmt: skip
        ribbon = Patch(facecolor=GREEN, alpha=_BAND, linewidth=0.0)
        entries += [(line, words.PREDICTED), (ribbon, words.PREDICTED_STD)]
    known = ~np.isnan(mean)
    _limit(ax, np.concatenate([objective, mean[known]]), (mean - std)[known], (mean + std)[known])
    counts = cost >= _least_feasible(path, cost)
    if path.subject.incumbent and counts.any():
        order = np.argsort(path.all_trials[counts])
        best = np.minimum.accumulate(shown[counts][order])
        (step,) = ax.step(
            path.all_trials[counts][order], sign * best, where="post", color=RED, linewidth=2.0,
            zorder=2.2,
        )  # fmt: skip
        entries.append((step, words.BEST))
    return entries


def _draw_trials(
    ax: Axes,
    path: DesirabilityPath,
    objective: Array,
    diverged: npt.NDArray[np.bool_],
    bound: float,
) -> list[tuple[Artist, str]]:
    explained = np.isin(path.all_trials, path.trials)
    worse = "^" if path.subject.direction == "minimize" else "v"
    kinds = (
        (words.OTHER_TRIALS, ~explained & ~diverged, "s", "none", GREY),
        (words.EXPLAINED, explained & ~diverged, "o", BLUE, BLUE),
        (words.diverged_at(bound), diverged, worse, PURPLE, PURPLE),
    )
    entries: list[tuple[Artist, str]] = []
    for label, rows, marker, face, edge in kinds:
        if rows.any():
            (marks,) = ax.plot(
                path.all_trials[rows], objective[rows], marker, color=edge, markerfacecolor=face,
                markersize=4.5 if len(objective) <= 500 else 2.5, zorder=3,
                rasterized=len(objective) > _MOST_VECTORS,
            )  # fmt: skip
            entries.append((marks, label))
    return entries


def _limit(ax: Axes, values: Array, lower: Array, upper: Array) -> None:
    """Show all values, and of bands that are much wider than their range only a part."""
    low, high = float(values.min()), float(values.max())
    reach = _REACH * (high - low)
    if reach == 0.0:
        return
    bottom = max(low - reach, min(low, *lower) if len(lower) else low)
    top = min(high + reach, max(high, *upper) if len(upper) else high)
    ax.set_ylim(bottom - 0.04 * (top - bottom), top + 0.04 * (top - bottom))


def _least_feasible(path: DesirabilityPath, cost: Array) -> float:
    """Return the incumbent's cost: what is better than the best feasible trial is infeasible."""
    tried, incumbent = path.subject.tried, path.subject.incumbent
    if tried is None or not incumbent:
        return np.inf
    reference = path.subject.space.encode(dict(incumbent))[0]
    same = np.isclose(tried, reference, rtol=0.0, atol=1e-9, equal_nan=True).all(axis=1)
    return float(cost[same].min()) if same.any() else -np.inf
