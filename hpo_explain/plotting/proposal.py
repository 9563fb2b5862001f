"""The plot of a proposal's explanation: what each hyperparameter added, term by term."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.plotting._bars import Bars, Row, draw_bars, folded
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._subject import shown
from hpo_explain.plotting._text import plain
from hpo_explain.space import Array
from hpo_explain.wording import proposal as words
from hpo_explain.wording.subject import INACTIVE, NOT_CHOSEN

_MOST_INACTIVE = 3


@draws(ProposalExplanation)
def plot_proposal(
    result: ProposalExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the contributions to a proposal, the largest on top.

    One row per hyperparameter and in it one bar per term of the acquisition; a diamond marks
    their total. Whiskers are 95 % intervals of integrating over the background, pale lines
    behind them those of the model's own uncertainty. More than 20
    hyperparameters are folded: the last row is the sum of the others.

    Parameters
    ----------
    result : ProposalExplanation
        The explanation.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Figure 10 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> plot_proposal(explanation).get_xlabel()
    'contribution to LCB (κ = 1.96): right is more desirable'
    """
    about = shown(result.subject)
    half, model = result.half_width(), result.model_half_width()
    kept, rest = folded([j for j in result.order().tolist() if result.active[j]])
    rows = [
        _row(
            (result.names[j], f"= {words.value(result, j)}"),
            result.phi[j],
            None if half is None else half[j],
            None if model is None else model[j],
        )
        for j in kept
    ]
    if rest:
        # their errors are not independent, so the sum's interval does not follow from theirs
        rows.append(_row((words.others(len(rest)),), result.phi[rest].sum(axis=0)))
    terms = [shorten(plain(term), 40) for term in result.terms]
    return draw_bars(
        Bars(
            rows=tuple(rows),
            heading=words.heading(about),
            subtitle=words.subtitle(result, about, terms),
            label=words.label(about),
            footer=words.footer(result, folded=bool(rest)),
            legend=tuple(enumerate(terms)),
            mark=words.TOTAL if len(terms) > 1 else "",
            inactive=tuple(_inactive(result)),
            scale=max(map(abs, result.prediction.values()), default=0.0),
        ),
        ax=ax,
        width=width,
    )


def _row(
    parts: tuple[str, ...], phi: Array, half: Array | None = None, model: Array | None = None
) -> Row:
    """Return a row, of contributions by term and half their intervals, the total's last."""
    return Row(
        parts,
        tuple(phi.tolist()),
        () if half is None else tuple(half.tolist()),
        mark=float(phi.sum()) if len(phi) > 1 else None,
        model=() if model is None else tuple(model[:-1].tolist()),  # the total's is the same
    )


def _inactive(result: ProposalExplanation) -> list[str]:
    """Return labels for what has no value."""
    names = [name for name in result.names if name not in result.config]
    missing = [f"{shorten(plain(name), 20)}: {NOT_CHOSEN}" for name in result.not_chosen]
    inactive = [name for name in names if name not in result.not_chosen]
    if len(inactive) > _MOST_INACTIVE:
        return [*missing, words.inactive(len(inactive))]
    return [*missing, *(f"{shorten(plain(name), 20)}: {INACTIVE}" for name in inactive)]
