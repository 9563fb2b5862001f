"""The plot of a partial dependence: the curve, its uncertainty, and what it averages."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain.explanations import PartialDependence
from hpo_explain.plotting._axes import (
    BAND,
    BEST,
    CURVE,
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
from hpo_explain.space import Array
from hpo_explain.wording import partial_dependence as words
from hpo_explain.wording.numbers import number
from hpo_explain.wording.plots import not_shown

NORMAL_95 = 1.96
MOST_CURVES = 40  # more of them are a grey area, and an SVG of 1,000 takes 300 kB


@draws(PartialDependence)
def plot_partial_dependence(
    effect: PartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw a partial dependence with its 95 % band, the curves it averages, and the trials.

    A real-valued hyperparameter is a curve with a band, an integer or a category a point with a
    bar, and a pair is a heatmap. Values that cannot be told from the best are marked green. Where
    hardly anything was tried the effect is dimmed (points are hollow). In a heatmap, a star is the
    incumbent, dots are tried values, and cells without any valid configuration stay empty.

    Parameters
    ----------
    effect : PartialDependence
        The partial dependence on one or two hyperparameters.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in the user's units; logarithmic where the hyperparameter's own scale is.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Figures 2, 3 and 7. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> effect = hx.PartialDependenceExplainer(surrogate, sample=20).explain("x")
    >>> plot_partial_dependence(effect).get_xlabel()
    'x'
    """
    drawn = as_drawn(effect)
    return plot_effect(
        drawn,
        ax=ax,
        width=width,
        heading=words.heading(drawn.labels, drawn.objective),
        subtitle=words.subtitle(effect.subject),
        footer=_footer(effect, drawn),
        caution=words.caution(effect),
        legend=legend_of(effect, drawn),
    )


def as_drawn(effect: PartialDependence, *, curves: bool = True) -> Effect:
    """Return a partial dependence as plots draw it."""
    lower, upper = effect.band()
    return Effect(
        names=effect.names,
        axes=effect.axes,
        log=effect.log,
        categorical=effect.categorical,
        mean=effect.mean,
        half=(upper - lower) / 2.0,
        tried=effect.tried,
        objective_name=effect.subject.objective_name,
        direction=effect.subject.direction,
        supported=effect.shown,
        best=effect.best if curves and len(effect.names) == 1 else None,
        second=_attainable(effect) if curves else None,
        curves=effect.ice_mean[:MOST_CURVES] if curves and len(effect.names) == 1 else None,
        incumbent=effect.incumbent,
    )


def _attainable(effect: PartialDependence) -> tuple[Array, Array] | None:
    found = effect.attainable
    return None if found is None else (found.mean, NORMAL_95 * found.std)


def _footer(effect: PartialDependence, drawn: Effect) -> str:
    pair = len(effect.names) == 2
    dimmed = words.dimmed_caption(effect, points=drawn.as_points and not pair)
    if pair:
        known = effect.std[effect.std == effect.std]
        ends = (number(float(end), 2) for end in (known.min(), known.max()))
        return words.surface_caption(effect, *ends) + dimmed
    text = words.band_caption(effect) + dimmed
    if not drawn.categorical[0]:
        return text
    left_out = not_shown(len(drawn.axes[0]) - MOST_CATEGORIES, *words.WORSE)
    return f"{text} {words.COUNTED if drawn.tried else ''}".rstrip() + left_out


def legend_of(effect: PartialDependence, drawn: Effect) -> list[tuple[Artist, str]]:
    """Return the entries of the legend of an effect as it is drawn."""
    entries: list[tuple[Artist, str]] = []
    pair = len(effect.names) == 2
    if not pair and drawn.as_points:
        point: dict[str, Any] = {"color": BLUE, "linewidth": 1.8, "marker": "o"}
        entries.append((line_mark(**point), "mean with 95 % band"))
        best = {**point, "color": GREEN}
        entries.append((line_mark(**best), words.MAY_BE_BEST))
        if drawn.untried.any():
            hollow = {**point, "color": GREY, "markerfacecolor": "white"}
            entries.append((line_mark(**hollow), words.DIMMED))
    elif not pair:
        entries.append((line_mark(color=BLUE, linewidth=1.8), "mean"))
        entries.append((Patch(**BAND), "95 % band"))
        entries.append((line_mark(**BEST), words.MAY_BE_BEST))
    if drawn.second is not None:
        look = {**SECOND, "marker": "D", "linestyle": "-"} if drawn.as_points else SECOND
        entries.append((line_mark(**look), words.ATTAINABLE))
    if (pair or not drawn.as_points) and drawn.untried.any():
        entries.append((Patch(**DIMMED), words.DIMMED))
    if drawn.curves is not None:
        entries.append((line_mark(**{**CURVE, "alpha": 0.6}), "single configurations (ICE)"))
    if effect.incumbent is not None:
        entries.append((line_mark(**(STAR if pair else INCUMBENT)), "incumbent"))
    if effect.tried and (pair or not effect.categorical[0]):
        rug = {**RUG, "color": ink(), "alpha": 1.0}
        entries.append((line_mark(**(DOTS if pair else rug)), "tried"))
    return entries
