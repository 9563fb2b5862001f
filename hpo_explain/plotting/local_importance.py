"""The plot of a local importance: what matters around one configuration."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from hpo_explain.explanations import LocalImportance
from hpo_explain.plotting._bars import MOST_ROWS, Bar, plot_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._text import not_shown
from hpo_explain.wording import format_value
from hpo_explain.wording import local_importance as words


@draws(LocalImportance)
def plot_local_importance(
    result: LocalImportance, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the shares of the variance around a configuration as bars, the largest on top.

    Whiskers are the standard deviation over trees, or over draws from the posterior. More than 20
    hyperparameters are folded: the last row is the sum of the others. Inactive ones are left out.

    Parameters
    ----------
    result : LocalImportance
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: share (0 to 1) by hyperparameter.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_local_importance(hx.local_importance(table, objective="loss")).get_xlabel()
    'share of the variance along single hyperparameters'
    """
    known = {name for name, _, _ in result.curves}
    order = [j for j in result.order().tolist() if result.names[j] in known]
    rest = order[MOST_ROWS - 1 :] if len(order) > MOST_ROWS else []
    bars = [
        Bar(
            (result.names[j], f"= {_value(result, j)}"),
            float(result.importance[j]),
            None if result.std is None else float(result.std[j]),
        )
        for j in order[: len(order) - len(rest)]
    ]
    if rest:
        bars.append(Bar((f"{len(rest)} others (sum)",), float(result.importance[rest].sum())))
    return plot_bars(
        bars,
        ax=ax,
        width=width,
        heading=words.heading(result),
        subtitle=words.subtitle(result),
        label=words.LABEL,
        footer=_footer(result),
        formatter=PercentFormatter(xmax=1.0),
    )


def _value(result: LocalImportance, j: int) -> str:
    name = result.names[j]
    return format_value(result.config[name]) if name in result.config else "absent"


def _footer(result: LocalImportance) -> str:
    inactive = len(result.names) - len(result.curves)
    return words.whiskers(result) + not_shown(inactive, "inactive", "inactive")
