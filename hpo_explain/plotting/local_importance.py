"""The plot of a local importance: what matters around one configuration."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.explanations.local_importance import LocalImportance
from hpo_explain.plotting._bars import Bars, Row, draw_bars, folded
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import format_value
from hpo_explain.wording import local_importance as words
from hpo_explain.wording.plots import not_shown


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
    kept, rest = folded(order)
    std = [None] * len(result.names) if result.std is None else result.std.tolist()
    rows = [
        Row((result.names[j], f"= {_value(result, j)}"), (float(result.importance[j]),), (std[j],))
        for j in kept
    ]
    if rest:
        rows.append(Row((f"{len(rest)} others (sum)",), (float(result.importance[rest].sum()),)))
    inactive = len(result.names) - len(result.curves)
    return draw_bars(
        Bars(
            rows=tuple(rows),
            heading=words.heading(result),
            subtitle=words.subtitle(result),
            label=words.LABEL,
            footer=words.whiskers(result) + not_shown(inactive, "inactive", "inactive"),
            percent=True,
            positive=True,
        ),
        ax=ax,
        width=width,
    )


def _value(result: LocalImportance, j: int) -> str:
    name = result.names[j]
    return format_value(result.config[name]) if name in result.config else "absent"
