"""The plot of configurations as parallel coordinates, a row per hyperparameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from hpo_explain.base.width import shorten
from hpo_explain.explanations.configurations import Configurations
from hpo_explain.plotting._layout import (
    characters,
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
)
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._scales import along, labels
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    make_literal,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array, CategoricalParameter, Parameter
from hpo_explain.wording import configurations as words
from hpo_explain.wording.numbers import number

_ROW = 32.0  # points, of a hyperparameter
_SMALL = TEXT - 1.5
_MOST_VECTORS = 20_000  # corners of lines beyond which they are drawn as pixels
_LEAST_CHARACTERS = 4  # of a category's name; with less room only the first and the last has one
_COLORS = (RED, BLUE, GREEN, ORANGE, PURPLE)
_STYLES: tuple[Any, ...] = ("-", (0, (4, 1.5)))
_WORST = 0.92  # of the scale of colors, whose end is hardly seen on white


@draws(Configurations, "parallel")
def plot_parallel(result: Configurations, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw every trial as a line through its values, a row per hyperparameter.

    Parallel coordinates whose axes are rows: values run from left to right on the hyperparameter's
    own scale, with the ends of its range in the user's units and categories by name. The darker a
    line, the better its objective; with highlighted trials the others are grey. Lines are broken
    where a hyperparameter is inactive.

    Parameters
    ----------
    result : Configurations
        The configurations; all finished trials are drawn, the initial design included.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: position in [0, 1] by hyperparameter.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 13 and 14.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> ax = plot_parallel(hx.configurations(run, highlight=[3]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['trial 3: objective 2', 'other trials']
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    space = result.subject.space
    drawn = _Drawn(result)
    d, across = len(result.names), points_across(ax)
    ax.set_yticks(
        np.arange(d), abbreviated(map(plain, result.names), characters(0.3 * across)), fontsize=TEXT
    )
    ax.set_ylim(d - 0.4, -0.4)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0.0)
    make_literal(ax.get_yticklabels())
    ax.spines[["top", "left", "right", "bottom"]].set_visible(False)
    left, points = sides(ax)
    for j, name in enumerate(result.names):
        _draw_scale(ax, space[name], j, points)
    entries = (_draw_chosen if result.highlighted else _draw_ranked)(ax, drawn)
    high = write_legend(ax, entries, left=left, points=left + points)
    high += write_header(
        ax, words.heading(result), words.parallel_subtitle(result),
        above=high, left=left, points=left + points,
    )  # fmt: skip
    footer = words.parallel_footer(result, broken=bool(np.isnan(drawn.positions).any()))
    high += write_footer(ax, words.POSITION, footer, left=left, points=points)
    if own:
        set_height(ax, high + d * _ROW)
    return ax


class _Drawn:
    """The finished trials: where their values stand along the rows, (n, d), and their objective."""

    def __init__(self, result: Configurations) -> None:
        rows = result.finished
        space, X = result.subject.space, result.X[rows]
        columns = [along(space[name], X[:, space.index(name)]) for name in result.names]
        self.positions: Array = np.array(columns).T.reshape(len(X), len(columns))
        self.trials, self.objective = result.trials[rows], result.objective[rows]
        self.cost = self.objective if result.direction == "minimize" else -self.objective
        self.chosen = [int(np.flatnonzero(self.trials == t)[0]) for t in result.highlighted]
        self.name = shorten(plain(result.objective_name), 40)


# ---------------------------------------------------------------------- scales


def _draw_scale(ax: Axes, parameter: Parameter, j: int, points: float) -> None:
    """Draw the line along which a hyperparameter's values lie, with its labels."""
    ax.plot([0.0, 1.0], [j, j], color=GREY, linewidth=0.8, alpha=0.6, zorder=1.0)
    shown = labels(parameter)
    if isinstance(parameter, CategoricalParameter):
        ax.plot(shown.at, np.full(len(shown.at), j), "|", color=GREY, markersize=6.0, zorder=1.1)
        room = points / max(len(shown.at) - 1, 1)
        if characters(room, _SMALL) < _LEAST_CHARACTERS:
            shown, room = shown.ends(), points / 2.0
    else:
        room = points / len(shown.at)
    # the names at the ends lie within the row, and so take twice the room on their side
    width = max(int(0.75 * characters(room, _SMALL)), 3)
    box = {"facecolor": ax.get_facecolor(), "alpha": 0.75, "linewidth": 0.0, "pad": 0.6}
    style: dict[str, Any] = {
        "va": "top",
        "fontsize": _SMALL,
        "color": ink(),
        "zorder": 5.0,
        "bbox": box,
    }
    texts = []
    for x, name in zip(shown.at, shown.texts, strict=True):
        side = "left" if x == 0.0 else "right" if x == 1.0 else "center"
        text, shift = shorten(name, width), (0.0, -4.0)
        texts.append(ax.annotate(text, (x, j), shift, textcoords="offset points", ha=side, **style))
    make_literal(texts)


# ---------------------------------------------------------------------- lines


def _draw_ranked(ax: Axes, drawn: _Drawn) -> list[tuple[Artist, str]]:
    """Draw all trials, the better the darker; return the entries of the legend."""
    best_first = np.argsort(drawn.cost, kind="stable")
    n = len(best_first)
    scale = np.empty(n)
    scale[best_first] = np.linspace(0.0, _WORST, n) if n > 1 else 0.0
    colors = colormaps["cividis"](scale)
    worst_first = best_first[::-1]
    _draw_lines(ax, drawn.positions[worst_first], colors[worst_first], linewidth=1.1, alpha=0.8)
    marks = [(0, "best"), (n // 2, "median"), (n - 1, "worst")]
    entries: list[tuple[Artist, str]] = []
    for k, label in (marks if n > 2 else marks[:1])[:n]:
        row = best_first[k]
        value = number(float(drawn.objective[row]), 3)
        line = line_mark(color=colors[row], linewidth=2.0)
        entries.append((line, f"{label}: {value} (trial {drawn.trials[row]})"))
    return entries


def _draw_chosen(ax: Axes, drawn: _Drawn) -> list[tuple[Artist, str]]:
    """Draw the chosen trials before grey others; return the entries of the legend."""
    positions, chosen = drawn.positions, drawn.chosen
    others = np.setdiff1d(np.arange(len(positions)), chosen)
    faint = 0.5 if len(others) <= 50 else 0.25
    _draw_lines(
        ax, positions[others], np.full((len(others), 4), [0.55, 0.55, 0.55, 1.0]),
        linewidth=0.8, alpha=faint,
    )  # fmt: skip
    entries: list[tuple[Artist, str]] = []
    for k, row in enumerate(chosen):
        (line,) = ax.plot(
            positions[row], np.arange(positions.shape[1]), marker="o", markersize=4.5,
            color=_COLORS[k % len(_COLORS)], linestyle=_STYLES[k // len(_COLORS)], linewidth=2.0,
            zorder=4.0, clip_on=False,
        )  # fmt: skip
        value = number(float(drawn.objective[row]), 3)
        entries.append((line, f"trial {drawn.trials[row]}: {drawn.name} {value}"))
    if len(others):
        entries.append((line_mark(color=GREY, alpha=0.6, linewidth=0.8), "other trials"))
    return entries


def _draw_lines(
    ax: Axes, positions: Array, colors: npt.NDArray[Any], *, linewidth: float, alpha: float
) -> None:
    """Draw a line per row of positions, and marks where a value has no neighbour."""
    d = positions.shape[1]
    rows = np.broadcast_to(np.arange(d, dtype=float), positions.shape)
    pixels = positions.size > _MOST_VECTORS
    segments = list(np.stack([positions, rows], axis=2))
    lines = LineCollection(segments, colors=colors, linewidths=linewidth, alpha=alpha, zorder=2.0)
    lines.set_clip_on(False)
    lines.set_rasterized(pixels)
    ax.add_collection(lines)
    known = np.pad(~np.isnan(positions), ((0, 0), (1, 1)))
    alone = known[:, 1:-1] & ~known[:, :-2] & ~known[:, 2:]
    if alone.any():
        ax.scatter(
            positions[alone], rows[alone], s=9.0, c=colors[np.nonzero(alone)[0]], alpha=alpha,
            linewidths=0.0, zorder=2.0, clip_on=False, rasterized=pixels,
        )  # fmt: skip
