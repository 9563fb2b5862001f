"""The plot of a functional ANOVA: the share of the variance that each set explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from hpo_explain._width import columns
from hpo_explain.explanations import FanovaImportance
from hpo_explain.plotting._layout import (
    characters,
    points_across,
)
from hpo_explain.plotting._rows import style_rows, write_rows
from hpo_explain.plotting._style import (
    FILLS,
    GREY,
    TEXT,
    WIDTH,
    Fill,
    ink,
    new_axes,
    set_height,
)
from hpo_explain.plotting._text import abbreviated, distinct, number, plain, shorten
from hpo_explain.space import Array

MOST_ROWS = 20
_ROW_POINTS = (17.0, 27.0)  # height of rows whose labels take one and two lines
_MOST_UNSTABLE = 3
_KINDS = {2: "pairs", 3: "triples"}
_TIMES = " × "


@dataclass(frozen=True, eq=False)
class _Row:
    """One bar: its label, how many hyperparameters interact, and its share in each tree."""

    names: tuple[str, ...]
    note: str
    order: int
    shares: Array
    total: float | None = None


def plot_importance(
    result: FanovaImportance, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the shares of the variance as bars, the largest on top.

    Bars of single hyperparameters and of interactions differ by color and pattern. Whiskers are
    the standard deviation over trees; a small bar marks a hyperparameter's total effect, where it
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
    >>> plot_importance(hx.importance(table, objective="loss")).get_xlabel()
    'share of the variance of the predicted loss'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    rows = _rows(result)
    across = points_across(ax)
    labels = _labels(rows, characters(0.36 * across))
    _draw_bars(ax, rows)
    style_rows(ax, labels)
    ax.set_xlim(0.0, _reach(rows))
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    if result.total_variance == 0.0:
        ax.text(
            0.5, 0.5, "constant: no hyperparameter matters", transform=ax.transAxes, ha="center",
            va="center", color=GREY, fontsize=TEXT,
        )  # fmt: skip

    high = write_rows(
        ax, heading=_heading(result), subtitle=_subtitle(result),
        label=f"share of the variance of the predicted {_objective(result)}",
        footer=_footer(result, rows), legend=_legend(rows),
    )  # fmt: skip
    if own:
        row = _ROW_POINTS[any("\n" in text for text in labels)]
        set_height(ax, high + len(rows) * row)
    return ax


# ---------------------------------------------------------------------- rows


def _rows(result: FanovaImportance) -> list[_Row]:
    """Return the bars, the largest first, and after them the sums of what is folded."""
    ranking = np.argsort(-result.shares.mean(axis=0), kind="stable").tolist()
    kept, rest = ranking, []
    if len(ranking) > MOST_ROWS:
        n_sums = 1 + (result.order > 1)
        kept, rest = ranking[: MOST_ROWS - n_sums], ranking[MOST_ROWS - n_sums :]
    rows = [_row(result, i) for i in kept]
    for interacting, noun in ((False, "hyperparameter"), (True, "interaction")):
        folded = [i for i in rest if (len(result.members[i]) > 1) == interacting]
        if folded:
            name = f"{len(folded)} other {noun}{'s' if len(folded) > 1 else ''} (sum)"
            shares = result.shares[:, folded].sum(axis=1)
            rows.append(_Row((name,), "", 2 if interacting else 1, shares))
    return rows


def _row(result: FanovaImportance, i: int) -> _Row:
    members = result.members[i]
    names = tuple(plain(result.names[j]) for j in members)
    single = len(members) == 1
    return _Row(
        names,
        _activity(result, members[0]) if single else "",
        len(members),
        result.shares[:, i],
        float(result.totals[:, members[0]].mean())
        if single and result.totals is not None
        else None,
    )


def _activity(result: FanovaImportance, j: int) -> str:
    share = result.axes[j].activity
    if share >= 1.0:
        return ""
    return f"active in {share:.0%} of the {'sub-space' if result.given else 'space'}"


def _labels(rows: Sequence[_Row], width: int) -> list[str]:
    """Return names of sets, on two lines where one has no room."""
    names = list(dict.fromkeys(name for row in rows for name in row.names))

    @cache
    def fitted(room: int) -> dict[str, str]:
        return dict(zip(names, abbreviated(names, room), strict=True))

    labels = []
    for row in rows:
        line = _TIMES.join(row.names) + (f" ({row.note})" if row.note else "")
        first, *others = row.names
        if columns(line) > width and not others:
            line = f"{fitted(width)[first]}\n{row.note}".rstrip()
        elif columns(line) > width:
            each = max(width // len(others) - len(_TIMES), 3)
            second = _TIMES.join(fitted(each)[name] for name in others)
            line = f"{fitted(width - 2)[first]} ×\n{shorten(second, width)}"
        labels.append(line)
    return distinct(labels)


def _reach(rows: list[_Row]) -> float:
    ends = [row.shares.mean() + row.shares.std() for row in rows]
    ends += [row.total for row in rows if row.total is not None]
    reach = max(ends, default=0.0)
    return 1.0 if reach == 0.0 else 1.04 * float(reach)


# ---------------------------------------------------------------------- marks


def _fill(order: int) -> Fill:
    return FILLS[min(order, len(FILLS)) - 1]


def _draw_bars(ax: Axes, rows: list[_Row]) -> None:
    for order in sorted({row.order for row in rows}):
        y = [i for i, row in enumerate(rows) if row.order == order]
        shares = [rows[i].shares for i in y]
        fill = _fill(order)
        ax.barh(
            y, [s.mean() for s in shares], height=0.72, color=fill.color, hatch=fill.hatch,
            edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
        ax.errorbar(
            [s.mean() for s in shares], y, xerr=[s.std() for s in shares], fmt="none",
            ecolor=ink(), elinewidth=1.0, capsize=2.0, capthick=1.0, zorder=3,
        )  # fmt: skip
    known = [(row.total, i) for i, row in enumerate(rows) if row.total is not None]
    if known:
        ax.plot(
            [total for total, _ in known], [i for _, i in known], "|", color=ink(),
            markersize=9.0, markeredgewidth=2.2, zorder=4, clip_on=False,
        )  # fmt: skip


# ---------------------------------------------------------------------- words


def _legend(rows: list[_Row]) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = []
    for order in sorted({row.order for row in rows}):
        fill = _fill(order)
        patch = Patch(facecolor=fill.color, hatch=fill.hatch, edgecolor="white", linewidth=0.0)
        entries.append((patch, "alone" if order == 1 else f"interaction of {order}"))
    if any(row.total is not None for row in rows):
        mark = Line2D(
            [], [], marker="|", linestyle="none", color=ink(), markersize=9.0, markeredgewidth=2.2
        )
        entries.append((mark, "total, with all interactions"))
    return entries


def _objective(result: FanovaImportance) -> str:
    return shorten(plain(result.objective_name), 40)


def _heading(result: FanovaImportance) -> str:
    return f"What the {_objective(result)} depends on"


def _subtitle(result: FanovaImportance) -> str:
    where = "over the whole search space"
    if result.given:
        where = f"given {shorten(plain(result.where), 200)}"
    lines = [where]
    if result.cap is not None:
        side = "above" if result.direction == "minimize" else "below"
        cap = number(result.cap)
        lines[0] += f"; predictions {side} {cap} count as {cap}"
    if result.total_variance > 0.0:
        parts = []
        for order in range(1, result.order + 1):
            what = "hyperparameters alone" if order == 1 else _KINDS.get(order, f"sets of {order}")
            at = [i for i, u in enumerate(result.members) if len(u) == order]
            parts.append(f"{what} {result.shares[:, at].sum(axis=1).mean():.0%}")
        rest = max(0.0, 1.0 - float(result.shares.sum(axis=1).mean()))
        if result.order < len(result.names):
            parts.append(f"larger interactions {rest:.0%}")
        lines.append(", ".join(parts))
    if result.fidelity is not None:
        lines.append(f"forest distilled from the model: R² = {result.fidelity:.3f}")
    return "\n".join(lines)


def _footer(result: FanovaImportance, rows: list[_Row]) -> str:
    text = "Whiskers: std over the trees of the forest; it is no confidence interval."
    shown = {row.names[0] for row in rows if row.order == 1}
    pairs = [
        (plain(a), plain(b))
        for a, b in result.unstable_neighbours()
        if plain(a) in shown and plain(b) in shown
    ]
    unstable = [" and ".join(abbreviated(pair, 24)) for pair in pairs]
    if unstable:
        text += f" Not the same order in all trees: {'; '.join(unstable[:_MOST_UNSTABLE])}"
        more = len(unstable) - _MOST_UNSTABLE
        text += f"; and {more} more." if more > 0 else "."
    return text
