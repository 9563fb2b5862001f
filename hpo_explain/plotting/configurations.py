"""The plot of all configurations of a run: parallel coordinates, a row per hyperparameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from hpo_explain._words import spans
from hpo_explain.errors import InputError
from hpo_explain.plotting._layout import (
    characters,
    points_across,
    sides,
    write_footer,
    write_header,
    write_legend,
)
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    ink,
    make_literal,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, plain, shorten
from hpo_explain.run import Run
from hpo_explain.space import Array, CategoricalParameter, FloatParameter, IntParameter
from hpo_explain.wording import configurations as words
from hpo_explain.wording.numbers import number

_ROW = 32.0  # points, of a hyperparameter
_SMALL = TEXT - 1.5
_MOST_VECTORS = 20_000  # corners of lines beyond which they are drawn as pixels
_LEAST_CHARACTERS = 4  # of a category's name; with less room only the first and the last has one
_COLORS = (RED, BLUE, GREEN, ORANGE, PURPLE)
_STYLES: tuple[Any, ...] = ("-", (0, (4, 1.5)))
_WORST = 0.92  # of the scale of colors, whose end is hardly seen on white


def plot_configurations(
    run: Run, *, highlight: Sequence[int] = (), ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw every trial as a line through its values, a row per hyperparameter.

    Parallel coordinates whose axes are rows: values run from left to right on the hyperparameter's
    own scale, with the ends of its range in the user's units and categories by name. The darker a
    line, the better its objective; with `highlight` the others are grey. Lines are broken where
    a hyperparameter is inactive.

    Parameters
    ----------
    run : Run
        The run; all its trials are drawn, the initial design included.
    highlight : sequence of int, default ()
        Numbers of at most ten trials that are drawn in colors of their own.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: position in [0, 1] by hyperparameter.

    Raises
    ------
    ValueError
        If a trial of `highlight` does not exist, or they are more than ten.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figures 13 and 14.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> ax = plot_configurations(run, highlight=[3])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['trial 3: objective 2', 'other trials']
    """
    chosen = _rows_of(run, highlight)
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    positions = _positions(run)
    d, across = len(run.space), points_across(ax)
    labels = abbreviated(map(plain, run.space.names), characters(0.3 * across))
    ax.set_yticks(np.arange(d), labels, fontsize=TEXT)
    ax.set_ylim(d - 0.4, -0.4)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0.0)
    make_literal(ax.get_yticklabels())
    ax.spines[["top", "left", "right", "bottom"]].set_visible(False)
    left, points = sides(ax)
    for j in range(d):
        _draw_scale(ax, run.space.parameters[j], j, points)
    if chosen:
        entries = _draw_chosen(ax, run, positions, chosen)
    else:
        entries = _draw_ranked(ax, run, positions)
    high = write_legend(ax, entries, left=left, points=left + points)
    high += write_header(
        ax, words.heading(run), words.subtitle(run), above=high, left=left, points=left + points
    )
    footer = words.footer(broken=bool(np.isnan(positions).any()))
    high += write_footer(ax, "position within the range", footer, left=left, points=points)
    if own:
        set_height(ax, high + d * _ROW)
    return ax


def _rows_of(run: Run, highlight: Sequence[int]) -> list[int]:
    """Return the rows of the highlighted trials, each once."""
    place = {trial: i for i, trial in enumerate(np.asarray(run.trials).tolist())}
    for trial in highlight:
        if trial not in place:
            raise InputError(
                "highlight",
                f"must name trials of the run, but trial {trial!r} does not exist",
                trial,
                f"Finished trials: {spans(run.trials)}.",
            )
    rows = list(dict.fromkeys(place[trial] for trial in highlight))
    most = len(_COLORS) * len(_STYLES)
    if len(rows) > most:
        raise InputError(
            "highlight",
            f"must name at most {most} trials, which can be told apart, but named {len(rows)}",
            highlight,
            "Name fewer.",
        )
    return rows


def _positions(run: Run) -> Array:
    """Return where the values stand along their rows, (n, d), in [0, 1]."""
    positions = np.array(run.X, dtype=float)
    for j, parameter in enumerate(run.space.parameters):
        if isinstance(parameter, CategoricalParameter):
            # one choice alone stands in the middle
            positions[:, j] = _spaced(positions[:, j], parameter.size)
    return positions


def _spaced(codes: Array, size: int) -> Array:
    return codes / (size - 1) if size > 1 else codes + 0.5


# ---------------------------------------------------------------------- scales


def _draw_scale(
    ax: Axes, parameter: FloatParameter | IntParameter | CategoricalParameter, j: int,
    points: float,
) -> None:  # fmt: skip
    """Draw the line along which a hyperparameter's values lie, with its labels."""
    ax.plot([0.0, 1.0], [j, j], color=GREY, linewidth=0.8, alpha=0.6, zorder=1.0)
    if isinstance(parameter, CategoricalParameter):
        at = _spaced(np.arange(parameter.size, dtype=float), parameter.size)
        names = [plain(choice) for choice in parameter.choices]
        room = points / max(len(names) - 1, 1)
        ax.plot(at, np.full(len(at), j), "|", color=GREY, markersize=6.0, zorder=1.1)
        if characters(room, _SMALL) < _LEAST_CHARACTERS:
            at, names, room = at[[0, -1]], [names[0], names[-1]], points / 2.0
    else:
        at = np.array([0.0, 0.5, 1.0]) if parameter.log else np.array([0.0, 1.0])
        names = [
            str(value) if isinstance(value, int) else number(value)
            for value in parameter.decode(at)
        ]
        room = points / len(at)
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
    for x, name in zip(at.tolist(), names, strict=True):
        side = "left" if x == 0.0 else "right" if x == 1.0 else "center"
        text, shift = shorten(name, width), (0.0, -4.0)
        texts.append(ax.annotate(text, (x, j), shift, textcoords="offset points", ha=side, **style))
    make_literal(texts)


# ---------------------------------------------------------------------- lines


def _draw_ranked(ax: Axes, run: Run, positions: Array) -> list[tuple[Artist, str]]:
    """Draw all trials, the better the darker; return the entries of the legend."""
    best_first = np.argsort(run.cost, kind="stable")
    n = len(best_first)
    scale = np.empty(n)
    scale[best_first] = np.linspace(0.0, _WORST, n) if n > 1 else 0.0
    colors = colormaps["cividis"](scale)
    worst_first = best_first[::-1]
    _draw_lines(ax, positions[worst_first], colors[worst_first], linewidth=1.1, alpha=0.8)
    marks = [(0, "best"), (n // 2, "median"), (n - 1, "worst")]
    entries: list[tuple[Artist, str]] = []
    for k, label in (marks if n > 2 else marks[:1])[:n]:
        row = best_first[k]
        value = number(float(run.objective[row]), 3)
        line = Line2D([], [], color=colors[row], linewidth=2.0)
        entries.append((line, f"{label}: {value} (trial {run.trials[row]})"))
    return entries


def _draw_chosen(
    ax: Axes, run: Run, positions: Array, chosen: Sequence[int]
) -> list[tuple[Artist, str]]:
    """Draw the chosen trials before grey others; return the entries of the legend."""
    others = np.setdiff1d(np.arange(len(positions)), chosen)
    faint = 0.5 if len(others) <= 50 else 0.25
    _draw_lines(
        ax, positions[others], np.full((len(others), 4), [0.55, 0.55, 0.55, 1.0]),
        linewidth=0.8, alpha=faint,
    )  # fmt: skip
    name = shorten(plain(run.objective_name), 40)
    entries: list[tuple[Artist, str]] = []
    for k, row in enumerate(chosen):
        (line,) = ax.plot(
            positions[row], np.arange(positions.shape[1]), marker="o", markersize=4.5,
            color=_COLORS[k % len(_COLORS)], linestyle=_STYLES[k // len(_COLORS)], linewidth=2.0,
            zorder=4.0, clip_on=False,
        )  # fmt: skip
        value = number(float(run.objective[row]), 3)
        entries.append((line, f"trial {run.trials[row]}: {name} {value}"))
    if len(others):
        entries.append((Line2D([], [], color=GREY, alpha=0.6, linewidth=0.8), "other trials"))
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
