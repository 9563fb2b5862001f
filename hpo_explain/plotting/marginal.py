"""The plot of a marginal prediction: how the objective depends on one or two hyperparameters."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.explanations import Marginal
from hpo_explain.plotting._axes import MOST_CATEGORIES, Effect, draw_effect, write_words
from hpo_explain.plotting._style import WIDTH, new_axes, set_height
from hpo_explain.plotting._text import not_shown, number, plain, shorten


def plot_marginal(marginal: Marginal, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw a marginal prediction with its std over trees, and the values that were tried.

    A real-valued hyperparameter is a curve with a band, an integer or a category a point with a
    bar, and a pair is a heatmap. Marks along the axis (numbers beside categories, dots in a
    heatmap) are the values of the observed trials.

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
        objective_name=marginal.objective_name,
        direction=marginal.direction,
    )
    high = write_words(
        ax,
        draw_effect(ax, effect),
        heading=f"Predicted {effect.objective} by {' and '.join(effect.labels)}",
        subtitle=_subtitle(marginal, effect),
        footer=_footer(marginal, effect),
    )
    if own:
        set_height(ax, high)
    return ax


def _subtitle(marginal: Marginal, effect: Effect) -> str:
    better = "lower" if marginal.direction == "minimize" else "higher"
    where = f"given {shorten(plain(marginal.where), 200)}, " if marginal.where else ""
    lines = [f"{where}averaged over all other hyperparameters; {better} is better"]
    space = "sub-space" if marginal.where else "space"
    lines += [
        f"{name} is active in {share:.0%} of the {space} and makes no difference elsewhere"
        for name, share in zip(effect.labels, marginal.activity, strict=False)
        if share < 1.0
    ]
    return "\n".join(lines)


def _footer(marginal: Marginal, effect: Effect) -> str:
    tried = len(marginal.tried[0]) if marginal.tried else 0
    if len(marginal.names) == 2:
        text = (
            f"The std over trees is {number(float(marginal.std.mean()), 2)} on average, at most "
            f"{number(float(marginal.std.max()), 2)}."
        )
        return text + (" Dots: tried values." if tried else "")
    text = f"{'Bars' if effect.as_points else 'Band'}: std over the trees of the forest."
    if tried and marginal.categorical[0]:
        text += " In brackets: how often it was tried."
    elif tried:
        text += " Marks along the axis: tried values."
    left_out = len(marginal.grid[0]) - MOST_CATEGORIES
    if marginal.categorical[0]:
        text += not_shown(left_out, "worse category", "worse categories")
    return text
