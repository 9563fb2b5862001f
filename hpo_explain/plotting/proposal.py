"""The plot of a proposal's explanation: what each hyperparameter added, term by term."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from hpo_explain._words import counted
from hpo_explain.explanations import ProposalExplanation
from hpo_explain.plotting._layout import (
    characters,
    points_across,
)
from hpo_explain.plotting._rows import row_labels, style_rows, write_rows
from hpo_explain.plotting._style import (
    FILLS,
    GREY,
    WIDTH,
    ink,
    new_axes,
    set_height,
)
from hpo_explain.plotting._term_bars import BARS, row_points, term_legend
from hpo_explain.plotting._text import distinct, number, plain, shorten, signed
from hpo_explain.space import Array

MOST_ROWS = 20
_MOST_INACTIVE = 3
_NEGLIGIBLE = 1e-12  # of the values that were subtracted: rounding, not a contribution


@dataclass(frozen=True, eq=False)
class _Row:
    """One line of the plot: contributions by term, and half their intervals (total last)."""

    name: str
    value: str
    phi: Array
    half: Array | None


def plot_proposal(
    result: ProposalExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the contributions to a proposal, the largest on top.

    One row per hyperparameter and in it one bar per term of the acquisition; a diamond marks
    their total. Whiskers are 95 % intervals of integrating over the background. More than 20
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
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    rows, inactive = _rows(result)
    n_terms, n = len(result.terms), len(rows) + len(inactive)
    across = points_across(ax)
    parts = ((row.name, f"= {row.value}" if row.value else "") for row in rows)
    labels = distinct([*row_labels(parts, characters(0.32 * across)), *inactive])
    for t in range(n_terms):
        _draw_term(ax, rows, t, n_terms)
    if n_terms > 1:
        _draw_total(ax, rows)
    style_rows(ax, labels)
    ax.set_xlim(_limits(result, rows))
    for tick in ax.get_yticklabels()[len(rows) :]:
        tick.set_color(GREY)

    folded = len(rows) < int(result.active.sum())
    high = write_rows(
        ax, heading=_heading(result), subtitle=_subtitle(result), label=_axis_label(result),
        footer=_footer(result, folded=folded), legend=term_legend(result.terms),
    )  # fmt: skip
    if own:
        set_height(ax, high + n * row_points(n_terms))
    return ax


# ---------------------------------------------------------------------- rows


def _rows(result: ProposalExplanation) -> tuple[list[_Row], list[str]]:
    """Return the rows of what is active, the largest first, and labels of what is not."""
    half = result.half_width()
    order = [j for j in result.order() if result.active[j]]
    others = order[MOST_ROWS - 1 :] if len(order) > MOST_ROWS else []
    rows = [
        _Row(
            plain(result.names[j]),
            plain(result.values[j]),
            result.phi[j],
            None if half is None else half[j],
        )
        for j in order[: len(order) - len(others)]
    ]
    if others:
        # Their errors are not independent, so the sum's interval does not follow from theirs.
        rows.append(_Row(f"{len(others)} others (sum)", "", result.phi[others].sum(axis=0), None))
    names = [
        plain(name) for name, active in zip(result.names, result.active, strict=True) if not active
    ]
    if len(names) > _MOST_INACTIVE:
        return rows, [f"{len(names)} inactive"]
    return rows, [f"{shorten(name, 20)}: inactive" for name in names]


def _limits(result: ProposalExplanation, rows: list[_Row]) -> tuple[float, float]:
    ends = [0.0]
    for row in rows:
        centre = np.append(row.phi, row.phi.sum())
        half = np.zeros_like(centre) if row.half is None else row.half
        ends += [*(centre - half), *(centre + half)]
    low, high = min(ends), max(ends)
    scale = max((abs(value) for value in result.prediction.values()), default=0.0)
    if high - low <= _NEGLIGIBLE * max(scale, abs(low), abs(high)) or high == low:
        reach = scale or 1.0
        return -reach, reach
    margin = 0.06 * (high - low)
    return (low - margin if low < 0 else -margin), (high + margin if high > 0 else margin)


# ---------------------------------------------------------------------- marks


def _draw_term(ax: Axes, rows: list[_Row], t: int, n_terms: int) -> None:
    thickness = BARS / n_terms
    y = np.arange(len(rows), dtype=float) + (t - (n_terms - 1) / 2) * thickness
    phi = np.array([row.phi[t] for row in rows])
    fill = FILLS[t % len(FILLS)]
    ax.barh(
        y, phi, height=0.9 * thickness, color=fill.color, hatch=fill.hatch, edgecolor="white",
        linewidth=0.0, zorder=2,
    )  # fmt: skip
    _draw_whiskers(ax, y, phi, [None if row.half is None else row.half[t] for row in rows], 0.8)


def _draw_total(ax: Axes, rows: list[_Row]) -> None:
    y = np.arange(len(rows), dtype=float)
    total = np.array([row.phi.sum() for row in rows])
    _draw_whiskers(ax, y, total, [None if row.half is None else row.half[-1] for row in rows], 1.4)
    ax.plot(
        total, y, "D", color=ink(), markersize=6.0, markeredgecolor="white", markeredgewidth=1.0,
        zorder=4,
    )  # fmt: skip


def _draw_whiskers(
    ax: Axes, y: Array, centre: Array, halves: list[float | None], linewidth: float
) -> None:
    known = [i for i, half in enumerate(halves) if half is not None]
    if known:
        half = np.array([halves[i] for i in known], dtype=float)
        ax.errorbar(
            centre[known], y[known], xerr=half, fmt="none", ecolor=ink(), elinewidth=linewidth,
            capsize=2.0, capthick=linewidth, zorder=3,
        )  # fmt: skip


# ---------------------------------------------------------------------- words


def _heading(result: ProposalExplanation) -> str:
    through = _acquisition(result)
    if result.model:
        through = f"{plain(result.model)} with {through}"
    if result.assumed:
        return f"Why {result.subject}? As {through} would have seen it (assumed)"
    return f"Why {result.subject}? As {shorten(plain(result.optimizer), 60)} saw it: {through}"


def _axis_label(result: ProposalExplanation) -> str:
    return f"contribution to {_acquisition(result)}: right is more desirable"


def _acquisition(result: ProposalExplanation) -> str:
    return shorten(plain(result.acquisition), 60)


def _subtitle(result: ProposalExplanation) -> str:
    payout = result.payout
    scale = max(abs(payout[name]) for name in ("total", *result.terms))
    text = f"payout {signed(payout['total'], scale)}"
    if len(result.terms) > 1:
        text += " = " + ", ".join(
            f"{shorten(plain(term), 40)} {signed(payout[term], scale)}" for term in result.terms
        )
    here, on_average = result.objective_prediction, result.objective_baseline
    if here is not None and on_average is not None:
        name = shorten(plain(result.objective_name), 40)
        better = "lower" if result.direction == "minimize" else "higher"
        gap = here["mean"] - on_average["mean"]
        text += (
            f"\npredicted {name} {number(here['mean'], 3, apart=gap)} ± {number(here['std'], 2)}, "
            f"on average {number(on_average['mean'], 3, apart=gap)} ({better} is better)"
        )
    return text


def _footer(result: ProposalExplanation, *, folded: bool) -> str:
    if result.standard_error is None:
        text = "No intervals: the background was given."
    else:
        size = counted(result.background_size, "configuration")
        text = (
            f"Whiskers: 95 % interval of averaging over a background of {size}; it is not the "
            "model's uncertainty."
        )
        if folded:
            text += " None is known for a sum."
    gap, scale = result.efficiency_gap["total"], abs(result.payout["total"])
    if abs(gap) > 1e-6 * max(scale, float(np.abs(result.total).max(initial=0.0))):
        text += f" The contributions miss {signed(gap, max(scale, abs(gap)))} of the payout."
    return text
