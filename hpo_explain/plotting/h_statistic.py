"""The plots of the H-statistic: which hyperparameters interact."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.h_statistic import InteractionStrength
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Half, Row, draw_bars
from hpo_explain.plotting._heatmap import Pairs, plot_pairs
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._text import plain
from hpo_explain.wording import h_statistic as words
from hpo_explain.wording.plots import not_shown
from hpo_explain.wording.subject import explained

_REACH = 0.1  # a shorter scale would show the error of H as color


@draws(InteractionStrength)
def plot_h_statistic(
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
        hyperparameter's pairs H by the other member, that which interacts most on top. At most 20
        are drawn.

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
    >>> found = hx.h_statistic(table, objective="loss", sample=20)
    >>> plot_h_statistic(found).get_title(loc="left")
    'Which hyperparameters act together on the predicted loss'
    """
    if result.focus is not None or len(result.names) < 2:
        return _plot_one(result, ax, width)
    order = np.argsort(-np.nansum(result.known_sizes, axis=1), kind="stable")
    bounds = result.bounds
    std = result.pairs_std if bounds is None else (bounds.upper - bounds.lower) / 2.0
    return plot_pairs(
        Pairs(result.names, result.known_pairs, std, order.tolist(), "H", _REACH),
        ax=ax,
        width=width,
        heading=words.heading(_what(result)),
        subtitle=words.SUBTITLE,
        footer=lambda numbers: words.caption(result, in_cells=numbers),
        left_out=words.LEFT_OUT,
        number=lambda H, std: f"{H:.2f} ± {std:.2f}",
    )


@draws(InteractionStrength, "totals")
def plot_h_totals(
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
    >>> plot_h_totals(hx.h_statistic(table, objective="loss", sample=20)).get_xlabel()
    'H with any others'
    """
    rows = [
        Row((name,), (float(H),), (float(std),))
        for name, H, std in zip(result.names, result.total, result.total_std, strict=True)
        if not np.isnan(H)
    ]
    return _plot_first(
        sorted(rows, key=lambda row: -row.values[0]),
        ax=ax,
        width=width,
        heading=words.totals_heading(_what(result)),
        subtitle=words.TOTALS_SUBTITLE,
        label=words.TOTALS_LABEL,
        footer=words.totals_whiskers(result),
    )


def _plot_one(result: InteractionStrength, ax: Axes | None, width: float) -> Axes:
    """Draw H of one hyperparameter's pairs."""
    name = result.focus or result.names[0]
    rows = [
        Row(
            (result.names[k if result.names[j] == name else j],),
            (float(result.known_pairs[j, k]),),
            (_half(result, j, k),),
        )
        for j, k in result.members()
    ]
    focus = shorten(plain(name), 60)
    return _plot_first(
        rows,
        ax=ax,
        width=width,
        heading=words.heading(_what(result), focus),
        subtitle=words.SUBTITLE,
        label=words.label(focus),
        footer=words.whiskers(result),
    )


def _half(result: InteractionStrength, j: int, k: int) -> Half:
    """Return how far whiskers of a pair reach."""
    bounds = result.bounds
    if bounds is None:
        return float(result.pairs_std[j, k])
    H = bounds.H[j, k]
    return float(H - bounds.lower[j, k]), float(bounds.upper[j, k] - H)


def _plot_first(
    rows: list[Row], *, ax: Axes | None, width: float, heading: str, subtitle: str, label: str,
    footer: str,
) -> Axes:  # fmt: skip
    bars = Bars(
        rows=tuple(rows[:MOST_ROWS]),
        heading=heading,
        subtitle=subtitle,
        label=label,
        footer=footer + not_shown(len(rows) - MOST_ROWS, *words.SMALLER),
        positive=True,
    )
    return draw_bars(bars, ax=ax, width=width)


def _what(result: InteractionStrength) -> str:
    return shorten(plain(explained(result.subject)), 60)
