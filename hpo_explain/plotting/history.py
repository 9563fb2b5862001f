"""The plot of a run: the objective by trial, and the best so far."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hpo_explain.facts import Origin
from hpo_explain.plotting._layout import (
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._style import (
    BLUE,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    ink,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import plain
from hpo_explain.run import Run
from hpo_explain.wording import history as words
from hpo_explain.wording.numbers import number

_HEIGHT = 190.0  # points, of the axes
_BY_HAND = (Origin.ENQUEUED, Origin.PERSON)
_MOST_VECTORS = 2000  # beyond, marks are drawn as pixels: an SVG of 50,000 marks takes 10 MB


def plot_history(run: Run, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the objective of every trial, and the incumbent so far as a step line.

    Trials of the initial design, proposals, and infeasible trials are told apart by their
    markers. Diverged trials are drawn at the bound at which they count for fitting.

    Parameters
    ----------
    run : Run
        The run.
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
    >>> plot_history(hx.from_frame(table, objective="loss")).get_title(loc="left")
    'Objective of 3 trials'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    entries = _draw_trials(ax, run)
    if len(run):
        first, last = int(np.min(run.trials)), int(np.max(run.trials))
        margin = 0.5 + 0.02 * (last - first)
        ax.set_xlim(first - margin, last + margin)
    else:
        ax.text(0.5, 0.5, "no finished trial", transform=ax.transAxes, ha="center", color=GREY)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.xaxis.set_major_locator(
        MaxNLocator(nbins=max(2, int(across / 60.0)), integer=True, min_n_ticks=1)
    )
    write_y_label(ax, plain(run.objective_name), points=0.95 * _HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, entries, left=left, points=left + points)
    high += write_header(
        ax, words.heading(run), words.subtitle(run), above=high, left=left, points=left + points
    )
    high += write_footer(ax, "trial", words.footer(run), left=left, points=points)
    if own:
        set_height(ax, high + _HEIGHT)
    return ax


def _draw_trials(ax: Axes, run: Run) -> list[tuple[Artist, str]]:
    """Draw the trials and the incumbent; return the entries of the legend."""
    trials, feasible = np.asarray(run.trials), np.asarray(run.feasible)
    proposed = np.isin(trials, run.proposals or ())
    by_hand = np.isin(trials, [t for t, origin in run.origins.items() if origin in _BY_HAND])
    bound = run.diverged_above()
    diverged = run.cost > bound
    sign = 1.0 if run.direction == "minimize" else -1.0
    shown = sign * run.learned_cost()
    worse = "^" if run.direction == "minimize" else "v"
    kinds = (
        (
            "initial design" if run.proposes else "trials",
            feasible & ~proposed & ~by_hand & ~diverged,
            "s",
            "none",
            GREY,
        ),
        ("set by hand", feasible & ~proposed & by_hand & ~diverged, "D", "none", GREY),
        ("proposals", feasible & proposed & ~diverged, "o", BLUE, BLUE),
        ("infeasible", ~feasible & ~diverged, "x", PURPLE, PURPLE),
        (f"diverged, shown at {number(sign * bound)}", diverged, worse, PURPLE, PURPLE),
    )
    size = 4.5 if len(run) <= 500 else 2.5
    entries: list[tuple[Artist, str]] = []
    for label, rows, marker, face, edge in kinds:
        if rows.any():
            (line,) = ax.plot(
                trials[rows], shown[rows], marker, color=edge, markerfacecolor=face,
                markersize=size, zorder=3, rasterized=len(run) > _MOST_VECTORS,
            )  # fmt: skip
            entries.append((line, label))
    if feasible.any():
        in_order = np.flatnonzero(feasible)[np.argsort(trials[feasible])]
        best = sign * np.minimum.accumulate(sign * shown[in_order])
        (line,) = ax.step(
            trials[in_order], best, where="post", color=RED, linewidth=2.0, zorder=3.5
        )
        entries.append((line, "incumbent so far"))
        at = run.row(run.incumbent_trial)
        (star,) = ax.plot(
            trials[at], shown[at], "*", color=ORANGE, markersize=13.0, markeredgecolor=ink(),
            markeredgewidth=0.7, zorder=4,
        )  # fmt: skip
        entries.append((star, f"best: trial {run.incumbent_trial}"))
    return entries
