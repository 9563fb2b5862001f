"""The beeswarm of many predictions' contributions, colored by the hyperparameters' values."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from hpo_explain.explanations.prediction_overview import PredictionOverview
from hpo_explain.plotting._heatmap import new_scale
from hpo_explain.plotting._layout import (
    characters,
    points_across,
)
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._rows import style_rows, write_rows
from hpo_explain.plotting._style import (
    TEXT,
    WIDTH,
    new_axes,
    set_height,
)
from hpo_explain.plotting._subject import shown
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array
from hpo_explain.wording import prediction
from hpo_explain.wording import prediction_overview as words

MOST_ROWS = 20
_ROW = 26.0  # points
_BINS = 60  # across; points of a bin stand over each other
_SPREAD = 0.38  # how far from the middle of its row a point may stand
_SCALE = 78.0  # points, width of the scale of colors with its texts
_MOST_VECTORS = 2000  # points that are drawn as such


@draws(PredictionOverview)
def plot_prediction_overview(
    result: PredictionOverview, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw one point per configuration and hyperparameter: its contribution, colored by its value.

    Parameters
    ----------
    result : PredictionOverview
        The explanations.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: contribution by hyperparameter, the largest on top; at most 20 are drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_predictions(table, objective="loss", background=20)
    >>> plot_prediction_overview(found).get_xlabel()
    'contribution to the predicted loss: left is better'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    drawn = result.order()[:MOST_ROWS].tolist()
    across = points_across(ax)
    labels = abbreviated((plain(result.names[j]) for j in drawn), characters(0.3 * across))
    reach = float(np.abs(result.phi).max(initial=0.0)) or 1.0
    active = ~np.isnan(result.positions)
    for row, j in enumerate(drawn):
        x, color = result.phi[active[:, j], j], result.positions[active[:, j], j]
        ax.scatter(
            x, row + _offsets(x, reach), c=color, cmap="cividis", vmin=0.0, vmax=1.0, s=14.0,
            marker="o", linewidths=0.0, zorder=2, rasterized=active.sum() > _MOST_VECTORS,
        )  # fmt: skip
    style_rows(ax, labels)
    low, high_end = float(result.phi.min(initial=0.0)), float(result.phi.max(initial=0.0))
    margin = 0.04 * (high_end - low) or 1.0
    ax.set_xlim(low - margin, high_end + margin)
    _draw_values(ax)

    about = shown(result.subject)
    high = write_rows(
        ax,
        heading=words.heading(about),
        subtitle=words.subtitle(result),
        label=prediction.label(about),
        footer=words.footer(len(result.names) - len(drawn)),
        beside=_SCALE,
    )
    if own:
        set_height(ax, high + max(len(drawn), 2) * _ROW)
    return ax


def _offsets(x: Array, reach: float) -> Array:
    """Return how far from the middle of its row each point stands, so that few overlap."""
    bins = np.floor(_BINS * (x + reach) / (2.0 * reach)).astype(np.int64)
    offsets = np.zeros(len(x))
    _, which, counts = np.unique(bins, return_inverse=True, return_counts=True)
    step = min(0.08, 2.0 * _SPREAD / max(int(counts.max(initial=1)) - 1, 1))
    for b in range(len(counts)):
        members = np.flatnonzero(which == b)
        place = np.arange(len(members))
        # outwards in turns: 0, 1, -1, 2, -2, ...
        offsets[members] = step * np.where(place % 2 == 1, (place + 1) // 2, -(place // 2))
    return offsets


def _draw_values(ax: Axes) -> None:
    """Draw the scale of values beside the axes, in words."""
    colors = ScalarMappable(Normalize(0.0, 1.0), cmap="cividis")
    scale = new_scale(colors, ax)
    scale.set_ticks([0.0, 1.0], labels=[words.LOW, words.HIGH])
    scale.ax.tick_params(length=0.0)
    scale.set_label(words.VALUE, fontsize=TEXT)
