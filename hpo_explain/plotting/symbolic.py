"""The plot of a formula: along its hyperparameter, or against the model's prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.symbolic import SymbolicEffect
from hpo_explain.plotting._axes import HEIGHT, in_unit, unit_along
from hpo_explain.plotting._layout import (
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._look import line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, GREY, ORANGE, TEXT, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.space import CategoricalParameter
from hpo_explain.wording import symbolic as words

_POINTS: dict[str, Any] = {"color": BLUE, "linestyle": "none", "marker": "o", "markersize": 4.0}
_FORMULA: dict[str, Any] = {"color": ORANGE, "linewidth": 1.8}
_DIAGONAL: dict[str, Any] = {"color": GREY, "linewidth": 1.0, "linestyle": "--"}


@draws(SymbolicEffect)
def plot_symbolic(result: SymbolicEffect, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the formula along its hyperparameter with the model's prediction.

    Of several hyperparameters, or a categorical one: the prediction against the formula, at the
    points held out.

    Parameters
    ----------
    result : SymbolicEffect
        The formula.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_symbolic(hx.symbolic(table, "x", objective="loss")).get_xlabel()
    'x'
    """
    own, ax = ax is None, new_axes(width) if ax is None else ax
    out = result.held_out
    single = None if len(result.names) > 1 else result.subject.space[result.names[0]]
    legend: list[tuple[Artist, str]] = [(line_mark(**_POINTS), words.MODEL)]
    if single is None or isinstance(single, CategoricalParameter):
        ax.plot(result.fitted[out], result.mean[out], **_POINTS)
        both = np.concatenate([result.fitted[out], result.mean[out]])
        ends = [float(both.min()), float(both.max())]
        ax.plot(ends, ends, **_DIAGONAL)
        legend.append((line_mark(**_DIAGONAL), words.DIAGONAL))
        label = words.X_LABEL
    else:
        x = np.array([float(point[single.name]) for point in result.points])
        unit = 1.0 if single.log else unit_along(x)
        x = x / unit
        order = np.argsort(x)
        if single.log:
            make_log(ax, 0, x.tolist())
        ax.plot(x[out], result.mean[out], **_POINTS)
        ax.plot(x[order], result.fitted[order], **_FORMULA)
        legend.append((line_mark(**_FORMULA), words.FORMULA))
        label = in_unit(shorten(plain(single.name), 40), unit)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    name = words.y_label(shorten(plain(result.objective_name), 40))
    write_y_label(ax, name, points=0.95 * HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, legend, left=left, points=left + points)
    high += write_header(
        ax,
        plain(words.heading(result)),
        "\n".join(map(plain, words.subtitle(result).split("\n"))),
        above=high,
        left=left,
        points=left + points,
    )
    high += write_footer(ax, label, words.footer(result), left=left, points=points)
    if own:
        set_height(ax, high + HEIGHT)
    return ax
