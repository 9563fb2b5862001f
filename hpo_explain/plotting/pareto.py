"""The plots of a Pareto front: where it lies, and what pays for the way along it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.pareto import ParetoFront, scale_of
from hpo_explain.plotting._axes import in_unit, unit_along
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._layout import (
    sides,
    write_footer,
    write_header,
    write_legend,
    write_y_label,
)
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import new_panels, write_around
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, GREY, ORANGE, TEXT, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.wording import pareto as words
from hpo_explain.wording.plots import smaller

_HEIGHT = 230.0  # points, of the axes
_MOST_PANELS = 6
_LABELLED = 5  # trials of the front that are numbered
_TO_THE_RIGHT = 30.0  # times the middle of the front beyond which an axis is logarithmic
_FRONT: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 6.0, "color": BLUE,
    "markeredgecolor": "white", "markeredgewidth": 0.6,
}  # fmt: skip
_OTHERS: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 3.5, "color": GREY, "alpha": 0.6,
}  # fmt: skip
_INFEASIBLE: dict[str, Any] = {
    "linestyle": "none", "marker": "x", "markersize": 4.5, "color": ORANGE,
}  # fmt: skip


@draws(ParetoFront)
def plot_pareto(result: ParetoFront, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw all trials by two objectives, and the front; a panel for each pair of several.

    Parameters
    ----------
    result : ParetoFront
        The front.
    ax : matplotlib.axes.Axes, optional
        Where to draw; several pairs of objectives replace it. By default a new figure (unknown to
        pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, of the first pair.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {
    ...     "loss": hx.Run(space, X, (1.0 - X[:, 0]) ** 2, "minimize"),
    ...     "size": hx.Run(space, X, X[:, 0], "minimize"),
    ... }
    >>> plot_pareto(hx.pareto(runs)).get_title(loc="left")
    'The Pareto front of loss and size'
    """
    pairs = [*itertools.combinations(range(len(result.objectives)), 2)][:_MOST_PANELS]
    heading = shorten(plain(words.heading(result)), 120)
    if len(pairs) > 1:
        panels = new_panels(ax, len(pairs), width=width, same_scale=False, same_x=False)
        units = [unit_along(column) for column in result.values.T]
        short = [shorten(plain(name), 24) for name in result.objectives]
        names = [
            in_unit(shorten(plain(name), 30), unit)
            for name, unit in zip(result.objectives, units, strict=True)
        ]
        for panel, (k, other) in zip(panels.axes, pairs, strict=True):
            _draw(panel, result, k, other)
            panel.set_xlabel(names[k], fontsize=TEXT)
            panel.set_ylabel(in_unit(short[other], units[other]), fontsize=TEXT)
        write_around(
            panels,
            heading=heading,
            subtitle=words.subtitle(result),
            legend=_legend(result),
            x_label="",
            y_label="",
            footer=words.FOOTER,
        )
        for panel, (k, _) in zip(panels.axes, pairs, strict=True):
            panel.set_xlabel(names[k], fontsize=TEXT)
            panel.tick_params(labelbottom=True)
        return panels.axes[0]
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    _draw(ax, result, 0, 1)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    labels = [
        in_unit(shorten(plain(words.axis(name, way)), 60), unit_along(column))
        for name, way, column in zip(
            result.objectives, result.directions, result.values.T, strict=True
        )
    ]
    write_y_label(ax, labels[1], points=0.95 * _HEIGHT)
    left, points = sides(ax, label=2.0 * TEXT)
    high = write_legend(ax, _legend(result), left=left, points=left + points)
    high += write_header(
        ax, heading, words.subtitle(result), above=high, left=left, points=left + points
    )
    high += write_footer(ax, labels[0], words.FOOTER, left=left, points=points)
    if own:
        set_height(ax, _HEIGHT + high)
    return ax


def _draw(ax: Axes, result: ParetoFront, k: int, other: int) -> None:
    x, y = (column / unit_along(column) for column in result.values[:, [k, other]].T)
    dominated = (result.ranks > 1) & result.feasible
    ax.plot(x[dominated], y[dominated], zorder=2, **_OTHERS)
    ax.plot(x[~result.feasible], y[~result.feasible], zorder=2, **_INFEASIBLE)
    front = result.front
    if len(result.objectives) == 2:
        # what the front dominates begins at a step
        ax.step(x[front], y[front], where="post", color=BLUE, linewidth=1.2, zorder=2.5)
    ax.plot(x[front], y[front], zorder=3, **_FRONT)
    for values, scale in ((x, ax.set_xscale), (y, ax.set_yscale)):
        middle, far = float(np.median(values[front])), float(values[front].max())
        if values.min() > 0.0 and far > _TO_THE_RIGHT * middle > 0.0:
            scale("log")
    if len(result.objectives) > 2:
        return
    for place in np.unique(np.linspace(0, len(front) - 1, _LABELLED).round().astype(int)):
        row = front[place]
        ax.annotate(
            str(result.trials[row]), (x[row], y[row]), (4.0, 4.0), textcoords="offset points",
            fontsize=TEXT - 1.0, color=ink(), zorder=4,
        )  # fmt: skip


def _legend(result: ParetoFront) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = [(line_mark(**_FRONT), words.FRONT)]
    entries.append((line_mark(**_OTHERS), words.OTHERS))
    if not result.feasible.all():
        entries.append((line_mark(**_INFEASIBLE), words.INFEASIBLE))
    return entries


@draws(ParetoFront, "moves")
def plot_moves(result: ParetoFront, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw what each hyperparameter does to each objective from one end of the front to the other.

    Parameters
    ----------
    result : ParetoFront
        The front.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; without bars where one trial is best in all objectives.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {
    ...     "loss": hx.Run(space, X, (1.0 - X[:, 0]) ** 2, "minimize"),
    ...     "size": hx.Run(space, X, X[:, 0], "minimize"),
    ... }
    >>> found = hx.pareto(runs)
    >>> plot_moves(found).get_xlabel()
    'gain, in ranges of the front: right is better'
    """
    if not result.moves:
        bars = Bars(
            rows=(),
            heading=words.heading(result),
            subtitle=words.ALONE,
            label=words.MOVES_LABEL,
            footer="",
        )
        return draw_bars(bars, ax=ax, width=width)
    move = result.moves[0]
    ranges = np.array([scale_of(column) for column in result.values[result.front].T])
    gains, halves = move.gains() / ranges, move.halves() / ranges
    changed = [j for j, n in enumerate(result.names) if move.before.get(n) != move.after.get(n)]
    order = sorted(changed, key=lambda j: -float(np.abs(gains[j]).max()))
    rows = tuple(
        Row(
            (result.names[j],),
            tuple(gains[j].tolist()),
            tuple(h if np.isfinite(h) else None for h in halves[j].tolist()),
        )
        for j in order[:MOST_ROWS]
    )
    rest = [shorten(plain(result.names[j]), 24) for j in order[MOST_ROWS:]]
    return draw_bars(
        Bars(
            rows=rows,
            heading=words.moves_heading(move.source, move.target),
            subtitle=words.MOVES_SUBTITLE,
            label=words.MOVES_LABEL,
            footer=words.MOVES_FOOTER + smaller(rest),
            legend=tuple(enumerate(result.objectives)),
        ),
        ax=ax,
        width=width,
    )
