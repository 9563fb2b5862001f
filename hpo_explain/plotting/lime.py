"""The plot of a LIME explanation: what changes the prediction around one configuration."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.explanations.lime import LimeExplanation, LimeStatement
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.wording import lime as words
from hpo_explain.wording.plots import not_shown

_BETTER, _WORSE = 0, 1
_FILLS = ((_BETTER, "better"), (_WORSE, "worse"))


@draws(LimeExplanation)
def plot_lime(result: LimeExplanation, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the effects of a linear model's changes, or of a tree's leaves, as bars.

    Plain bars improve, hatched ones do not; whiskers are 95 % intervals. The fidelity stands
    over the bars, with a warning where it is low. At most 20 rows are drawn.

    Parameters
    ----------
    result : LimeExplanation
        The explanation.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: change of the prediction by statement.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_lime(hx.lime(table, objective="loss")).get_xlabel()
    'change of the predicted loss'
    """
    rows = [_row(result, statement) for statement in result.statements[:MOST_ROWS]]
    drawn = {row.fill for row in rows if row.values != (0.0,)}
    left_out = len(result.statements) - len(rows)
    return draw_bars(
        Bars(
            rows=tuple(rows),
            heading=words.heading(result),
            subtitle=words.subtitle(result),
            label=words.label(result),
            footer=words.footer(result) + not_shown(left_out, "smaller one", "smaller ones"),
            legend=tuple((fill, what) for fill, what in _FILLS if fill in drawn),
        ),
        ax=ax,
        width=width,
    )


def _row(result: LimeExplanation, statement: LimeStatement) -> Row:
    lower = result.subject.lower_is_better
    better = statement.effect <= 0.0 if lower else statement.effect >= 0.0
    fill = _BETTER if better else _WORSE
    return Row(words.parts(statement), (statement.effect,), (statement.half,), fill=fill)
