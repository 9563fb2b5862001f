"""The plot of a run's history: the objective by trial, and the best so far."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hpo_explain.base.facts import Origin
from hpo_explain.explanations.history import History
from hpo_explain.plotting._layout import (
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._look import ink
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
from hpo_explain.wording import history as words
from hpo_explain.wording.numbers import number

_HEIGHT = 190.0  # points, of the axes
_BY_HAND = (Origin.ENQUEUED, Origin.PERSON)
_MOST_VECTORS = 2000  # beyond, marks are drawn as pixels: an SVG of 50,000 marks takes 10 MB
_WITHOUT: dict[str, dict[str, Any]] = {
    "failed": {"marker": "x", "color": RED},
    "pruned": {"marker": "|", "color": PURPLE},
    "running": {"marker": ">", "color": BLUE, "markerfacecolor": "none"},
    "waiting": {"marker": ">", "color": GREY, "markerfacecolor": "none"},
    "": {"marker": "+", "color": GREY},
}
"""Marks of trials without a result, by why they have none."""


@draws(History)
def plot_history(result: History, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the objective of every trial, and the incumbent so far as a step line.

    Trials of the initial design, proposals, and infeasible trials are told apart by their
    markers. Diverged trials are drawn at the bound at which they count for fitting, and trials
    without a result along the end of the axes that is worse.

    Parameters
    ----------
    result : History
        The history.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: trial number by objective, in the user's units.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> plot_history(hx.history(table, objective="loss")).get_title(loc="left")
    'Objective of 3 trials'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    entries = _draw_trials(ax, result)
    entries += _draw_optimum(ax, result)
    entries += _draw_without_result(ax, result)
    numbers = [*result.trials.tolist(), *result.left_out]
    if numbers:
        margin = 0.5 + 0.02 * (max(numbers) - min(numbers))
        ax.set_xlim(min(numbers) - margin, max(numbers) + margin)
    if not len(result):
        ax.text(0.5, 0.5, "no finished trial", transform=ax.transAxes, ha="center", color=GREY)
        ax.set_yticks([])
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.xaxis.set_major_locator(
        MaxNLocator(nbins=max(2, int(across / 60.0)), integer=True, min_n_ticks=1)
    )
    write_y_label(ax, plain(result.objective_name), points=0.95 * _HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, entries, left=left, points=left + points)
    high += write_header(
        ax, words.heading(result), words.subtitle(result),
        above=high, left=left, points=left + points,
    )  # fmt: skip
    high += write_footer(ax, "trial", words.footer(result), left=left, points=points)
    if own:
        set_height(ax, high + _HEIGHT)
    return ax


def _draw_trials(ax: Axes, result: History) -> list[tuple[Artist, str]]:
    """Draw the trials and the incumbent; return the entries of the legend."""
    trials, shown = result.trials, result.learned
    feasible, proposed, diverged = result.feasible, result.proposed, result.diverged
    by_hand = np.array([origin in _BY_HAND for origin in result.origins], dtype=bool)
    worse = "^" if result.direction == "minimize" else "v"
    kinds = (
        (
            words.INITIAL if result.proposes else words.TRIALS,
            feasible & ~proposed & ~by_hand & ~diverged,
            "s",
            "none",
            GREY,
        ),
        (words.BY_HAND, feasible & ~proposed & by_hand & ~diverged, "D", "none", GREY),
        (words.PROPOSALS, feasible & proposed & ~diverged, "o", BLUE, BLUE),
        (words.INFEASIBLE, ~feasible & ~diverged, "x", PURPLE, PURPLE),
        (words.diverged(number(result.bound)), diverged, worse, PURPLE, PURPLE),
    )
    size = 4.5 if len(result) <= 500 else 2.5
    entries: list[tuple[Artist, str]] = []
    for label, rows, marker, face, edge in kinds:
        if rows.any():
            (line,) = ax.plot(
                trials[rows], shown[rows], marker, color=edge, markerfacecolor=face,
                markersize=size, zorder=3, rasterized=len(result) > _MOST_VECTORS,
            )  # fmt: skip
            entries.append((line, label))
    if result.tied:
        known = feasible
        (line,) = ax.step(
            trials[known], result.best_learned[known], where="post", color=RED, linewidth=2.0,
            zorder=3.5,
        )  # fmt: skip
        entries.append((line, words.INCUMBENT))
        at = np.flatnonzero(trials == result.tied[0])[0]
        (star,) = ax.plot(
            trials[at], shown[at], "*", color=ORANGE, markersize=13.0, markeredgecolor=ink(),
            markeredgewidth=0.7, zorder=4,
        )  # fmt: skip
        entries.append((star, words.best(result.tied[0])))
    return entries


def _draw_optimum(ax: Axes, result: History) -> list[tuple[Artist, str]]:
    if result.optimum is None:
        return []
    line = ax.axhline(result.optimum, color=GREEN, linestyle=(0, (4, 2)), linewidth=1.3, zorder=2)
    return [(line, words.optimum(number(result.optimum)))]


def _draw_without_result(ax: Axes, result: History) -> list[tuple[Artist, str]]:
    """Draw trials without a result along the worse end of the axes."""
    groups = defaultdict(list)
    for trial, why in result.left_out.items():
        groups[why.kind if why.kind in _WITHOUT else ""].append(trial)
    entries: list[tuple[Artist, str]] = []
    end = 1.0 if result.direction == "minimize" else 0.0
    for kind, style in _WITHOUT.items():
        trials = groups[kind]
        if trials:
            (line,) = ax.plot(
                trials, np.full(len(trials), end), linestyle="none", markersize=5.0, clip_on=False,
                transform=ax.get_xaxis_transform(), zorder=3,
                rasterized=len(trials) > _MOST_VECTORS, **style,
            )  # fmt: skip
            entries.append((line, words.without_result(kind, len(trials))))
    return entries
