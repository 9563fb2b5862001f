"""The plot that compares an ablation's gains with the Shapley values of the same steps."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations import Ablation
from hpo_explain.plotting._bars import Bars, Row, draw_bars, folded
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import ablation as words


@draws(Ablation, "shares")
def plot_ablation_shares(result: Ablation, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw gains along the path and Shapley values of the same steps side by side.

    Both are relative to the whole gain, unless that is close to 0. Where the two differ, the
    order of the path decides what a step is worth. More than 20 steps are folded.

    Parameters
    ----------
    result : Ablation
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the steps need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: share of the whole gain by step, the largest Shapley value on top.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figure 11 i.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_ablation_shares(hx.ablation(table, source=1, objective="loss")).get_xlabel()
    'share of the whole gain'
    """
    values = np.column_stack([result.gains, result.shapley])
    kept, rest = folded(np.argsort(-np.abs(result.shapley), kind="stable").tolist())
    relative = abs(result.total_gain) > 1e-3 * np.abs(values).max()
    if relative:
        values = values / result.total_gain
    rows = [Row((result.labels[i],), tuple(values[i].tolist())) for i in kept]
    if rest:
        rows.append(Row((f"{len(rest)} others (sum)",), tuple(values[rest].sum(axis=0).tolist())))
    return draw_bars(
        Bars(
            rows=tuple(rows),
            heading=words.shares_heading(result),
            subtitle=words.shares_subtitle(result),
            label=words.shares_label(relative=relative),
            footer=words.shares_footer(result),
            legend=tuple(enumerate((words.GAIN, words.SHAPLEY))),
            percent=relative,
        ),
        ax=ax,
        width=width,
    )
