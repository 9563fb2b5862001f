"""The plot of a functional ANOVA: the share of the variance that each set explains."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from hpo_explain.explanations import FanovaImportance
from hpo_explain.plotting._bars import MOST_ROWS, Bar, plot_bars
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._style import FILLS, GREY, TEXT, WIDTH, Fill, ink
from hpo_explain.plotting._text import abbreviated, plain, shorten
from hpo_explain.space import Array
from hpo_explain.wording import fanova as words

_MARK: dict[str, Any] = {
    "marker": "|", "linestyle": "none", "markersize": 9.0, "markeredgewidth": 2.2,
}  # fmt: skip


@draws(FanovaImportance)
def plot_fanova(result: FanovaImportance, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the shares of the variance as bars, the largest on top.

    Bars of single hyperparameters and of interactions differ by color and pattern. Whiskers are
    the standard deviation over trees; a small mark is a hyperparameter's total effect, where it
    is known. More than 20 sets are folded: the last rows are the sums of the other
    hyperparameters and of the other interactions.

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
    singles = {row: result.members[i][0] for row, i in enumerate(kept) if i < len(result.names)}
    rows = [(len(result.members[i]), _bar(result, i)) for i in kept] + _sums(result, rest)
    totals = {}
    if result.known_totals is not None:
        means = result.known_totals.mean(axis=0)
        totals = {row: float(means[j]) for row, j in singles.items()}
    ax = plot_bars(
        [bar for _, bar in rows],
        ax=ax,
        width=width,
        heading=words.heading(objective),
        subtitle=words.subtitle(result, where),
        label=words.label(objective),
        footer=words.footer(_unstable(result, {result.names[j] for j in singles.values()})),
        legend=_legend(sorted({order for order, _ in rows}), bool(totals)),
        formatter=PercentFormatter(xmax=1.0),
    )
    if totals:
        ax.plot(list(totals.values()), list(totals), color=ink(), zorder=4, clip_on=False, **_MARK)
    ends = [bar.value + (bar.half or 0.0) for _, bar in rows]
    ax.set_xlim(0.0, 1.04 * max([*ends, *totals.values()]) or 1.0)
    if result.total_variance == 0.0:
        ax.text(
            0.5, 0.5, words.CONSTANT, transform=ax.transAxes, ha="center", va="center",
            color=GREY, fontsize=TEXT,
        )  # fmt: skip
    return ax


def _largest(result: FanovaImportance) -> tuple[list[int], list[int]]:
    """Return the sets that have a bar of their own, the largest first, and the others."""
    ranking = np.argsort(-result.shares.mean(axis=0), kind="stable").tolist()
    if len(ranking) <= MOST_ROWS:
        return ranking, []
    shown = MOST_ROWS - 1 - (result.order > 1)
    return ranking[:shown], ranking[shown:]


def _sums(result: FanovaImportance, rest: list[int]) -> list[tuple[int, Bar]]:
    """Return the sums of the other hyperparameters and of the other interactions."""
    sums = []
    for order, noun in ((1, "hyperparameter"), (2, "interaction")):
        folded = [i for i in rest if min(len(result.members[i]), 2) == order]
        if folded:
            name = words.others(len(folded), noun)
            shares = result.shares[:, folded].sum(axis=1)
            sums.append((order, _share_bar((name,), shares, order)))
    return sums


def _bar(result: FanovaImportance, i: int) -> Bar:
    members = result.members[i]
    *first, last = (result.names[j] for j in members)
    parts = [*(f"{name} ×" for name in first), last]
    activity = result.axes[members[0]].activity
    if not first and activity < 1.0:
        parts.append(f"({words.activity(activity, bool(result.given))})")
    return _share_bar(tuple(parts), result.shares[:, i], len(members))


def _share_bar(parts: tuple[str, ...], shares: Array, order: int) -> Bar:
    return Bar(parts, float(shares.mean()), float(shares.std()), _fill(order))


def _fill(order: int) -> Fill:
    return FILLS[min(order, len(FILLS)) - 1]


def _legend(orders: list[int], with_totals: bool) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = []
    for order in orders:
        fill = _fill(order)
        patch = Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0)
        entries.append((patch, words.ALONE if order == 1 else words.interaction(order)))
    if with_totals:
        entries.append((Line2D([], [], color=ink(), **_MARK), words.TOTAL))
    return entries


def _unstable(result: FanovaImportance, shown: set[str]) -> list[tuple[str, str]]:
    """Return neighbours without a stable order, both of which are shown, as they are written."""
    pairs = [pair for pair in result.unstable_neighbours() if shown.issuperset(pair)]
    return [tuple(abbreviated(map(plain, pair), 24)) for pair in pairs]  # type: ignore[misc]
