"""Plots of partial dependence: a curve with its band, and regions as small multiples."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations import PartialDependence, RegionalPartialDependence
from hpo_explain.plotting._style import BLUE, GREY, WIDTH, new_axes


def plot_partial_dependence(
    effect: PartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw a partial dependence with its 95 % band, the curves it averages, and the trials.

    Parameters
    ----------
    effect : PartialDependence
        The partial dependence on one or two hyperparameters.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in the user's units.

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
    ax = new_axes(width) if ax is None else ax
    x = np.arange(len(effect.axes[0])) if effect.categorical[0] else np.array(effect.axes[0])
    ax.set_xlabel(effect.names[0])
    if len(effect.names) == 2:
        ax.pcolormesh(effect.mean.T, cmap="cividis")
        return ax
    lower, upper = effect.band()
    ax.plot(x, effect.ice_mean[:50].T, color=GREY, alpha=0.15, linewidth=0.6)
    ax.fill_between(x, lower, upper, color=BLUE, alpha=0.2, linewidth=0.0)
    ax.plot(x, effect.mean, color=BLUE)
    if effect.log[0]:
        ax.set_xscale("log")
    return ax


def plot_regions(
    result: RegionalPartialDependence, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the partial dependence of every region, the incumbent's first.

    Parameters
    ----------
    result : RegionalPartialDependence
        The regions.
    ax : matplotlib.axes.Axes, optional
        Where to draw the first region; by default a new figure with all of them.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the first region.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1) * [1.0, 0.5]
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0])
    >>> explainer = hx.RegionalPartialDependenceExplainer(surrogate, sample=100, max_depth=1)
    >>> plot_regions(explainer.explain("x")).get_xlabel()
    'x'
    """
    return plot_partial_dependence(result.regions[0].effect, ax=ax, width=width)
