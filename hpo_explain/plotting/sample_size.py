"""The plot of a check of the number of draws: contributions with the error of their sum."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations import SampleSizeCheck
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._subject import shown
from hpo_explain.wording import proposal
from hpo_explain.wording import sample_size as words
from hpo_explain.wording.plots import not_shown


@draws(SampleSizeCheck)
def plot_sample_size(
    result: SampleSizeCheck, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the estimated contributions, the largest on top, with the efficiency error as whiskers.

    Parameters
    ----------
    result : SampleSizeCheck
        The check.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: contribution by hyperparameter; at most 20 are drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> sampled = hx.explain_proposal(table, 4, objective="loss", estimator="sampling", draws=500)
    >>> plot_sample_size(hx.check_sample_size(sampled)).get_xlabel()
    'contribution to LCB (κ = 1.96): right is more desirable'
    """
    *terms, total = result.contributions
    order = np.argsort(-np.abs(result.contributions[total]), kind="stable").tolist()
    several = len(terms) > 1
    rows = tuple(
        Row(
            (result.estimated[j],),
            tuple(float(result.contributions[term][j]) for term in terms),
            tuple(result.error[term] for term in (*terms, total)),
            mark=float(result.contributions[total][j]) if several else None,
        )
        for j in order[:MOST_ROWS]
    )
    return draw_bars(
        Bars(
            rows=rows,
            heading=words.HEADING,
            subtitle=words.subtitle(result),
            label=proposal.label(shown(result.subject)),
            footer=words.FOOTER + not_shown(len(order) - len(rows), "smaller one", "smaller ones"),
            legend=tuple(enumerate(terms)),
            mark=proposal.TOTAL if several else "",
        ),
        ax=ax,
        width=width,
    )
