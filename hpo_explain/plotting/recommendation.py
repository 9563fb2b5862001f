"""The plot of a recommended space: how much of each hyperparameter's values is kept."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations import Recommendation
from hpo_explain.plotting._style import BLUE, HEADING, TEXT, ink, make_literal, new_axes, set_height
from hpo_explain.plotting._text import shorten

_WIDTH = 8.0
_NAME = 30
_VALUES = 60
_ROW = 20.0  # points
_REST = "#d9d9d9"


def plot_recommendation(result: Recommendation, *, ax: Axes | None = None) -> Axes:
    """Draw the share of each hyperparameter's values that the recommended space keeps.

    Parameters
    ----------
    result : Recommendation
        The recommended space with its evidence.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).

    Returns
    -------
    matplotlib.axes.Axes
        One bar per hyperparameter, on its own scale (log where it is log), labelled with the
        values that stay.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(100, seed=1)
    >>> result = hx.importance(hx.Run(space, X, X[:, 0], "minimize"))
    >>> plot_recommendation(result.recommended_space()).get_xlabel()
    'share of its values that stays, on its own scale'
    """
    own = ax is None
    ax = new_axes(_WIDTH) if ax is None else ax
    places = np.arange(len(result.rows))
    ax.barh(places, 1.0, color=_REST, height=0.7)
    ax.barh(places, [row.kept for row in result.rows], color=BLUE, height=0.7)
    for place, row in zip(places, result.rows, strict=True):
        text = ax.annotate(
            shorten(row.after, _VALUES), (1.0, place), (5.0, 0.0), textcoords="offset points",
            va="center", fontsize=TEXT - 1.0, color=ink(), annotation_clip=False,
        )  # fmt: skip
        make_literal([text])
    ax.set_yticks(places, [shorten(row.hyperparameter, _NAME) for row in result.rows])
    make_literal(ax.get_yticklabels())
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    ax.tick_params(labelsize=TEXT)
    ax.set_xlabel("share of its values that stays, on its own scale", fontsize=TEXT)
    ax.set_title("Recommended search space", loc="left", fontsize=HEADING, fontweight="bold")
    if own:
        set_height(ax, _ROW * len(places) + 60.0)
    return ax
