"""The plot of what matters to the weighted sum of several objectives."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from hpo_explain.base.width import shorten
from hpo_explain.explanations.weights import WeightedImportance
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._layout import (
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._look import line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.wording import weights as words
from hpo_explain.wording.plots import smaller

_HEIGHT = 190.0  # points, of the axes
_COLORS = (BLUE, ORANGE, GREEN, PURPLE, RED, GREY)


@draws(WeightedImportance)
def plot_weights(
    result: WeightedImportance, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw shares along the weights of two objectives; of more, means and each weights as a dot.

    Parameters
    ----------
    result : WeightedImportance
        The shares.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. Figure 2.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {k: hx.Run(space, X, X[:, 0], "minimize") for k in ("loss", "size")}
    >>> plot_weights(hx.weighted_importance(runs, divisions=2)).get_title(loc="left")
    'What matters to the weighted sum of loss and size'
    """
    mean = result.shares.mean(axis=0)
    order = np.argsort(-mean, kind="stable").tolist()
    heading = shorten(plain(words.heading(result)), 120)
    if len(result.objectives) > 2:
        rest = [shorten(plain(result.names[j]), 24) for j in order[MOST_ROWS:]]
        bars = Bars(
            rows=tuple(Row((result.names[j],), (float(mean[j]),)) for j in order[:MOST_ROWS]),
            heading=heading,
            subtitle=words.SUBTITLE,
            label=words.LABEL,
            footer=words.OF_ALL + smaller(rest),
            percent=True,
            positive=True,
        )
        drawn = draw_bars(bars, ax=ax, width=width)
        for row, j in enumerate(order[:MOST_ROWS]):
            beside = np.linspace(-0.3, 0.3, len(result.weights))
            drawn.plot(
                result.shares[:, j], row + beside, zorder=4, linestyle="none", marker="o",
                markersize=3.0, color=ORANGE,
            )  # fmt: skip
        drawn.set_xlim(0.0, 1.04 * max(float(result.shares.max()), 0.01))
        return drawn
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    shown = order[: len(_COLORS)]
    x = result.weights[:, 0]
    legend: list[tuple[Artist, str]] = []
    names = abbreviated(map(plain, result.names), 24)
    for j, color in zip(shown, _COLORS, strict=False):
        ax.plot(x, result.shares[:, j], color=color, linewidth=1.8)
        ends = result.bounds[:, j]
        ax.fill_between(x, ends[:, 0], ends[:, 1], color=color, alpha=0.15, linewidth=0.0)
        legend.append((line_mark(color=color, linewidth=1.8), names[j]))
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    write_y_label(ax, words.LABEL, points=0.95 * _HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, legend, left=left, points=left + points)
    high += write_header(
        ax, heading, words.SUBTITLE, above=high, left=left, points=left + points
    )  # fmt: skip
    label = shorten(plain(words.axis(*result.objectives)), 90)
    footer = words.BANDS + smaller([names[j] for j in order[len(_COLORS) :]])
    high += write_footer(ax, label, footer, left=left, points=points)
    if own:
        set_height(ax, _HEIGHT + high)
    return ax
