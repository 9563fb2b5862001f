"""The plot of the noise: along the hyperparameter it depends on most, or of all configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.base.width import shorten
from hpo_explain.explanations.noise import Noise
from hpo_explain.plotting._axes import (
    BAND,
    HEIGHT,
    INCUMBENT,
    Effect,
    Room,
    draw_effect,
    write_words,
)
from hpo_explain.plotting._layout import sides, write_y_label
from hpo_explain.plotting._look import line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, GREY, TEXT, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.wording import noise as words

_NORMAL_95 = 1.96
_CURVE: dict[str, Any] = {"color": BLUE, "linewidth": 1.8}
_POINTS: dict[str, Any] = {"color": GREY, "linestyle": "none", "marker": "o", "markersize": 3.5}


@draws(Noise)
def plot_noise(result: Noise, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the noise along the hyperparameter it depends on most, with what was observed.

    Where the noise is the same everywhere, as far as can be told: the sample standard deviations of
    all configurations in ascending order, with the one of all together.

    Parameters
    ----------
    result : Noise
        The noise.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: standard deviations in the objective's units.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = np.repeat(np.linspace(0.0, 1.0, 20), 4)[:, None]
    >>> run = hx.Run(space, X, 10.0 ** X[:, 0] * rng.standard_normal(80), "minimize")
    >>> plot_noise(hx.noise(run)).get_xlabel()
    'x'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    objective = shorten(plain(result.subject.objective_name), 40)
    name = result.main
    legend: list[tuple[Artist, str]] = []
    if name is None:
        room = _draw_all(ax, result, words.label(objective))
        legend += [(line_mark(**_CURVE), words.POOLED)]
    else:
        effect = _effect(result, name)
        room = draw_effect(ax, effect)
        legend += [(Patch(**BAND), words.PREDICTED)]
        if not effect.categorical[0]:
            known = [
                (c[name] / effect.units[0], s)
                for c, s in zip(result.configurations, result.observed, strict=True)
                if name in c
            ]
            ax.plot(*zip(*known, strict=True), zorder=1.5, **_POINTS)
            ax.set_ylim(bottom=0.0)
        if effect.incumbent is not None:
            legend.append((line_mark(**INCUMBENT), "incumbent"))
    if name is None or not effect.categorical[0]:
        legend.append((line_mark(**_POINTS), words.OBSERVED))
    shown = None if name is None else shorten(plain(name), 60)
    high = write_words(
        ax,
        room,
        heading=words.heading(objective, shown),
        subtitle=words.subtitle(result),
        footer=words.footer(result),
        legend=legend,
    )
    if own:
        set_height(ax, high)
    return ax


def _effect(result: Noise, name: str) -> Effect:
    """Return the noise along a hyperparameter as plots draw effects."""
    effect = result.effects[name]
    std = np.exp(effect.mean / 2.0)
    known = result.subject.incumbent
    return Effect(
        names=(name,),
        axes=effect.axes,
        log=effect.log,
        categorical=effect.categorical,
        mean=std,
        half=_NORMAL_95 * std * effect.std / 2.0,
        tried=effect.tried,
        objective_name=words.noise_of(result.subject.objective_name),
        direction="minimize",
        supported=effect.supported,
        incumbent=(known[name],) if name in known else None,
    )


def _draw_all(ax: Axes, result: Noise, label: str) -> Room:
    """Draw all observed standard deviations in ascending order, and the one of all together."""
    std, lower, upper = result.pooled
    ax.axhspan(lower, upper, **BAND)
    ax.axhline(std, **_CURVE)
    ax.plot(np.arange(1, len(result.observed) + 1), np.sort(result.observed), **_POINTS)
    ax.set_ylim(bottom=0.0)
    ax.tick_params(labelsize=TEXT)
    ax.spines[["top", "right"]].set_visible(False)
    write_y_label(ax, label, points=0.95 * HEIGHT)
    left, across = sides(ax, label=2.0 * TEXT)
    return Room(HEIGHT, left, across, words.RANK)
