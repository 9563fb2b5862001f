"""The plot of a hyperparameter's densities over a run."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.width import shorten
from hpo_explain.explanations.density_path import DensityPath
from hpo_explain.plotting._axes import DOTS
from hpo_explain.plotting._heatmap import draw_cells, draw_scale, names_along_y
from hpo_explain.plotting._layout import (
    MARGINS,
    label_points,
    points_across,
    write_footer,
    write_header,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import TEXT, WIDTH, new_axes, set_height
from hpo_explain.plotting._subject import shown
from hpo_explain.plotting._text import plain
from hpo_explain.plotting.densities import place
from hpo_explain.space import Array
from hpo_explain.wording import density_path as words

_HEIGHT = 230.0  # points, of the heatmap
_ROW = 17.0  # points, of a category in it
_SCALE = 78.0  # points, width of the scale of colors with its texts


@draws(DensityPath)
def plot_density_path(result: DensityPath, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw log l - log g of one hyperparameter by trial, with the proposed values as dots.

    Parameters
    ----------
    result : DensityPath
        The densities over a run.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: value by trial.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> plot_density_path(hx.density_path(study, "x")).get_xlabel()
    'trial'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    n = len(result.values)
    edges = np.arange(-0.5, n)
    if not result.categorical:
        edges = _edges(np.array(result.values, dtype=np.float64), result.log)
    across = np.append(np.array(result.trials, dtype=float) - 0.5, result.trials[-1] + 0.5)
    reach = float(np.abs(result.log_ratio).max()) or 1.0
    mesh = draw_cells(ax, across, edges, result.log_ratio.T, low=-reach, high=reach)
    known = [i for i, value in enumerate(result.proposed) if value is not None]
    ax.plot(
        [result.trials[i] for i in known],
        [place(result, result.proposed[i]) for i in known],
        **DOTS,
    )
    ax.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    height = _HEIGHT
    label = shorten(plain(result.name), 60)
    if result.categorical:
        height = max(_ROW * n, 60.0)
        ax.set_ylim(n - 0.5, -0.5)
        names_along_y(ax, [plain(value) for value in result.values], points=0.3 * points_across(ax))
    elif result.log:
        make_log(ax, 1, result.values)
    write_y_label(ax, label, points=0.95 * height)
    ax.tick_params(labelsize=TEXT)
    draw_scale(mesh, ax, label=words.SCALE)
    left = label_points(ax) + 2.0 * TEXT
    points = max(points_across(ax) - left - MARGINS - _SCALE, 0.3 * points_across(ax))
    high = write_header(
        ax,
        words.heading(label),
        words.subtitle(shown(result.subject)),
        above=0.0,
        left=left,
        points=points + left,
    )
    high += write_footer(ax, "trial", words.FOOTER, left=left, points=points)
    if own:
        set_height(ax, height + high)
    return ax


def _edges(values: Array, log: bool) -> Array:
    """Return the edges of cells around values, halfway between them on their scale."""
    scaled = np.log(values) if log else values
    if len(scaled) == 1:
        scaled = np.array([scaled[0] - 0.5, scaled[0] + 0.5])
        return np.exp(scaled) if log else scaled
    middle = 0.5 * (scaled[1:] + scaled[:-1])
    edges = np.concatenate(
        [[scaled[0] - (middle[0] - scaled[0])], middle, [scaled[-1] + (scaled[-1] - middle[-1])]]
    )
    return np.exp(edges) if log else edges
