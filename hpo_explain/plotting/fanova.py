"""The plot of a functional ANOVA: the share of the variance that each set explains."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.plotting._bars import MOST_ROWS, Bars, Half, Row, draw_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import FILLS, GREY, TEXT, WIDTH
from hpo_explain.plotting._text import abbreviated, plain
from hpo_explain.wording import fanova as words


@draws(FanovaImportance)
def plot_fanova(result: FanovaImportance, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the shares of the variance as bars, the largest on top.

    Bars of single hyperparameters and of interactions differ by color and pattern. Whiskers are
    the 95 % interval where one is known, else the standard deviation over trees; a small mark is a
    hyperparameter's total effect, where it is known. More than 20 sets are folded: the last rows
    are the sums of the other hyperparameters and of the other interactions.

    Parameters
    ----------
    result : FanovaImportance
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the rows need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: share of the variance (0 to 1) by set of hyperparameters.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Tables 1 and 2, here with the spread over trees.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_fanova(hx.importance(table, objective="loss")).get_xlabel()
    'share of the variance of the predicted loss'
    """
    objective = shorten(plain(result.subject.objective_name), 40)
    where = shorten(plain(words.sub_space(result.subject.space, result.given)), 200)
    kept, rest = _largest(result)
    members = [result.members[i] for i in kept]
    rows = [_row(result, i) for i in kept] + _sums(result, rest)
    fills = sorted({row.fill for row in rows if row.fill is not None})
    shown = {result.names[u[0]] for u in members if len(u) == 1}
    bars = Bars(
        rows=tuple(rows),
        heading=words.heading(objective),
        subtitle=words.subtitle(result, where),
        label=words.label(objective),
        footer=words.footer(result, _unstable(result, shown)),
        legend=tuple(
            (fill, words.ALONE if fill == 0 else words.interaction(fill + 1)) for fill in fills
        ),
        mark="" if result.known_totals is None else words.TOTAL,
        marker="|",
        percent=True,
        positive=True,
    )
    ax = draw_bars(bars, ax=ax, width=width)
    if result.total_variance == 0.0:
        ax.text(
            0.5, 0.5, words.CONSTANT, transform=ax.transAxes, ha="center", va="center",
            color=GREY, fontsize=TEXT,
        )  # fmt: skip
    return ax


def _largest(result: FanovaImportance) -> tuple[list[int], list[int]]:
    """Return the sets that have a bar of their own, the largest first, and the others."""
    ranking = np.argsort(-result.estimate, kind="stable").tolist()
    if len(ranking) <= MOST_ROWS:
        return ranking, []
    shown = MOST_ROWS - 1 - (result.order > 1)
    return ranking[:shown], ranking[shown:]


def _sums(result: FanovaImportance, rest: list[int]) -> list[Row]:
    """Return the sums of the other hyperparameters and of the other interactions."""
    sums = []
    for order, noun in ((1, "hyperparameter"), (2, "interaction")):
        folded = [i for i in rest if min(len(result.members[i]), 2) == order]
        if folded:
            name = words.others(len(folded), noun)
            spread = float(result.shares[:, folded].sum(axis=1).std())
            half = spread if result.intervals is None else None
            sums.append(_share_row((name,), float(result.estimate[folded].sum()), half, order))
    return sums


def _row(result: FanovaImportance, i: int) -> Row:
    members = result.members[i]
    *first, last = (result.names[j] for j in members)
    parts = [*(f"{name} ×" for name in first), last]
    activity = result.axes[members[0]].activity
    if not first and activity < 1.0:
        parts.append(f"({words.activity(activity, bool(result.given))})")
    total = None
    if not first and result.known_totals is not None:
        total = float(result.estimated_totals(result.known_totals)[members[0]])
    share, bounds = float(result.estimate[i]), result.bounds(i)
    half: Half = float(result.shares[:, i].std())
    if bounds is not None:
        half = max(share - bounds[0], 0.0), max(bounds[1] - share, 0.0)
    return _share_row(tuple(parts), share, half, len(members), total)


def _share_row(
    parts: tuple[str, ...],
    share: float,
    half: Half | None,
    order: int,
    total: float | None = None,
) -> Row:
    fill = min(order, len(FILLS)) - 1
    return Row(parts, (share,), (half,), mark=total, fill=fill)


def _unstable(result: FanovaImportance, shown: set[str]) -> list[tuple[str, str]]:
    """Return neighbours without a stable order, both of which are shown, as they are written."""
    pairs = [pair for pair in result.unstable_neighbours() if shown.issuperset(pair)]
    return [tuple(abbreviated(map(plain, pair), 24)) for pair in pairs]  # type: ignore[misc]
