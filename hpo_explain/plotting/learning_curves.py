"""The plots of learning curves: ranks, the curves themselves, and shares, each by step."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.width import shorten
from hpo_explain.explanations.learning_curves import LearningCurves
from hpo_explain.plotting._axes import BAND, HEIGHT
from hpo_explain.plotting._layout import (
    points_across,
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
from hpo_explain.plotting._text import plain
from hpo_explain.wording import learning_curves as words

_RHO: dict[str, Any] = {"color": BLUE, "linewidth": 1.8}
_ENOUGH: dict[str, Any] = {"color": GREY, "linewidth": 1.0, "linestyle": "--"}
_FINISHED: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "alpha": 0.6}
_UNFINISHED: dict[str, Any] = {"color": ORANGE, "linewidth": 0.8, "alpha": 0.8}
_BEST: dict[str, Any] = {"color": BLUE, "linewidth": 2.2}
_COLORS = (BLUE, ORANGE, GREEN, PURPLE, RED)
_MARKERS = ("o", "s", "D", "^", "v")
_MOST_CURVES = 150
_FEW_STEPS = 30  # that have marks


@draws(LearningCurves)
def plot_learning_curves(
    result: LearningCurves, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the rank correlation of the values at each step with the final ones.

    Parameters
    ----------
    result : LearningCurves
        What the curves say.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: steps by correlation.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rows = [(i, i / 9, epoch, i + 9.0 / epoch) for i in range(9) for epoch in (1, 2, 3)]
    >>> table = pd.DataFrame(rows, columns=["id", "lr", "epoch", "loss"])
    >>> found = hx.learning_curves(table, objective="loss", trial="id", fidelity="epoch")
    >>> plot_learning_curves(found).get_xlabel()
    'epoch'
    """
    own, ax = ax is None, new_axes(width) if ax is None else ax
    ax.fill_between(result.steps, result.lower, result.upper, **BAND)
    marks: dict[str, Any] = (
        {"marker": "o", "markersize": 3.5} if len(result.steps) <= _FEW_STEPS else {}
    )
    ax.plot(result.steps, result.correlation, **_RHO, **marks)
    ax.axhline(result.enough, **_ENOUGH)
    legend: list[tuple[Artist, str]] = [
        (_Joint(**_RHO, **marks), words.RHO),
        (line_mark(**_ENOUGH), words.ENOUGH),
    ]
    if result.known_from is not None and result.known_from < result.steps[-1]:
        ax.axvline(result.known_from, color=GREEN, linewidth=1.2, linestyle=":")
    lowest = np.nanmin(np.append(result.lower, np.append(result.correlation, 0.0)))
    ax.set_ylim(max(-1.05, float(lowest) - 0.05), 1.05)
    _finish(
        ax,
        result,
        words.heading(result),
        words.subtitle(result),
        words.CURVE_LABEL,
        words.footer(result),
        legend,
        own=own,
    )
    return ax


@draws(LearningCurves, "curves")
def plot_curves(result: LearningCurves, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the learning curves: of finished trials, of those without a result, and of the best.

    Parameters
    ----------
    result : LearningCurves
        What the curves say.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: steps by what was reported, in the objective's units.
    """
    own, ax = ax is None, new_axes(width) if ax is None else ax
    values, final = result.curves.held(), result.final
    sign = 1.0 if result.direction == "minimize" else -1.0
    best = int(np.nanargmin(sign * final))
    shown = np.random.default_rng(0).permutation(len(values))[:_MOST_CURVES]
    kinds = (
        (words.FINISHED, shown[~np.isnan(final[shown])], _FINISHED),
        (words.UNFINISHED, shown[np.isnan(final[shown])], _UNFINISHED),
        (words.BEST, np.array([best]), _BEST),
    )
    legend: list[tuple[Artist, str]] = []
    for label, rows, style in kinds:
        if not len(rows):
            continue
        ax.plot(result.steps, values[rows].T, **style)
        legend.append((line_mark(**style), label))
        if style is _UNFINISHED:
            at = [int(np.flatnonzero(~np.isnan(values[i]))[-1]) for i in rows]
            ax.plot(result.steps[at], values[rows, at], "x", color=ORANGE, markersize=4.0)
    _zoom(ax, values)
    name = shorten(plain(result.objective_name), 40)
    _finish(
        ax,
        result,
        words.curves_heading(result),
        "",
        name,
        words.curves_footer(min(len(values), _MOST_CURVES), len(values)),
        legend,
        own=own,
    )
    return ax


@draws(LearningCurves, "shares")
def plot_shares(result: LearningCurves, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the shares of the five most important hyperparameters at a few steps.

    Parameters
    ----------
    result : LearningCurves
        What the curves say.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: steps by share of the variance.
    """
    own, ax = ax is None, new_axes(width) if ax is None else ax
    steps = sorted(result.shares)
    estimates = np.array([result.shares[step].estimate[: len(result.names)] for step in steps])
    legend: list[tuple[Artist, str]] = []
    if len(steps):
        largest = np.argsort(-estimates.max(axis=0), kind="stable")[: len(_COLORS)]
        apart = 0.01 * (steps[-1] - steps[0])
        for place, j in enumerate(largest.tolist()):
            ends = [result.shares[step].bounds(j) or (np.nan, np.nan) for step in steps]
            at = np.array(steps) + apart * (place - (len(largest) - 1) / 2.0)
            style: dict[str, Any] = {"color": _COLORS[place], "marker": _MARKERS[place]}
            ax.vlines(at, *np.array(ends).T, color=_COLORS[place], linewidth=1.0)
            ax.plot(at, estimates[:, j], markersize=5.0, linewidth=1.5, **style)
            legend.append((line_mark(**style), shorten(plain(result.names[j]), 24)))
    ax.set_ylim(-0.02, 1.02)
    _finish(
        ax,
        result,
        words.shares_heading(result),
        words.SHARES_SUBTITLE,
        words.SHARES_LABEL,
        words.shares_footer(result),
        legend,
        own=own,
    )
    return ax


class _Joint(Line2D):
    """The mark of a curve in a legend."""

    def __init__(self, **style: Any) -> None:
        super().__init__([], [], **style)


def _zoom(ax: Axes, values: np.ndarray) -> None:
    """Leave out of sight what is far worse than nearly all values."""
    finite = values[np.isfinite(values)]
    low, high = np.quantile(finite, [0.01, 0.99])
    margin = 0.15 * (high - low)
    if margin > 0.0:
        ax.set_ylim(max(finite.min(), low - 2 * margin) - margin / 3.0,
                    min(finite.max(), high + 2 * margin) + margin / 3.0)  # fmt: skip


def _finish(
    ax: Axes,
    result: LearningCurves,
    heading: str,
    subtitle: str,
    label: str,
    footer: str,
    legend: list[tuple[Artist, str]],
    *,
    own: bool,
) -> None:
    """Write what stands around the axes, and make a new figure as high as it needs to be."""
    across = points_across(ax)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    whole = bool((result.steps % 1.0 == 0.0).all())
    ax.xaxis.set_major_locator(
        MaxNLocator(nbins=max(2, int(across / 60.0)), integer=whole, min_n_ticks=1)
    )
    write_y_label(ax, label, points=0.95 * HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, legend, left=left, points=left + points)
    high += write_header(ax, plain(heading), subtitle, above=high, left=left, points=left + points)
    high += write_footer(
        ax, shorten(plain(result.curves.step_name), 40), footer, left=left, points=points
    )
    if own:
        set_height(ax, high + HEIGHT)
