"""The plot of an important subspace: the share explained by the first hyperparameters."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations import Subspace
from hpo_explain.plotting._style import BLUE, GREY, HEADING, TEXT, make_literal, new_axes
from hpo_explain.plotting._text import shorten

_WIDTH = 8.0
_NAME = 30


def plot_subspace(result: Subspace, *, ax: Axes | None = None) -> Axes:
    """Draw the share explained by one hyperparameter, by two, and so on, up to the set.

    Parameters
    ----------
    result : Subspace
        The set.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).

    Returns
    -------
    matplotlib.axes.Axes
        Share of the variance, from 0 to 1, by hyperparameter added; whiskers are the standard
        deviation over trees.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(100, seed=1)
    >>> result = hx.importance(hx.Run(space, X, X[:, 0], "minimize"))
    >>> plot_subspace(result.subspace()).get_xlabel()
    'share of the variance, explained together'
    """
    ax = new_axes(_WIDTH) if ax is None else ax
    places = np.arange(len(result.names))
    ax.barh(
        places, result.explained, xerr=result.std, color=BLUE, ecolor=GREY, capsize=3.0, height=0.6
    )
    ax.axvline(result.share, color=GREY, linestyle="--", linewidth=1.0)
    ax.set_yticks(places, [])
    first = [shorten(name, _NAME) for name in result.names]
    ax.set_yticklabels([name if k == 0 else f"+ {name}" for k, name in enumerate(first)])
    make_literal(ax.get_yticklabels())
    ax.invert_yaxis()
    ax.set_xlim(0.0, max(1.0, float((result.explained + result.std).max(initial=0.0)) * 1.02))
    ax.tick_params(labelsize=TEXT)
    ax.set_xlabel("share of the variance, explained together", fontsize=TEXT)
    ax.set_title("Important subspace", loc="left", fontsize=HEADING, fontweight="bold")
    return ax
