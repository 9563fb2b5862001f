"""How a Pareto front is drawn: where it lies, and what pays for the way along it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from hpo_explain.base import counted, join_words, listed
from hpo_explain.base.figures import Axis, Bar, Curves, Dots, Line, Panels, Rows, View, usual_ends
from hpo_explain.belief import Decision
from hpo_explain.methods.runs.pareto_result import ParetoFront
from hpo_explain.space import Array

_LABELLED = 5  # trials of the front that are numbered
# of the range of what is drawn: between labels, and around all
_APART, _MARGIN = (0.07, 0.05)
_TO_THE_RIGHT = 30.0  # times the middle of the front beyond which an axis is logarithmic
_FOOTER = (
    "Numbers: trials at the ends of the front, and between them. What was observed may be luck: "
    "the table has what the models predict."
)
_MEANS = {
    "main": "Pareto front",
    "others": "dominated",
    "infeasible": "infeasible",
    "beyond": "beyond the axes",
    "star": "to take at the trade-off",
    "total": "to try (predicted, 95 %)",
}


def front(result: ParetoFront) -> Curves | Panels:
    """Draw all trials by two objectives, and the front; a panel for each pair of several."""
    pairs = [*itertools.combinations(range(len(result.objectives)), 2)][: Panels.FEW]
    heading = f"The Pareto front of {join_words(result.objectives)}"
    subtitle = f"{len(result.front)} of {counted(len(result.trials), 'trial')}"
    if len(pairs) == 1:
        return _pair(result, 0, 1, heading, subtitle)
    panels = [
        _pair(result, k, other, " and ".join(result.objectives[i] for i in (k, other)))
        for k, other in pairs
    ]
    return Panels(panels=panels, heading=heading, subtitle=subtitle, footer=_FOOTER, same_y=False)


def _pair(result: ParetoFront, k: int, other: int, heading: str, subtitle: str = "") -> Curves:
    """Draw trials by two objectives; axes end where the others are, and behind the front."""
    x, y = _axis(result, k), _axis(result, other)
    values = result.values[:, [k, other]]
    at = np.column_stack([x.at(values[:, 0]), y.at(values[:, 1])])
    on, lines, labels = (at[result.front], list[Line](), [""] * len(result.front))
    if len(result.objectives) == 2:  # what the front dominates begins at a step
        lines.append(Line(on[:, 0], on[:, 1], step=True))
        places = np.linspace(0, len(on) - 1, _LABELLED).round().astype(int)
        span = np.array([_range(x, at[:, 0]), _range(y, at[:, 1])])
        last = np.full(2, -np.inf)
        for place in places.tolist():
            if (np.abs(on[place] - last) > _APART * span).any():  # numbers do not overlap
                labels[place], last = (str(result.trials[result.front[place]]), on[place])
    groups = {"others": (result.ranks > 1) & result.feasible, "infeasible": ~result.feasible}
    dots = [
        Dots(at[rows, 0], at[rows, 1], look=look) for look, rows in groups.items() if rows.any()
    ]
    dots.append(Dots(on[:, 0], on[:, 1], labels=labels))
    if result.choice is not None:
        taken = at[result.trials == result.choice.trial]
        dots.append(Dots(taken[:, 0], taken[:, 1], look="star"))
    if result.extension is not None:
        across, up = (result.extension.predicted[i] for i in (k, other))
        (middle, *ends), (height, low, high) = _at(x, across), _at(y, up)
        lines.append(Line(np.array(ends), np.full(2, height), look="total"))
        half = np.array([[height - low], [high - height]])
        dots.append(Dots(np.array([middle]), np.array([height]), half, look="total"))
    return Curves(
        x=x,
        y=y,
        lines=lines,
        dots=dots,
        heading=heading,
        subtitle=subtitle,
        footer=_FOOTER if subtitle else "",
        means=_MEANS,
    )


def _at(axis: Axis, predicted: Decision) -> Array:
    """Return where a prediction and the ends of its interval stand along an axis, (3,)."""
    low, high = predicted.interval
    least = min(axis.values) if axis.log else -np.inf
    return axis.at([predicted.estimate, max(low, least), high])


def _range(axis: Axis, at: Array) -> float:
    """Return how far what is drawn reaches along an axis."""
    low, high = axis.limits
    whole = float(np.ptp(at)) if low is None or high is None else high - low
    return max(whole, float(np.finfo(float).tiny))


def _axis(result: ParetoFront, k: int) -> Axis:
    """Return the axis of an objective: the whole front is drawn, and most of the other trials."""
    values, front = result.values[:, k], result.values[result.front, k]
    if result.extension is not None:
        front = np.append(front, result.extension.predicted[k].estimate)
        values = np.append(values, front[-1])
    minimized = result.directions[k] == "minimize"
    middle, far = float(np.median(front)), float(front.max())
    better = "less" if minimized else "more"
    axis = Axis(
        label=f"{result.objectives[k]} ({better} is better)",
        values=values.tolist(),
        log=bool(values.min() > 0.0 and far > _TO_THE_RIGHT * middle > 0.0),
    )
    at, on = axis.at(values), axis.at(front)
    low, high = usual_ends(at, lower_is_better=minimized)
    if axis.log or low is high is None:
        return axis
    first = float(on.min() if low is None else min(low, on.min()))
    last = float(on.max() if high is None else max(high, on.max()))
    margin = _MARGIN * (last - first)
    return replace(axis, limits=(first - margin, last + margin))


def moves(result: ParetoFront) -> Rows:
    """Draw what each hyperparameter does to each objective from one end to the other."""
    label = "gain, in ranges of the front: right is better"
    if not result.moves:
        return Rows(
            labels=[],
            bars=[],
            label=label,
            heading="The Pareto front is one trial",
            subtitle="One trial is best in all objectives: there is no way to pay for.",
        )
    move, spread = result.moves[0], np.ptp(result.values[result.front], axis=0)
    ranges = np.where(spread > 0.0, spread, 1.0)
    gains, halves = move.gains() / ranges, move.halves() / ranges
    changed = [j for j, n in enumerate(result.names) if move.before.get(n) != move.after.get(n)]
    order = sorted(changed, key=lambda j: -float(np.abs(gains[j]).max()))
    bars = [
        Bar(row, 0.0, float(gain), float(half), place=k)
        for row, j in enumerate(order[: Rows.MOST])
        for k, (gain, half) in enumerate(zip(gains[j], halves[j], strict=True))
    ]
    rest = [result.names[j] for j in order[Rows.MOST :]]
    return Rows(
        labels=[(result.names[j],) for j in order[: Rows.MOST]],
        bars=bars,
        label=label,
        fills=dict(enumerate(result.objectives)),
        heading=f"What pays for the way from trial {move.source} to trial {move.target}",
        subtitle="Shapley values of the change of each hyperparameter, for the prediction of each "
        "objective",
        footer="Whiskers: 95 % intervals of the models."
        + (f" Smaller, not drawn: {listed(rest)}." if rest else ""),
    )


VIEWS = {
    "": View(front, "The Pareto front of {found.objectives_in_words}."),
    "moves": View(
        moves,
        "What pays for the way from one end of the front to the other.",
        shown_if=lambda result: bool(result.moves),
    ),
}
