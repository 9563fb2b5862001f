"""The plot of advice: what each action is expected to bring."""

from __future__ import annotations

from math import isnan, nan

from matplotlib.axes import Axes

from hpo_explain.explanations.advice import Advice
from hpo_explain.plotting._bars import Bars, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import advice as words


@draws(Advice)
def plot_advice(result: Advice, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw what each action is expected to bring.

    Parameters
    ----------
    result : Advice
        The advice.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        A row per action of which the gain is known; whiskers hold 90 % of its distribution.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=1)
    >>> plot_advice(hx.advise(hx.Run(space, X, X[:, 0], "minimize"))).get_xlabel()
    'expected improvement'
    """
    known = [action for action in result.actions if not isnan(action.gain)]
    rows = []
    for action in known:
        low, high = action.interval or (nan, nan)
        # an improbable gain is expected beyond what holds 90 %
        reach = (max(action.gain - low, 0.0), max(high - action.gain, 0.0))
        halves = (None if isnan(low) else reach,)
        rows.append(Row((action.title,), (action.gain,), halves))
    bars = Bars(
        rows=tuple(rows),
        heading=words.HEADING,
        subtitle=words.SUBTITLE,
        label=words.LABEL,
        footer="",
        inactive=tuple(a.title for a in result.actions if isnan(a.gain)),
    )
    return draw_bars(bars, ax=ax, width=width)
