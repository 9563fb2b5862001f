"""Plots of regions: the partial dependence in each, and the curves of ŝ that they differ in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import counted
from hpo_explain.base.width import shorten
from hpo_explain.explanations.regional import Region, RegionalPartialDependence
from hpo_explain.methods.effects.effect_show import MOST_CURVES
from hpo_explain.plotting._axes import (
    HEIGHT,
    INCUMBENT,
    Effect,
    Room,
    broken_line,
    counted_categories,
    draw_numbers,
    draw_rows,
    draw_surface,
    set_ticks,
    write_words,
)
from hpo_explain.plotting._drawn_effect import as_drawn
from hpo_explain.plotting._heatmap import draw_scale, names_along_x, names_along_y
from hpo_explain.plotting._layout import (
    MARGINS,
    characters,
    fit_text,
    label_points,
    points_across,
    shorten_upright,
    sides,
    write_y_label,
)
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._panels import HIGH, Panels, new_panels
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    HEADING,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import plain
from hpo_explain.wording import regional as words
from hpo_explain.wording.plots import not_shown

MOST_REGIONS = 9
_ROW = 17.0  # points, of a category
_TITLE_LINES = 4
_NAME_LINES = 2
_INCUMBENT_PAPER = "#fff4de"
_LINES: tuple[tuple[str, Any], ...] = (
    (BLUE, "-"),
    (GREEN, (0, (4, 1))),
    (PURPLE, (0, (1, 1))),
    (RED, (0, (5, 1, 1, 1))),
)


@draws(RegionalPartialDependence)
def plot_regions(
    result: RegionalPartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the partial dependence in every region, on shared axes, the incumbent's first.

    Titles are the regions' conditions and their share of the space; the incumbent's region is
    tinted. Effects are dimmed where hardly anything was tried in the region. At most nine regions
    are drawn.

    Parameters
    ----------
    result : RegionalPartialDependence
        The regions.
    ax : matplotlib.axes.Axes, optional
        Where to draw: it is replaced by axes for each region. By default a new figure (unknown
        to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first region.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Figures 5 and 7. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1) * [1.0, 0.5]
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> explainer = hx.RegionalPartialDependenceExplainer(surrogate, sample=100, max_depth=1)
    >>> len(plot_regions(explainer.explain("x")).figure.axes)
    2
    """
    regions = _largest(result)
    panels = new_panels(ax, len(regions), width=width)
    axes, columns = panels.axes, panels.columns
    whole = as_drawn(result.whole, curves=False)
    _draw_panels(axes, regions, whole)
    points = (panels.across - MARGINS - label_points(axes[0])) / columns - TEXT
    named = 0.0
    for panel in axes[-columns:]:
        label = shorten(_along(whole, 0), _NAME_LINES * characters(points))
        panel.set_xlabel("", fontsize=TEXT)
        named = max(named, fit_text(panel, panel.xaxis.label, label, points))
    lines = [_write_title(p, r, result, points) for p, r in zip(axes, regions, strict=True)]
    height = max(HIGH, _ROW * len(whole.axes[0])) if _is_rows(whole) else HIGH
    footer = _write_around(panels, result, whole, panels.rows * height)
    if panels.own:
        titles = sum(max(lines[k : k + columns]) for k in range(0, len(lines), columns))
        high = panels.rows * (height + TEXT) + 1.3 * TEXT * (titles + 1 + footer)
        set_height(axes[0], high + named + 2.0 * HEADING)
    return axes[0]


@draws(RegionalPartialDependence, "ice")
def plot_region_ice(
    result: RegionalPartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw how ŝ of single configurations varies, in the color of the region they are in.

    Dark lines are ŝ_S of each region. Regions whose curves lie apart are what the splits found.

    Parameters
    ----------
    result : RegionalPartialDependence
        The regions, of one hyperparameter.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in the user's units.

    Raises
    ------
    ValueError
        If the regions are those of a pair.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Figure 4. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1) * [1.0, 0.5]
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> explainer = hx.RegionalPartialDependenceExplainer(surrogate, sample=100, max_depth=1)
    >>> plot_region_ice(explainer.explain("x")).get_ylabel()
    'ŝ: std of the predicted objective'
    """
    if len(result.names) != 1:
        problem = f"must be of one hyperparameter, but is of {' and '.join(result.names)}"
        raise InputError("result", problem, result, "Explain one of them, or use result.plot().")
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    whole = as_drawn(result.whole, curves=False)
    values = whole.axes[0]
    x = np.array(range(len(values)) if whole.categorical[0] else values, dtype=np.float64)
    regions, entries = _largest(result), []
    for k in reversed(range(len(regions))):  # the incumbent's on top
        color, style = _LINES[k] if k < len(_LINES) else (GREY, "-")
        effect = regions[k].effect
        curves = effect.ice_std[: max(5, MOST_CURVES // len(regions))]
        ax.plot(*broken_line(x, curves), color=color, alpha=0.3, linewidth=0.6, zorder=1.0)
        ax.plot(x, effect.std, color=color, linestyle=style, linewidth=2.2, zorder=3.0)
    for k, region in enumerate(regions[: len(_LINES)]):
        color, style = _LINES[k]
        label = f"{shorten(_title(region, result), 90)} ({region.weight:.0%})"
        entries.append((line_mark(color=color, linestyle=style, linewidth=2.2), label))
    if len(regions) > len(_LINES):
        more = counted(len(result.regions) - len(_LINES), "other region")
        entries.append((line_mark(color=GREY, linewidth=2.2), more))
    if whole.incumbent is not None:
        ax.axvline(whole.place(0, whole.incumbent[0]), zorder=2.5, **INCUMBENT)
        entries.append((line_mark(**INCUMBENT), "incumbent"))
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    write_y_label(ax, words.ice_label(whole.predicted), points=0.95 * HEIGHT)
    left, across = sides(ax, label=2.0 * TEXT)
    height = HEIGHT
    if whole.categorical[0]:
        height += names_along_x(ax, values, points=across)
    else:
        set_ticks(ax, whole)
    high = write_words(
        ax,
        Room(height, left, across, whole.axis_labels[0]),
        heading=words.ice_heading(whole.labels[0]),
        subtitle=words.ICE_SUBTITLE,
        footer=words.ICE_CAPTION,
        legend=entries,
    )
    if own:
        set_height(ax, high)
    return ax


# ---------------------------------------------------------------------- panels


def _draw_panels(panels: Sequence[Axes], regions: Sequence[Region], whole: Effect) -> None:
    """Draw each region's effect in its panel, all to the same scales."""
    drawn = [as_drawn(region.effect, curves=False) for region in regions]
    if len(whole.names) == 2:
        low = float(min(np.nanmin(effect.mean) for effect in drawn))
        high = float(max(np.nanmax(effect.mean) for effect in drawn))
        for panel, effect in zip(panels, drawn, strict=True):
            mesh = draw_surface(panel, effect, low=low, high=high)
            if whole.categorical[0]:
                names_along_x(panel, whole.axes[0], points=points_across(panel) - MARGINS)
            if whole.categorical[1]:
                names_along_y(panel, whole.axes[1], points=0.3 * points_across(panel))
        draw_scale(mesh, panels, label=whole.predicted)
        return
    for panel, effect in zip(panels, drawn, strict=True):
        if not _is_rows(whole):
            draw_numbers(panel, effect, ticks=5)
            continue
        shown = whole.shown()
        draw_rows(panel, effect, shown)
        labels = counted_categories(replace(whole, tried=()), shown)
        names_along_y(panel, labels, points=0.3 * points_across(panel))


def _is_rows(whole: Effect) -> bool:
    return len(whole.names) == 1 and whole.categorical[0]


def _along(whole: Effect, k: int) -> str:
    """Return the label of the x axis (0) or of the y axis (1)."""
    if len(whole.names) == 2:
        return whole.axis_labels[k]
    return (whole.axis_labels[0], whole.predicted)[k != _is_rows(whole)]


def _write_title(
    panel: Axes, region: Region, result: RegionalPartialDependence, points: float
) -> int:
    """Write a region's conditions and weight over its panel; return the number of lines."""
    mine = result.is_incumbents(region)
    weight = "bold" if mine else "normal"
    title = panel.set_title("", loc="left", fontsize=TEXT, fontweight=weight, y=1.0)
    text = shorten(_title(region, result), _TITLE_LINES * characters(points))
    fit_text(panel, title, f"{text}\n{words.share(region)}", points)
    if mine:
        panel.set_facecolor(_INCUMBENT_PAPER)
    return title.get_text().count("\n") + 1


def _write_around(
    panels: Panels, result: RegionalPartialDependence, whole: Effect, high: float
) -> int:
    """Write heading, y label (of so many points) and footer, of which the lines are returned."""
    part, first, points = panels.part, panels.axes[0], panels.across - MARGINS
    text = words.caption(result, points=whole.as_points, rows=_is_rows(whole))
    text += not_shown(len(result.regions) - MOST_REGIONS, *words.SMALLER)
    title = part.suptitle("", x=0.01, ha="left", fontsize=HEADING, fontweight="bold", color=ink())
    fit_text(first, title, words.heading(whole.labels, whole.objective), points)
    below = part.supxlabel(
        "", x=0.01, ha="left", fontsize=TEXT - 1.0, fontweight="normal", color=GREY
    )
    fit_text(first, below, text, points)
    beside = part.supylabel("", fontsize=TEXT, fontweight="normal", color=ink())
    shorten_upright(first, beside, _along(whole, 1), high)
    return below.get_text().count("\n") + 1


# ---------------------------------------------------------------------- regions


def _largest(result: RegionalPartialDependence) -> list[Region]:
    """Return the incumbent's region and then the largest others."""
    return sorted(result.regions, key=lambda r: (not result.is_incumbents(r), -r.weight))[
        :MOST_REGIONS
    ]


def _title(region: Region, result: RegionalPartialDependence) -> str:
    return words.title(plain(region.label), incumbents=result.is_incumbents(region))
