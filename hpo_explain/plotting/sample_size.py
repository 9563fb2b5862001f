"""The plot of a check of the number of orders: differences of neighbours in the ranking."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.explanations.sample_size import Closest, SampleSizeCheck
from hpo_explain.plotting._bars import Bars, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import sample_size as words


@draws(SampleSizeCheck)
def plot_sample_size(
    result: SampleSizeCheck, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw for each term the difference of the two neighbours that are told apart worst.

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
        The axes: a difference with its interval by term.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + 3.0 * table.y
    >>> sampled = hx.explain_proposal(table, 4, objective="loss", estimator="sampling", orders=500)
    >>> plot_sample_size(hx.check_sample_size(sampled)).get_xlabel()
    'difference between two contributions that are neighbours in the ranking'
    """
    rows = tuple(
        Row((term, words.pair(*found.pair)), (found.difference,), (_half(found),))
        for term, found in result.closest.items()
        if found is not None
    )
    return draw_bars(
        Bars(
            rows=rows,
            heading=words.HEADING,
            subtitle=words.subtitle(result),
            label=words.LABEL,
            footer=words.FOOTER,
        ),
        ax=ax,
        width=width,
    )


def _half(found: Closest) -> float | None:
    return found.half_width if np.isfinite(found.half_width) else None
