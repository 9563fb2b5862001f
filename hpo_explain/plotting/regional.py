"""Plots of regions: a partial dependence in each, and the curves of ŝ that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from hpo_explain._words import counted
from hpo_explain.explanations import Region, RegionalPartialDependence
from hpo_explain.plotting._axes import (
    HEIGHT,
    INCUMBENT,
    Effect,
    Room,
    are_points,
    broken_line,
    counted_categories,
    draw_numbers,
    draw_rows,
    draw_surface,
    write_words,
)
from hpo_explain.plotting._heatmap import draw_scale, names_along_x, names_along_y
from hpo_explain.plotting._layout import (
    MARGINS,
    characters,
    fit_text,
    label_points,
    points_across,
    shorten_upright,
    write_y_label,
)
from hpo_explain.plotting._log_axis import make_log
from hpo_explain.plotting._panels import part_of
from hpo_explain.plotting._style import (
    BLUE,
    GREEN,
    GREY,
    HEADING,
    PURPLE,
    RED,
    TEXT,
    WIDTH,
    NotebookAxes,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import not_shown, plain, shorten
from hpo_explain.plotting.partial_dependence import MOST_CURVES, as_drawn, band_caption

MOST_REGIONS = 9
_PANEL = 165.0  # points that a panel needs across
_HIGH = 105.0  # points, of a panel
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


def plot_regions(
    result: RegionalPartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the partial dependence in every region, on shared axes, the incumbent's first.

    Titles are the regions' conditions and their share of the space; the incumbent's region is
    tinted. Bands are hatched where they are wider than the effect over the whole space. At most
    nine regions are drawn.

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
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    regions = _largest(result)
    across = points_across(ax)
    rows = -(-len(regions) // max(1, min(3, int(across / _PANEL))))
    columns = -(-len(regions) // rows)
    part = part_of(ax)
    grid = part.subplots(
        rows, columns, sharex=True, sharey=True, squeeze=False,
        subplot_kw={"axes_class": NotebookAxes},
    ).ravel()  # fmt: skip
    panels: list[Axes] = list(grid[: len(regions)])
    for empty in grid[len(regions) :]:
        empty.remove()
    whole = as_drawn(result.whole, curves=False)
    _draw_panels(panels, regions, whole)
    points = (across - MARGINS - label_points(panels[0])) / columns - TEXT
    named = 0.0
    for k, panel in enumerate(panels):
        panel.tick_params(labelbottom=k + columns >= len(panels))
        if k + columns >= len(panels):
            label = shorten(_along(whole, 0), _NAME_LINES * characters(points))
            panel.set_xlabel("", fontsize=TEXT)
            named = max(named, fit_text(panel, panel.xaxis.label, label, points))
    lines = [_write_title(p, r, result, points) for p, r in zip(panels, regions, strict=True)]
    height = max(_HIGH, _ROW * len(whole.axes[0])) if _is_rows(whole) else _HIGH
    footer = _write_around(part, result, whole, across, rows * height)
    if own:
        titles = sum(max(lines[k : k + columns]) for k in range(0, len(lines), columns))
        high = rows * (height + TEXT) + 1.3 * TEXT * (titles + 1 + footer) + named + 2.0 * HEADING
        set_height(panels[0], high)
    return panels[0]


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
        raise ValueError(
            f"result must be of one hyperparameter, but is of {' and '.join(result.names)}. "
            "Explain one of them, or use plot_regions."
        )
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
        entries.append((Line2D([], [], color=color, linestyle=style, linewidth=2.2), label))
    if len(regions) > len(_LINES):
        more = counted(len(result.regions) - len(_LINES), "other region")
        entries.append((Line2D([], [], color=GREY, linewidth=2.2), more))
    if whole.incumbent is not None:
        ax.axvline(whole.place(0, whole.incumbent[0]), zorder=2.5, **INCUMBENT)
        entries.append((Line2D([], [], **INCUMBENT), "incumbent"))
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    write_y_label(ax, f"ŝ: std of the {whole.predicted}", points=0.95 * HEIGHT)
    left = label_points(ax) + 2.0 * TEXT
    across = max(points_across(ax) - left - MARGINS, 0.3 * points_across(ax))
    height = HEIGHT
    if whole.categorical[0]:
        height += names_along_x(ax, values, points=across)
    elif whole.log[0]:
        make_log(ax, 0, values)
    elif are_points(values):
        ax.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    high = write_words(
        ax,
        Room(height, left, across, whole.labels[0]),
        heading=f"How sure the model is along {whole.labels[0]}, by region",
        subtitle="lower is surer; a thin line is one configuration, a thick one its region",
        footer="ŝ is the std of the function; observation noise is excluded.",
        legend=entries,
    )
    if own:
        set_height(ax, high)
    return ax


# ---------------------------------------------------------------------- panels


def _draw_panels(panels: Sequence[Axes], regions: Sequence[Region], whole: Effect) -> None:
    """Draw each region's effect in its panel, all to the same scales."""
    drawn = [
        replace(as_drawn(region.effect, curves=False), widest=whole.widest) for region in regions
    ]
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
        if _is_rows(whole):
            shown = whole.shown()
            draw_rows(panel, effect, shown)
            labels = counted_categories(replace(whole, tried=()), shown)
            names_along_y(panel, labels, points=0.3 * points_across(panel))
        else:
            draw_numbers(panel, effect)
            if not whole.log[0]:
                panel.xaxis.set_major_locator(
                    MaxNLocator(nbins=5, integer=are_points(whole.axes[0]))
                )


def _is_rows(whole: Effect) -> bool:
    return len(whole.names) == 1 and whole.categorical[0]


def _along(whole: Effect, k: int) -> str:
    """Return the label of the x axis (0) or of the y axis (1)."""
    if len(whole.names) == 2:
        return whole.labels[k]
    return (whole.labels[0], whole.predicted)[k != _is_rows(whole)]


def _write_title(
    panel: Axes, region: Region, result: RegionalPartialDependence, points: float
) -> int:
    """Write a region's conditions and weight over its panel; return the number of lines."""
    mine = _is_incumbents(region, result)
    title = panel.set_title("", loc="left", fontsize=TEXT, fontweight="bold" if mine else "normal")
    text = shorten(_title(region, result), _TITLE_LINES * characters(points))
    fit_text(panel, title, f"{text}\n{region.weight:.0%} of the space", points)
    if mine:
        panel.set_facecolor(_INCUMBENT_PAPER)
    return title.get_text().count("\n") + 1


def _write_around(
    part: SubFigure,
    result: RegionalPartialDependence,
    whole: Effect,
    across: float,
    high: float,
) -> int:
    """Write heading, y label (of so many points) and footer, of which the lines are returned."""
    heading = f"Effect of {' and '.join(whole.labels)} on the {whole.objective}, by region"
    better = "lower" if whole.direction == "minimize" else "higher"
    text = f"{better.capitalize()} is better. {band_caption(replace(result.whole, exact=False))}"
    if np.isfinite(whole.widest):
        hollow = "Hollow" if whole.as_points else "Hatched"
        text += f" {hollow}: the band is wider than the effect over the whole space."
    if whole.incumbent is not None:
        text += f" {'Star' if len(whole.names) == 2 else 'Dashed'}: the incumbent."
    if whole.tried and not _is_rows(whole):
        text += f" {'Dots' if len(whole.names) == 2 else 'Marks'}: trials in the region."
    text += not_shown(len(result.regions) - MOST_REGIONS, "smaller region", "smaller regions")
    first = part.axes[0]
    title = part.suptitle("", x=0.01, ha="left", fontsize=HEADING, fontweight="bold")
    fit_text(first, title, heading, across - MARGINS)
    below = part.supxlabel("", x=0.01, ha="left", fontsize=TEXT - 1.0, color=GREY)
    fit_text(first, below, text, across - MARGINS)
    shorten_upright(first, part.supylabel("", fontsize=TEXT), _along(whole, 1), high)
    return below.get_text().count("\n") + 1


# ---------------------------------------------------------------------- regions


def _largest(result: RegionalPartialDependence) -> list[Region]:
    """Return the incumbent's region and then the largest others."""
    first = [r for r in result.regions if _is_incumbents(r, result)]
    others = [r for r in result.regions if not _is_incumbents(r, result)]
    return [*first, *sorted(others, key=lambda r: -r.weight)][:MOST_REGIONS]


def _is_incumbents(region: Region, result: RegionalPartialDependence) -> bool:
    return result.incumbent is not None and region.holds(result.incumbent)


def _title(region: Region, result: RegionalPartialDependence) -> str:
    label = plain(region.label)
    return f"Incumbent's region: {label}" if _is_incumbents(region, result) else label
