"""The plot of a recommended space: how much of each hyperparameter's values is kept."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.explanations import Recommendation
from hpo_explain.plotting._bars import Bars, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import recommended_space as words


@draws(Recommendation)
def plot_recommended_space(
    result: Recommendation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the share of each hyperparameter's values that the recommended space keeps.

    Parameters
    ----------
    result : Recommendation
        The recommended space with its evidence.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

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
    >>> run = hx.Run(space, X, X[:, 0], "minimize")
    >>> plot_recommended_space(hx.recommended_space(run)).get_xlabel()
    'share of its values that stays, on its own scale'
    """
    values = result.evidence["after"]
    bars = Bars(
        rows=tuple(
            Row((row.hyperparameter, values[row.hyperparameter]), (row.kept,))
            for row in result.rows
        ),
        heading=words.HEADING,
        subtitle=words.SUBTITLE,
        label=words.LABEL,
        footer="",
        percent=True,
    )
    ax = draw_bars(bars, ax=ax, width=width)
    ax.set_xlim(0.0, 1.0)
    return ax
