"""How a functional ANOVA is drawn: shares of the variance as bars."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, percent, shorten
from hpo_explain.base.figures import PALE, Bar, Rows, View
from hpo_explain.methods.importance.fanova_result import FanovaImportance, capped

WHISKERS = {
    "trees": "Whiskers: standard deviation over the forest's trees, not a confidence interval.",
    "draws": "Whiskers: 95% intervals.",
}
_KINDS = {1: "hyperparameters alone", 2: "pairs", 3: "triples"}
_MOST_FILLS = 4


def whisker(importance: FanovaImportance, i: int) -> float | tuple[float, float]:
    """Return how far the whisker of a share reaches down and up."""
    share, (low, high) = float(importance.estimate[i]), importance.bounds(i)
    if np.isnan(low):
        return float(importance.shares[:, i].std())
    return max(share - low, 0.0), max(high - share, 0.0)


def shares(importance: FanovaImportance) -> Rows:
    """Draw the shares of the variance as bars, what matters most on top.

    Bars of single hyperparameters and of interactions differ by color and pattern. Whiskers are
    the 95 % interval where one is known, else the standard deviation over trees; a pale bar behind
    reaches to a hyperparameter's total effect, where it is known. More than 20 sets are folded: the
    last rows are the sums of the other hyperparameters and of the other interactions.
    """
    largest, rest = _largest(importance)
    labels, bars = [_label(importance, i) for i in largest], list[Bar]()
    for row, i in enumerate(largest):
        fill = _fill(len(importance.members[i]))
        bars.append(Bar(row, 0.0, float(importance.estimate[i]), whisker(importance, i), fill=fill))
    for order, noun in ((1, "hyperparameter"), (2, "interaction")):
        folded = [i for i in rest if min(len(importance.members[i]), 2) == order]
        if folded:
            labels.append((f"{counted(len(folded), f'other {noun}')} (sum)",))
            spread = float(importance.shares[:, folded].sum(axis=1).std())
            bars.append(
                Bar(
                    len(bars),
                    0.0,
                    float(importance.estimate[folded].sum()),
                    spread if importance.rows == "trees" else None,
                    fill=_fill(order),
                )
            )
    objective = shorten(importance.subject.objective_name, 40)
    each = importance.known_totals.mean(axis=0)
    at = [
        (row, importance.members[i][0])
        for row, i in enumerate(largest)
        if len(importance.members[i]) == 1
    ]
    if np.isfinite(each).all():
        # behind the bar: beside it, it would be read as another estimate of the same
        bars += [Bar(row, 0.0, float(each[j]), fill=PALE) for row, j in at]
    return Rows(
        labels=labels,
        bars=bars,
        fills={
            0: "alone",
            **{k: f"interaction of {k + 1}" for k in range(1, _MOST_FILLS)},
            PALE: "with its interactions",
        },
        heading=_heading(importance, objective),
        subtitle=_subtitle(importance),
        label=f"share of the variance of {_explained(importance, objective)}",
        footer=WHISKERS[importance.rows],
        percent=True,
        positive=True,
    )


def _heading(importance: FanovaImportance, objective: str) -> str:
    if importance.top is None:
        return f"What the {objective} depends on"
    one = (
        "a configuration"
        if importance.within is None
        else f"one of the better {importance.within:.0%}"
    )
    return f"What decides whether {one} is among the best {percent(importance.top)}"


def _explained(importance: FanovaImportance, objective: str) -> str:
    best = "" if importance.top is None else f"being among the best {percent(importance.top)}"
    return best or f"the predicted {objective}"


VIEWS = {
    "": View(
        shares, "Share of the variance that each hyperparameter and each interaction explains."
    ),
}


def _largest(importance: FanovaImportance) -> tuple[list[int], list[int]]:
    """Return the sets that have a bar of their own, the largest first, and the others."""
    ranking = importance.by_size().tolist()
    if len(ranking) <= Rows.MOST:
        return ranking, []
    shown = Rows.MOST - 1 - (importance.order > 1)
    return ranking[:shown], ranking[shown:]


def _fill(order: int) -> int:
    return min(order, _MOST_FILLS) - 1


def _label(importance: FanovaImportance, i: int) -> tuple[str, ...]:
    *first, last = (importance.names[j] for j in importance.members[i])
    activity = importance.axes[importance.members[i][0]].activity
    active: tuple[str, ...] = ()
    if not first and activity < 1.0:
        space = "sub-space" if importance.given else "space"
        active = (f"(active in {percent(activity)} of the {space})",)
    return (*(f"{name} ×" for name in first), last, *active)


def _subtitle(importance: FanovaImportance) -> str:
    """Return what the bars show, in which sub-space, and what each order explains."""
    lines = ["over the whole search space"]
    if importance.within is not None:
        lines = [f"over the better {percent(importance.within)} of the search space"]
    if importance.given:
        lines = [f"given {importance.where_given}"]
    if importance.cap is not None:
        lines[0] += f"; {capped(importance.cap, importance.direction)}"
    if importance.total_variance == 0.0:
        lines.append("constant: no hyperparameter matters")
    else:
        texts = []
        for order in range(1, importance.order + 1):
            at = [i for i, u in enumerate(importance.members) if len(u) == order]
            share = min(1.0, float(importance.estimate[at].sum()))
            texts.append(f"{_KINDS.get(order, f'sets of {order}')} {percent(share)}")
        if importance.order < len(importance.names):
            rest = max(0.0, 1.0 - float(importance.estimate.sum()))
            texts.append(f"larger interactions {percent(rest)}")
        lines.append(", ".join(texts))
    if importance.fidelity is not None:
        lines.append(f"forest distilled from the model: R² = {importance.fidelity:.3f}")
    return "\n".join(lines)
