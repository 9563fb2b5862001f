"""The plot of a LIME explanation: what changes the prediction around one configuration."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from hpo_explain._words import counted
from hpo_explain.explanations import LimeExplanation, LimeStatement
from hpo_explain.plotting._bars import MOST_ROWS, Bar, plot_bars
from hpo_explain.plotting._style import FILLS, WIDTH
from hpo_explain.plotting._text import not_shown, number, plain, shorten

_BETTER, _WORSE = FILLS[0], FILLS[1]


def plot_lime(result: LimeExplanation, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the effects of a linear model's changes, or of a tree's leaves, as bars.

    Plain bars improve, hatched ones do not; whiskers are standard deviations. The fidelity stands
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
    shown = result.statements[:MOST_ROWS]
    lower = result.direction == "minimize" and not result.acquisition
    bars = [_bar(result, s, lower=lower) for s in shown]
    what = shorten(plain(result.explained), 60)
    kind = "linear model" if result.model == "linear" else "small tree"
    subtitle = (
        f"{kind} in place of the surrogate: weighted R² = {result.fidelity:.2f}; predicted "
        f"{number(result.prediction)}, by the {kind} {number(result.local_prediction)}"
    )
    if result.caution:
        subtitle += f"\nCaution: {result.caution[0].lower()}{result.caution[1:]}"
    return plot_bars(
        bars,
        ax=ax,
        width=width,
        heading=f"What changes the {what} around {result.subject}",
        subtitle=subtitle,
        label=f"change of the {what}",
        footer=_footer(result, len(result.statements) - len(shown)),
        legend=_legend(bars),
    )


def _bar(result: LimeExplanation, statement: LimeStatement, *, lower: bool) -> Bar:
    better = (statement.effect <= 0.0) == lower or statement.effect == 0.0
    if result.model == "linear":
        (name,) = statement.names
        parts: tuple[str, ...] = (name, statement.text.removeprefix(name).strip())
    else:
        first, *others = statement.conditions or ("everywhere",)
        own = ["(its own leaf)"] if statement.own else []
        parts = (first, *(f"and {text}" for text in others), *own)
    return Bar(parts, statement.effect, statement.std, _BETTER if better else _WORSE)


def _legend(bars: list[Bar]) -> list[tuple[Artist, str]]:
    return [
        (Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0), what)
        for fill, what in ((_BETTER, "better"), (_WORSE, "worse"))
        if any(bar.fill is fill and bar.value != 0.0 for bar in bars)
    ]


def _footer(result: LimeExplanation, left_out: int) -> str:
    sample = counted(result.sample_size, "configuration")
    size = f"{sample} (worth {result.effective_size:.0f} at x)"
    whiskers = (
        "std from drawing the sample, misfit included"
        if result.model == "linear"
        else "std of the predictions within a leaf"
    )
    text = (
        f"Fitted to the surrogate at {size}, weighed by a kernel of width "
        f"{number(result.kernel_width, 2)}. Whiskers: {whiskers}."
    )
    return text + not_shown(left_out, "smaller one", "smaller ones")
