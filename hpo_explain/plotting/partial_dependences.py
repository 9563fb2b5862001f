"""The plot of several partial dependences: a panel each, on one scale of the objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.partial_dependences import PartialDependences
from hpo_explain.methods.effects.effect_result import PartialDependence
from hpo_explain.methods.effects.effect_show import dimmed_caption
from hpo_explain.methods.importance.fanova_result import SEPARATOR
from hpo_explain.plotting._axes import (
    Effect,
    counted_categories,
    draw_columns,
    draw_numbers,
    draw_surface,
)
from hpo_explain.plotting._drawn_effect import as_drawn, legend_of
from hpo_explain.plotting._heatmap import draw_scale, names_along_x, names_along_y
from hpo_explain.plotting._layout import characters, shorten_upright
from hpo_explain.plotting._panels import HIGH, Panels, new_panels, write_around, write_titles
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import TEXT, WIDTH
from hpo_explain.plotting._text import plain
from hpo_explain.wording import partial_dependences as words
from hpo_explain.wording.subject import better

MOST_PANELS = 12
_MOST_CATEGORIES = 10
_MARGIN = 0.05  # of the range of all effects


@draws(PartialDependences)
def plot_partial_dependences(
    result: PartialDependences, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw partial dependences side by side, those of single hyperparameters on one scale.

    Each is drawn as by itself, without the single configurations: a curve with its band, points
    with bars for few whole numbers and categories, a heatmap for a pair. Heatmaps share one scale
    of colors.

    Parameters
    ----------
    result : PartialDependences
        The effects; at most 12 are drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw: it is replaced by a panel for each effect. By default a new figure (unknown
        to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first effect.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
    >>> found = hx.partial_dependences(run, ["x", "y", ("x", "y")], sample=20)
    >>> panels = plot_partial_dependences(found).figure.axes[:3]
    >>> [panel.get_title(loc="left") for panel in panels]
    ['x', 'y', 'x × y']
    """
    effects = result.effects[:MOST_PANELS]
    drawn = [_drawn(effect) for effect in effects]
    panels = new_panels(ax, len(effects), width=width, same_scale=False, same_x=False)
    extra = [_draw_single(p, e, panels.width) for p, e in zip(panels.axes, drawn, strict=True)]
    _share_scale(panels.axes, drawn)
    meshes = [
        draw_surface(panel, effect, **_colors(drawn))
        for panel, effect in zip(panels.axes, drawn, strict=True)
        if len(effect.names) == 2
    ]
    for k, (panel, effect) in enumerate(zip(panels.axes, drawn, strict=True)):
        if len(effect.names) == 2:
            extra[k] = _label_pair(panel, effect, panels.width)
    titles = [SEPARATOR.join(plain(name) for name in effect.names) for effect in effects]
    shares = {frozenset(names): share for names, share in result.shares.items()}
    write_titles(
        panels, titles, [words.in_brackets(shares.get(frozenset(e.names))) for e in effects]
    )
    dimmed = [dimmed_caption(e, points=d.as_points) for e, d in zip(effects, drawn, strict=True)]
    cut = sum(max(len(d.axes[0]) - _MOST_CATEGORIES, 0) for d in drawn if _is_categories(d))
    write_around(
        panels,
        heading=words.heading(drawn[0].objective),
        subtitle="partial dependence: averaged over all other hyperparameters; "
        f"{better(result.subject)} is better",
        legend=_legend(effects, drawn),
        x_label="",
        y_label=drawn[0].predicted,
        footer=words.footer(
            result,
            dimmed=" ".join(dict.fromkeys(filter(None, dimmed))),
            not_drawn=len(result) - len(effects),
            categories=cut,
        ),
    )
    for panel, effect in zip(panels.axes, drawn, strict=True):
        if len(effect.names) == 2:  # the text around has taken it away
            label = shorten(effect.axis_labels[0], characters(panels.width))
            panel.set_xlabel(label, fontsize=TEXT)
            panel.xaxis.label.set_parse_math(False)
    if meshes:
        pairs = [p for p, e in zip(panels.axes, drawn, strict=True) if len(e.names) == 2]
        draw_scale(meshes[-1], pairs, label=drawn[0].predicted)
    _make_higher(panels, extra)
    return panels.axes[0]


def _drawn(effect: PartialDependence) -> Effect:
    return replace(as_drawn(effect), curves=None)


def _is_categories(effect: Effect) -> bool:
    return len(effect.names) == 1 and effect.categorical[0]


def _draw_single(panel: Axes, effect: Effect, points: float) -> float:
    """Draw the effect of one hyperparameter; return how many points its labels take below."""
    if len(effect.names) == 2:
        return 0.0
    if not effect.categorical[0]:
        draw_numbers(panel, effect, ticks=4)
        return TEXT
    shown = effect.shown(_MOST_CATEGORIES)
    draw_columns(panel, effect, shown)
    return TEXT + names_along_x(panel, counted_categories(effect, shown), points=points)


def _share_scale(panels: Sequence[Axes], drawn: Sequence[Effect]) -> None:
    """Have the panels of single hyperparameters span the same objectives."""
    ends: list[float] = []
    for effect in drawn:
        if len(effect.names) == 1:
            bands = [(effect.mean, effect.half), *filter(None, [effect.second])]
            for mean, half in bands:  # what cannot be attained anywhere is NaN
                ends += [*(mean - half), *(mean + half)]
    ends = [float(end) for end in ends if np.isfinite(end)]
    if not ends:
        return
    margin = _MARGIN * ((max(ends) - min(ends)) or abs(max(ends))) or 1.0
    for panel, effect in zip(panels, drawn, strict=True):
        if len(effect.names) == 1:
            panel.set_ylim(min(ends) - margin, max(ends) + margin)


def _colors(drawn: Sequence[Effect]) -> dict[str, float]:
    pairs = [effect.mean for effect in drawn if len(effect.names) == 2]
    return {
        "low": float(min(np.nanmin(mean) for mean in pairs)),
        "high": float(max(np.nanmax(mean) for mean in pairs)),
    }


def _label_pair(panel: Axes, effect: Effect, points: float) -> float:
    """Label both axes of a pair; return how many points its labels take below."""
    below = 2.4 * TEXT
    if effect.categorical[1]:
        names_along_y(panel, effect.axes[1], points=0.3 * points)
    panel.set_ylabel("", fontsize=TEXT)
    shorten_upright(panel, panel.yaxis.label, effect.axis_labels[1], 0.95 * HIGH)
    if effect.categorical[0]:
        below += names_along_x(panel, effect.axes[0], points=points)
    return below


def _legend(
    effects: Sequence[PartialDependence], drawn: Sequence[Effect]
) -> list[tuple[Artist, str]]:
    """Return the entries of all effects, each once."""
    entries: dict[str, Artist] = {}
    for effect, one in zip(effects, drawn, strict=True):
        for artist, label in legend_of(effect, one):
            entries.setdefault(label, artist)
    return [(artist, label) for label, artist in entries.items()]


def _make_higher(panels: Panels, extra: Sequence[float]) -> None:
    """Make a new figure higher by what the labels below each row of panels need."""
    if not panels.own:
        return
    columns = panels.columns
    more = sum(max(extra[k : k + columns]) for k in range(0, len(extra), columns))
    figure: Any = panels.axes[0].figure.figure
    figure.set_figheight(figure.get_figheight() + more / 72.0)
