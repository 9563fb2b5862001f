"""The plot of accumulated local effects: the curve, its band, and the partial dependence."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.explanations import AccumulatedLocalEffects
from hpo_explain.plotting._axes import (
    BAND,
    BEST,
    DIMMED,
    DOTS,
    INCUMBENT,
    MOST_CATEGORIES,
    RUG,
    SECOND,
    STAR,
    Effect,
    plot_effect,
)
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import BLUE, GREEN, GREY, WIDTH
from hpo_explain.wording import accumulated_local_effects as words
from hpo_explain.wording.partial_dependence import (
    COUNTED,
    MAY_BE_BEST,
    WORSE,
    dimmed_caption,
)
from hpo_explain.wording.partial_dependence import (
    DIMMED as NOT_RELIED_ON,
)
from hpo_explain.wording.plots import not_shown


@draws(AccumulatedLocalEffects)
def plot_accumulated_local_effects(
    effect: AccumulatedLocalEffects, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw accumulated local effects with their 95 % band beside the partial dependence.

    A real-valued hyperparameter is a curve with a band, an integer or a category a point with a
    bar, and a pair is a heatmap of what both do together. Values that cannot be told from the best
    are marked green. Where hardly anything was tried the effect is dimmed (points are hollow).

    Parameters
    ----------
    effect : AccumulatedLocalEffects
        The effects of one or two hyperparameters.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in the user's units; logarithmic where the hyperparameter's own scale is.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> effect = hx.AccumulatedLocalEffectsExplainer(surrogate, sample=X).explain("x")
    >>> plot_accumulated_local_effects(effect).get_ylabel()
    'effect on objective'
    """
    lower, upper = effect.band()
    pair = len(effect.names) == 2
    drawn = Effect(
        names=effect.names,
        axes=effect.axes,
        log=effect.log,
        categorical=effect.categorical,
        mean=effect.mean,
        half=np.nan_to_num((upper - lower) / 2.0),
        tried=effect.tried,
        objective_name=effect.subject.objective_name,
        direction=effect.subject.direction,
        supported=effect.shown,
        best=None if pair else effect.best,
        second=None if effect.partial is None else (effect.partial, 0.0 * effect.partial),
        incumbent=effect.incumbent,
        what=words.WHAT,
    )
    return plot_effect(
        drawn,
        ax=ax,
        width=width,
        heading=words.heading(drawn.labels, drawn.objective),
        subtitle=words.subtitle(effect.subject, pair=pair),
        footer=_footer(effect, drawn),
        caution=words.doubt(effect),
        legend=_legend(effect, drawn),
    )


def _footer(effect: AccumulatedLocalEffects, drawn: Effect) -> str:
    pair = len(effect.names) == 2
    text = words.caption(effect) + dimmed_caption(effect, points=drawn.as_points and not pair)
    if pair or not drawn.categorical[0]:
        return text
    left_out = not_shown(len(drawn.axes[0]) - MOST_CATEGORIES, *WORSE)
    return f"{text} {COUNTED if drawn.tried else ''}".rstrip() + left_out


def _legend(effect: AccumulatedLocalEffects, drawn: Effect) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = []
    pair, known = len(effect.names) == 2, not np.isnan(effect.std).all()
    point: dict[str, Any] = {"color": BLUE, "linewidth": 1.8, "marker": "o"}
    if not pair and drawn.as_points:
        entries.append((line_mark(**point), "mean with 95 % band" if known else "mean"))
        entries.append((line_mark(**{**point, "color": GREEN}), MAY_BE_BEST))
        if drawn.untried.any():
            hollow = {**point, "color": GREY, "markerfacecolor": "white"}
            entries.append((line_mark(**hollow), NOT_RELIED_ON))
    elif not pair:
        entries.append((line_mark(color=BLUE, linewidth=1.8), "mean"))
        if known:
            entries.append((Patch(**BAND), "95 % band"))
        entries.append((line_mark(**BEST), MAY_BE_BEST))
    if drawn.second is not None:
        look = {**SECOND, "marker": "D", "linestyle": "none"} if drawn.as_points else SECOND
        entries.append((line_mark(**look), words.PARTIAL))
    if (pair or not drawn.as_points) and drawn.untried.any():
        entries.append((Patch(**DIMMED), NOT_RELIED_ON))
    if effect.incumbent is not None:
        entries.append((line_mark(**(STAR if pair else INCUMBENT)), "incumbent"))
    if effect.tried and (pair or not effect.categorical[0]):
        rug = {**RUG, "color": ink(), "alpha": 1.0}
        entries.append((line_mark(**(DOTS if pair else rug)), "tried"))
    return entries
