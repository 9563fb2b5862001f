"""The plot that compares an ablation's gains with the Shapley values of the same steps."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from hpo_explain.explanations import Ablation
from hpo_explain.plotting._layout import characters, points_across
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._rows import style_rows, write_rows
from hpo_explain.plotting._style import FILLS, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.plotting.ablation import MOST_STEPS
from hpo_explain.space import Array
from hpo_explain.wording import ablation as words

_ROW = 24.0  # points
_BAR = 0.38  # of a row


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
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    names, gains, shapley = _rows(result)
    relative = abs(result.total_gain) > 1e-3 * np.abs([gains, shapley]).max()
    if relative:
        gains, shapley = gains / result.total_gain, shapley / result.total_gain
    across = points_across(ax)
    labels = abbreviated(names, characters(0.32 * across))
    n = len(labels)
    for k, values in enumerate((gains, shapley)):
        ax.barh(
            np.arange(n) + (k - 0.5) * _BAR, values, height=0.92 * _BAR, color=FILLS[k].color,
            hatch=FILLS[k].hatch, edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
    style_rows(ax, labels)
    if not np.any([gains, shapley]):
        ax.set_xlim(-1.0, 1.0)
    if relative:
        ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0))

    high = write_rows(
        ax, heading=words.shares_heading(result), subtitle=words.shares_subtitle(result),
        label=words.shares_label(relative=relative), footer=words.shares_footer(result),
        legend=[(FILLS[0].patch(), words.GAIN), (FILLS[1].patch(), words.SHAPLEY)],
    )  # fmt: skip
    if own:
        set_height(ax, high + n * _ROW)
    return ax


def _rows(result: Ablation) -> tuple[list[str], Array, Array]:
    """Return names, gains and Shapley values, the largest Shapley value first, the rest summed."""
    order = np.argsort(-np.abs(result.shapley), kind="stable").tolist()
    kept, rest = order, []
    if len(order) > MOST_STEPS:
        kept, rest = order[: MOST_STEPS - 1], order[MOST_STEPS - 1 :]
    names = [plain(result.labels[i]) for i in kept]
    gains, shapley = result.gains[kept], result.shapley[kept]
    if rest:
        names.append(f"{len(rest)} others (sum)")
        gains = np.append(gains, result.gains[rest].sum())
        shapley = np.append(shapley, result.shapley[rest].sum())
    return names, gains, shapley
