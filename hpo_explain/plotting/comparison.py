"""The plots of several runs: what matters in each, and the effects in each."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.comparison import Comparison
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import new_panels, write_around, write_titles
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, FILLS, GREEN, GREY, ORANGE, PURPLE, RED, WIDTH
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.space import CategoricalParameter
from hpo_explain.wording import comparison as words
from hpo_explain.wording.plots import smaller

_MOST_PANELS = 6
_MOST_LINES = 6  # runs up to which each has a color and a place in the legend
_COLORS = (BLUE, ORANGE, GREEN, PURPLE, RED, GREY)
_POINT: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 4.0, "color": ORANGE,
    "markeredgecolor": "black", "markeredgewidth": 0.5,
}  # fmt: skip
_BARS = 0.16  # of the height of a panel, under its curves


@draws(Comparison)
def plot_comparison(result: Comparison, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the mean share of each hyperparameter, the spread over the runs, and each run.

    Parameters
    ----------
    result : Comparison
        The runs.
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
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {str(k): hx.Run(space, X, X[:, 0] ** k, "minimize") for k in (1, 2)}
    >>> plot_comparison(hx.compare(runs)).get_title(loc="left")
    'What matters in 2 runs'
    """
    mean = result.shares.mean(axis=0)
    order = np.argsort(-mean, kind="stable").tolist()
    rows = tuple(
        Row((result.names[j],), (float(mean[j]),), (_whisker(mean[j], result.spread[j]),))
        for j in order[:MOST_ROWS]
    )
    rest = [shorten(plain(result.names[j]), 24) for j in order[MOST_ROWS:]]
    reach = float(max(result.shares.max(), (mean + result.spread).max()))
    drawn = draw_bars(
        Bars(
            rows=rows,
            heading=words.heading(result),
            subtitle=shorten(plain(words.subtitle(result)), 200),
            label=words.SHARES_LABEL,
            footer=words.footer(result) + smaller(rest),
            percent=True,
            positive=True,
        ),
        ax=ax,
        width=width,
        legend=[(FILLS[0].patch(), words.MEAN), (line_mark(**_POINT), words.EACH_RUN)],
    )
    for row, j in enumerate(order[:MOST_ROWS]):
        shares = result.shares[:, j]
        beside = np.linspace(-0.22, 0.22, len(shares))
        drawn.plot(shares, row + beside, zorder=4, **_POINT)
    drawn.set_xlim(0.0, 1.04 * reach if reach > 0.0 else 1.0)
    return drawn


def _whisker(mean: float, std: float) -> tuple[float, float]:
    return min(float(std), float(mean)), float(std)


@draws(Comparison, "effects")
def plot_effects(result: Comparison, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw each hyperparameter's effect in each run, and where the optimizers went.

    Parameters
    ----------
    result : Comparison
        The runs.
    ax : matplotlib.axes.Axes, optional
        Axes that the panels replace; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first hyperparameter.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> runs = {str(k): hx.Run(space, X, X[:, 0] ** k, "minimize") for k in (1, 2)}
    >>> len(plot_effects(hx.compare(runs)).lines) >= 2
    True
    """
    order = np.argsort(-result.shares.mean(axis=0), kind="stable").tolist()
    shown = order[:_MOST_PANELS]
    panels = new_panels(ax, len(shown), width=width, same_x=False)
    several = len(result.runs) > _MOST_LINES
    for panel, j in zip(panels.axes, shown, strict=True):
        _draw_effect(panel, result, j, pale=several)
    low = min(0.0, *(float(np.nanmin(result.effects[j])) for j in shown))
    high = max(1.0, *(float(np.nanmax(result.effects[j])) for j in shown))
    under = low - _BARS * (high - low)
    for panel, j in zip(panels.axes, shown, strict=True):
        _draw_went(panel, result, j, under, low, pale=several)
        panel.set_ylim(under - 0.02 * (high - low), high + 0.05 * (high - low))
    write_titles(panels, [plain(result.names[j]) for j in shown])
    names = abbreviated(map(plain, result.names), 24)
    write_around(
        panels,
        heading=words.effects_heading(result),
        subtitle=words.EFFECTS_SUBTITLE,
        legend=_legend(result, pale=several),
        x_label="",
        y_label=words.EFFECT_LABEL,
        footer=words.effects_footer([names[j] for j in order[_MOST_PANELS:]]),
    )
    return panels.axes[0]


def _legend(result: Comparison, *, pale: bool) -> list[tuple[Artist, str]]:
    if pale:
        entries = [(_line(GREY, 0.8), words.EACH_RUN)]
    else:
        names = abbreviated(map(plain, result.runs), 30)
        entries = [(_line(_COLORS[r], 1.4), name) for r, name in enumerate(names)]
    return [*entries, (_line(ink(), 2.2), words.MEAN)]


def _line(color: str, width: float) -> Artist:
    return line_mark(color=color, linewidth=width)


def _draw_effect(panel: Axes, result: Comparison, j: int, *, pale: bool) -> None:
    x, parameter = _places(result, j), result.subject.space.parameters[j]
    points = isinstance(parameter, CategoricalParameter)
    style: dict[str, Any] = {"marker": "o", "markersize": 3.5} if points else {}
    if getattr(parameter, "log", False):
        make_log(panel, 0, result.grid[j], most=4)
    for r, effect in enumerate(result.effects[j]):
        color = GREY if pale else _COLORS[r]
        panel.plot(
            x, effect, color=color, linewidth=0.8 if pale else 1.4,
            alpha=0.6 if pale else 1.0, **style,
        )  # fmt: skip
    panel.plot(x, result.effects[j].mean(axis=0), color=ink(), linewidth=2.2, **style)
    if points:
        panel.set_xticks(x, abbreviated([plain(str(v)) for v in result.grid[j]], 10), fontsize=8)


def _places(result: Comparison, j: int) -> Any:
    if isinstance(result.subject.space.parameters[j], CategoricalParameter):
        return np.arange(len(result.grid[j]))
    return np.asarray(result.grid[j], dtype=float)


def _draw_went(
    panel: Axes, result: Comparison, j: int, low: float, high: float, *, pale: bool
) -> None:
    """Draw where the later trials of each run lie, as bars between two heights."""
    parameter = result.subject.space.parameters[j]
    if isinstance(parameter, CategoricalParameter):
        return
    heights = low + (np.arange(len(result.runs))[::-1] + 0.5) / len(result.runs) * 0.8 * (
        high - low
    )
    for r, height in enumerate(heights.tolist()):
        quartiles = result.went[r, j]
        if np.isnan(quartiles).any():
            continue
        ends = parameter.decode(np.clip(quartiles[[0, 2]], 0.0, 1.0))
        thick = min(3.0, 20.0 / len(heights))
        color = GREY if pale else _COLORS[r]
        panel.plot(ends, [height, height], color=color, linewidth=thick, solid_capstyle="butt")
