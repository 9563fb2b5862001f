"""The plot of a prediction's explanation: what each hyperparameter adds to it."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.explanations.prediction import PredictionExplanation
from hpo_explain.plotting._bars import Bars, Row, draw_bars, folded
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._subject import shown
from hpo_explain.wording import format_value
from hpo_explain.wording import prediction as words
from hpo_explain.wording.proposal import others

_BETTER, _WORSE = 0, 1


@draws(PredictionExplanation)
def plot_prediction(
    result: PredictionExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the contributions to a prediction as bars, the largest on top.

    Plain bars make it better, hatched ones worse. Whiskers are 95 % intervals of integrating over
    the background, pale lines behind them those of the model's own uncertainty. More than 20
    hyperparameters are folded; inactive ones are left out.

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
    about = shown(result.subject)
    half, model = result.half_width, result.model_half_width
    kept, rest = folded([j for j in result.order().tolist() if result.active[j]])
    rows = [
        _row(
            result,
            (result.names[j], f"= {format_value(result.config[result.names[j]])}"),
            float(result.phi[j]),
            None if half is None else float(half[j]),
            None if model is None else float(model[j]),
        )
        for j in kept
    ]
    if rest:
        rows.append(_row(result, (others(len(rest)),), float(result.phi[rest].sum())))
    drawn = {row.fill for row in rows if row.values[0] != 0.0}
    return draw_bars(
        Bars(
            rows=tuple(rows),
            heading=words.heading(about),
            subtitle=words.subtitle(result),
            label=words.label(about),
            footer=words.footer(result),
            legend=tuple(
                (fill, name)
                for fill, name in ((_BETTER, words.BETTER), (_WORSE, words.WORSE))
                if fill in drawn
            ),
            scale=max(abs(result.prediction), abs(result.baseline)),
        ),
        ax=ax,
        width=width,
    )


def _row(
    result: PredictionExplanation,
    parts: tuple[str, ...],
    value: float,
    half: float | None = None,
    model: float | None = None,
) -> Row:
    lower = result.subject.lower_is_better
    better = value == 0.0 or (value < 0.0) == lower
    return Row(parts, (value,), (half,), fill=_BETTER if better else _WORSE, model=(model,))
