"""The plot of a recommended space: which part of each hyperparameter's values stays."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from hpo_explain.explanations.recommended_space import Recommendation
from hpo_explain.plotting._layout import characters, points_across
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._rows import row_height, row_labels, style_rows, write_rows
from hpo_explain.plotting._style import BLUE, GREY, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import plain
from hpo_explain.wording import recommended_space as words

_THICK = 0.55  # share of a row that its bar takes
_ROW = 20.0  # points of a row
_LABELS = 0.34  # share of the width that labels take
_LOOKS: dict[str, dict[str, Any]] = {
    "kept": {"facecolor": BLUE, "edgecolor": "white", "linewidth": 0.0},
    "untried": {"facecolor": "white", "edgecolor": BLUE, "hatch": "////", "linewidth": 0.6},
    "given_up": {"facecolor": GREY, "alpha": 0.25, "linewidth": 0.0},
}
_MEANS = {"kept": words.STAYS, "untried": words.UNTRIED, "given_up": words.GIVEN_UP}


@draws(Recommendation)
def plot_recommended_space(
    result: Recommendation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw which part of each hyperparameter's values the recommended space keeps.

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
        One row per hyperparameter, along its own scale (log where it is log), labelled with the
        values that stay; hatched where they stay because hardly anything was tried there.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> run = hx.Run(space, X, X[:, 0], "minimize")
    >>> plot_recommended_space(hx.recommended_space(run)).get_xlabel()
    "place on the hyperparameter's own scale"
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    values = result.evidence["after"]
    rows = [[plain(row.hyperparameter), plain(values[row.hyperparameter])] for row in result.rows]
    labels = row_labels(rows, characters(_LABELS * points_across(ax)))
    shown: set[str] = set()
    for i, row in enumerate(result.rows):
        pieces: list[tuple[float, float, str]] = [(0.0, 1.0, "given_up"), *result.stretches(row)]
        for low, high, state in pieces:
            if state != "given_up" or row.kept < 1.0 or not row.after:
                shown.add(state)
            thick = _THICK / 3.0 if state == "given_up" else _THICK
            ax.barh([i], [high - low], left=[low], height=thick, zorder=2, **_LOOKS[state])
    style_rows(ax, labels, zero=False)
    ax.set_xlim(0.0, 1.0)
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    high = write_rows(
        ax,
        heading=words.HEADING,
        subtitle=words.SUBTITLE,
        label=words.LABEL,
        footer="",
        legend=[(Patch(**_LOOKS[state]), text) for state, text in _MEANS.items() if state in shown],
    )
    if own:
        set_height(ax, high + max(len(labels), 1) * row_height(labels, _ROW))
    return ax
