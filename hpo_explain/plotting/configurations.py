"""The plot of configurations: where the trials lie, by hyperparameter and by pair, in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.configurations import Configurations
from hpo_explain.plotting._layout import MARGINS, characters, points_across
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import Panels, part_of, write_around
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._scales import along, labels
from hpo_explain.plotting._style import (
    BLUE,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    NotebookAxes,
    make_literal,
    new_axes,
)
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import Array, CategoricalParameter, Parameter
from hpo_explain.wording import configurations as words

MOST_NAMES = 6
_PANEL = 80.0  # points that a panel needs across
_BESIDE = 80.0  # points that labels left of the panels take
_BINS = 12
_MARGIN = 0.05  # of the length of an axis
_MOST_CATEGORIES = 8  # that have a label
_MOST_VECTORS = 2000  # points that are drawn as such
_SMALL = TEXT - 1.5
_LATEST = 0.9  # of the scale of colors, whose end is hardly seen on white
_SPREAD = 0.5  # of the distance of two values, over which trials at the same one are spread
_GOLDEN = 0.6180339887498949
_FEW_VALUES = 12
_GAP: dict[str, Any] = {
    "facecolor": "none", "edgecolor": "#b0b0b0", "hatch": "////", "linewidth": 0.0, "zorder": 0.5,
}  # fmt: skip
_STAR: dict[str, Any] = {
    "linestyle": "none", "marker": "*", "markersize": 11.0, "color": ORANGE, "zorder": 4.0,
    "markeredgewidth": 0.6,
}  # fmt: skip
_MARKS: dict[str, dict[str, Any]] = {
    "infeasible": {"marker": "x", "color": PURPLE},
    "failed": {"marker": "x", "color": RED},
    "pruned": {"marker": "|", "color": PURPLE},
    "running": {"marker": ">", "color": BLUE},
    "waiting": {"marker": ">", "color": GREY},
}
_COLORS = (
    RED,
    BLUE,
    PURPLE,
    "#009E73",
    ORANGE,
    "#56B4E9",
    "#000000",
    "#8c564b",
    "#999933",
    "#882255",
)


@draws(Configurations)
def plot_configurations(
    result: Configurations, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw where the trials lie: a histogram per hyperparameter, and a panel per pair.

    A point is a trial, the later the brighter; crosses and bars are trials that failed, were
    pruned or are infeasible. Hatched ranges were hardly tried. Trials at the same whole number or
    category are spread a little. Highlighted trials are larger, in colors of their own.

    Parameters
    ----------
    result : Configurations
        The configurations.
    ax : matplotlib.axes.Axes, optional
        Where to draw: it is replaced by the panels. By default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first histogram. At most six hyperparameters are drawn, fewer where there
        is less room; a line under the plot says how many are left.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> run = hx.Run(space, space.sample(9), range(9), "minimize")
    >>> figure = plot_configurations(hx.configurations(run)).figure
    >>> sum(panel.axison for panel in figure.axes)
    3
    """
    panels, k = _new_panels(ax, result, width)
    drawn = result.names[:k]
    space = result.subject.space
    parameters = [space[name] for name in drawn]
    columns = [_spread(result, parameter) for parameter in parameters]
    limits = [_limits(parameter) for parameter in parameters]
    entries: list[tuple[Artist, str]] = []
    for i in range(k):
        for j in range(k):
            panel = panels.axes[i * k + j]
            if j > i:
                panel.set_axis_off()
            elif i == j:
                _draw_counts(panel, result, parameters[i])
            else:
                entries = _draw_pair(panel, result, columns[j], columns[i])
                panel.set_ylim(limits[i])
            panel.set_xlim(limits[j])
    if k == 1:
        entries = []
    cut = abbreviated(map(plain, drawn), max(8, characters(panels.width, 1.05 * TEXT)))
    for i in range(k):
        _label_x(panels.axes[(k - 1) * k + i], parameters[i], cut[i])
        if i:
            _label_y(panels.axes[i * k], parameters[i], cut[i])
    gaps = any(result.untried(name) for name in drawn)
    inactive = bool(np.isnan(result.X[:, [space.index(name) for name in drawn]]).any())
    left_out = len(result.names) - k
    write_around(
        panels, heading=words.heading(result), subtitle=words.subtitle(result), legend=entries,
        x_label="", y_label="",
        footer=words.footer(left_out, inactive=inactive, gaps=gaps),
    )  # fmt: skip
    for i in range(k):  # the text around has taken them away
        _name(panels.axes[(k - 1) * k + i].xaxis, cut[i])
    return panels.axes[0]


def _new_panels(ax: Axes | None, result: Configurations, width: float) -> tuple[Panels, int]:
    """Return k × k panels, and k."""
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    across = points_across(ax)
    k = max(1, min(len(result.names), MOST_NAMES, int((across - _BESIDE) / _PANEL)))
    part = part_of(ax)
    grid = part.subplots(k, k, squeeze=False, subplot_kw={"axes_class": NotebookAxes}).ravel()
    for panel in grid:
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xticks([])
        panel.set_yticks([])
    return Panels(part, tuple(grid), k, across - MARGINS, own), k


# ---------------------------------------------------------------------- values


def _spread(result: Configurations, parameter: Parameter) -> Array:
    """Return where each trial's value stands; those at the same of few values beside each other."""
    column = result.subject.space.index(parameter.name)
    places = along(parameter, result.X[:, column])
    size = parameter.size
    if size is None or size > _FEW_VALUES:
        return places
    turns = (np.arange(len(places)) * _GOLDEN + 0.5 * column) % 1.0 - 0.5
    return np.asarray(places + _SPREAD * turns / max(size - 1, 2))


def _limits(parameter: Parameter) -> tuple[float, float]:
    """Return the ends of an axis: a little beyond those of the bars."""
    edges = _edges(parameter)
    margin = _MARGIN * (edges[-1] - edges[0])
    return float(edges[0] - margin), float(edges[-1] + margin)


def _edges(parameter: Parameter) -> Array:
    """Return the edges of the bars of a histogram: one for each of few values."""
    size = parameter.size
    if isinstance(parameter, CategoricalParameter):
        at = along(parameter, np.arange(parameter.size, dtype=float))
    elif size is not None and size <= _FEW_VALUES:
        at = np.asarray(parameter.from_latent((np.arange(size) + 0.5) / size))
    else:
        return np.linspace(0.0, 1.0, _BINS + 1)
    half = 0.5 / max(len(at) - 1, 1)
    middle = (at[1:] + at[:-1]) / 2.0
    return np.concatenate([[at[0] - half], middle, [at[-1] + half]])


def _draw_counts(panel: Axes, result: Configurations, parameter: Parameter) -> None:
    """Draw how many finished trials lie where, and hatch what was hardly tried."""
    column = result.X[result.finished, result.subject.space.index(parameter.name)]
    places = along(parameter, column[~np.isnan(column)])
    edges = _edges(parameter)
    counts, _ = np.histogram(places, edges)
    panel.bar(
        edges[:-1], counts, np.diff(edges), align="edge", color=GREY, alpha=0.75,
        edgecolor="white", linewidth=0.6,
    )  # fmt: skip
    for low, high in result.untried(parameter.name):
        ends = along(parameter, np.asarray(parameter.encode([low, high]), dtype=float))
        # what counts as near a value of a grid that is finer than the bars
        half = 0.0 if parameter.size is None else 0.4 / max(parameter.size - 1, 2)
        panel.axvspan(float(ends[0]) - half, float(ends[1]) + half, **_GAP)
    most = int(counts.max(initial=0))
    panel.set_ylim(0.0, 1.15 * max(most, 1))
    if most:
        panel.set_yticks([most])
        panel.tick_params(labelsize=_SMALL, length=2.0)


def _draw_pair(panel: Axes, result: Configurations, x: Array, y: Array) -> list[tuple[Artist, str]]:
    """Draw the trials by two hyperparameters; return the entries of the legend."""
    states = np.array(result.states, dtype=object)
    finished = states == "finished"
    n = int(finished.sum())
    entries: list[tuple[Artist, str]] = []
    if n:
        shades = colormaps["cividis"](np.linspace(0.0, _LATEST, n))
        panel.scatter(
            x[finished], y[finished], s=14.0 if n <= 300 else 6.0, c=shades, linewidths=0.0,
            alpha=0.85, zorder=2.0, rasterized=n > _MOST_VECTORS,
        )  # fmt: skip
        numbers = result.trials[finished]
        ends = ((words.FIRST, 0), (words.LAST, n - 1))[: min(n, 2)]
        for label, place in ends:
            dot = line_mark(linestyle="none", marker="o", markersize=5.0, color=shades[place])
            entries.append((dot, words.trial(label, int(numbers[place]))))
    for kind, style in _MARKS.items():
        rows = states == kind
        if rows.any():
            (mark,) = panel.plot(
                x[rows], y[rows], linestyle="none", markersize=4.5, zorder=2.5, **style
            )
            entries.append((mark, words.of_kind(kind, int(rows.sum()))))
    for place, trial in enumerate(result.highlighted):
        row = result.trials == trial
        (mark,) = panel.plot(
            x[row], y[row], linestyle="none", marker="D", markersize=7.0, zorder=3.5,
            markerfacecolor="none", markeredgewidth=1.8, color=_COLORS[place],
        )  # fmt: skip
        entries.append((mark, words.trial(words.HIGHLIGHTED, trial)))
    best = result.incumbent_trial
    if best is not None:
        row = result.trials == best
        (star,) = panel.plot(x[row], y[row], markeredgecolor=ink(), **_STAR)
        entries.append((star, words.trial(words.BEST, best)))
    return entries


# ---------------------------------------------------------------------- labels


def _shown(parameter: Parameter, most: int) -> tuple[tuple[float, ...], tuple[str, ...]]:
    found = labels(parameter)
    if isinstance(parameter, CategoricalParameter):
        found = found if len(found.at) <= _MOST_CATEGORIES else found.ends()
    else:
        found = found.ends()
    return found.at, tuple(shorten(text, most) for text in found.texts)


def _label_x(panel: Axes, parameter: Parameter, name: str) -> None:
    at, texts = _shown(parameter, 12)
    category = isinstance(parameter, CategoricalParameter)
    panel.set_xticks(at, texts, fontsize=_SMALL, rotation=90 if category else 0)
    panel.tick_params(axis="x", length=2.0)
    ticks = panel.get_xticklabels()
    if not category and len(ticks) == 2:
        ticks[0].set_horizontalalignment("left")
        ticks[1].set_horizontalalignment("right")
    make_literal(ticks)
    _name(panel.xaxis, name)


def _label_y(panel: Axes, parameter: Parameter, name: str) -> None:
    at, texts = _shown(parameter, 10)
    panel.set_yticks(at, texts, fontsize=_SMALL)
    panel.tick_params(axis="y", length=2.0)
    make_literal(panel.get_yticklabels())
    _name(panel.yaxis, name)


def _name(axis: Any, name: str) -> None:
    axis.set_label_text(name, fontsize=TEXT)
    make_literal([axis.label])
