"""The plot of a prediction's explanation: what each hyperparameter adds to it."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain._words import counted
from hpo_explain.explanations import PredictionExplanation, format_value
from hpo_explain.plotting._bars import MOST_ROWS, Bar, plot_bars
from hpo_explain.plotting._style import FILLS, WIDTH
from hpo_explain.plotting._text import not_shown, number, plain, shorten

_BETTER, _WORSE = FILLS[0], FILLS[1]


def plot_prediction(
    result: PredictionExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the contributions to a prediction as bars, the largest on top.

    Plain bars make it better, hatched ones worse. Whiskers are 95 % intervals of integrating over
    the background. More than 20 hyperparameters are folded; inactive ones are left out.

    Parameters
    ----------
    result : PredictionExplanation
        The explanation.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: contribution by hyperparameter, in the objective's units.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, objective="loss", background=50)
    >>> plot_prediction(found).get_xlabel()
    'contribution to the predicted loss: left is better'
    """
    order = [j for j in result.order().tolist() if result.active[j]]
    rest = order[MOST_ROWS - 1 :] if len(order) > MOST_ROWS else []
    bars = [
        _bar(
            result,
            (result.names[j], f"= {format_value(result.config[result.names[j]])}"),
            float(result.phi[j]),
            None if result.half_width is None else float(result.half_width[j]),
        )
        for j in order[: len(order) - len(rest)]
    ]
    if rest:
        bars.append(_bar(result, (f"{len(rest)} others (sum)",), float(result.phi[rest].sum())))
    what = shorten(plain(result.objective_name), 40)
    side = "left" if result.direction == "minimize" else "right"
    patches = [
        (Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0), kind)
        for fill, kind in ((_BETTER, "better"), (_WORSE, "worse"))
        if any(bar.fill is fill and bar.value != 0.0 for bar in bars)
    ]
    gap = result.prediction - result.baseline
    return plot_bars(
        bars,
        ax=ax,
        width=width,
        heading=f"Why is this {what} predicted for {result.subject}?",
        subtitle=f"predicted {number(result.prediction, apart=gap)}, on average "
        f"{number(result.baseline, apart=gap)}: the bars add up to the difference",
        label=f"contribution to the predicted {what}: {side} is better",
        footer=_footer(result),
        legend=patches,
    )


def _bar(
    result: PredictionExplanation, parts: tuple[str, ...], value: float, half: float | None = None
) -> Bar:
    better = value == 0.0 or (value < 0.0) == (result.direction == "minimize")
    return Bar(parts, value, half, _BETTER if better else _WORSE)


def _footer(result: PredictionExplanation) -> str:
    if result.half_width is None:
        text = "No intervals: the background was given."
    else:
        size = counted(result.background_size, "configuration")
        text = (
            f"Whiskers: 95 % interval of averaging over a background of {size}; it is not the "
            "model's uncertainty."
        )
    inactive = int((~result.active).sum())
    return text + not_shown(inactive, "inactive", "inactive")
