"""The plot of a marginal prediction: how the objective depends on one or two hyperparameters."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain._width import shorten
from hpo_explain.explanations import Marginal
from hpo_explain.plotting._axes import MOST_CATEGORIES, Effect, draw_effect, write_words
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.wording import marginal as words
from hpo_explain.wording.fanova import sub_space
from hpo_explain.wording.plots import not_shown


@draws(Marginal)
def plot_marginal(marginal: Marginal, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw a marginal prediction with its std, and the values that were tried.

    A real-valued hyperparameter is a curve with a band, an integer or a category a point with a
    bar, and a pair is a heatmap. Marks along the axis (numbers beside categories, dots in a
    heatmap) are the values of the observed trials. What was hardly tried is dimmed, or hollow.

    Parameters
    ----------
    marginal : Marginal
        The marginal prediction of one or two hyperparameters.
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
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Figures 1 to 3.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> marginal = hx.importance(table, objective="loss").marginal("x")
    >>> plot_marginal(marginal).get_ylabel()
    'predicted loss'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    effect = Effect(
        names=marginal.names,
        axes=marginal.grid,
        log=marginal.log,
        categorical=marginal.categorical,
        mean=marginal.mean,
        half=marginal.std,
        tried=marginal.tried,
        objective_name=marginal.subject.objective_name,
        direction=marginal.subject.direction,
        supported=marginal.supported,
    )
    where = shorten(plain(sub_space(marginal.subject.space, marginal.given)), 200)
    footer = words.footer(marginal, effect.as_points)
    if marginal.categorical[0] and len(marginal.names) == 1:
        footer += not_shown(len(marginal.grid[0]) - MOST_CATEGORIES, *words.LEFT_OUT)
    high = write_words(
        ax,
        draw_effect(ax, effect),
        heading=words.heading(effect.objective, effect.labels),
        subtitle=words.subtitle(marginal, effect.labels, where),
        footer=footer,
    )
    if own:
        set_height(ax, high)
    return ax
