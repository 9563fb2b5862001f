"""How ablation is drawn: the path as a staircase, and what each step is worth in any order."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import Estimate, counted, format_value
from hpo_explain.base.figures import Bar, Dots, Rows, View
from hpo_explain.methods.around.ablation_result import Ablation

_MOST_STEPS = 10  # the path is greedy: those that follow gain less
_WHISKERS = "Whiskers: 95% intervals of what the trials allow, without observation noise."


def path(ablation: Ablation) -> Rows:
    """Draw the path from source to target, one stair per step, the first on top.

    Plain stairs improve, hatched ones do not. Whiskers are the 95 % intervals of the steps' gains,
    where the model has them. More than 10 steps are folded into the last stair.
    """
    rows, rest = Rows.folded(range(len(ablation.steps)), most=_MOST_STEPS)
    levels, bars = ablation.values[[0, *(i + 1 for i in rows)]], list[Bar]()
    labels: list[tuple[str, ...]] = [("source",)]
    for i in rows:
        step, along = ablation.steps[i], ablation.along[i]
        change = ablation.change(step).removeprefix(step[0]) if len(step) == 1 else ""
        follows = f"(+ {', '.join(along)})" if along else ""
        labels.append((ablation.labels[i], f"{change} {follows}".strip()))
        half = ablation.each[i].half
        bars.append(_stair(i + 1, levels[i], levels[i + 1], ablation.gains[i], half))
    if rest:
        labels.append((f"{len(rest)} more steps (sum)",))
        bars.append(
            _stair(len(bars) + 1, levels[-1], ablation.values[-1], ablation.gains[rest].sum())
        )
    last = len(labels)
    gain = Estimate(ablation.total_gain, ablation.whole.half)
    better = "left" if ablation.subject.lower_is_better else "right"
    footer = [_WHISKERS] if ablation.whole.known else []
    if any(ablation.along):
        footer.append("In brackets: what becomes active or inactive along with it.")
    return Rows(
        labels=[*labels, ("target",)],
        bars=bars,
        levels=[bars[0].begin, *(bar.end for bar in bars)],
        dots=[Dots(ablation.values[[0, -1]], np.array([0.0, last]), look="run")],
        means={"run": "source and target"},
        fills={0: "improves", 1: "makes it worse"},
        heading=f"From {ablation.ends}: {ablation.what}",
        subtitle=f"gain {gain} in {counted(len(ablation.steps), 'step')}; each step is the one "
        "that gains most after those above it",
        label=f"{ablation.what}: {better} is better",
        footer=" ".join(footer),
        zero=False,
    )


def _stair(row: int, begin: float, end: float, gain: float, half: float | None = None) -> Bar:
    return Bar(row, float(begin), float(end), half, fill=0 if gain >= 0 else 1)


def shares(ablation: Ablation) -> Rows:
    """Draw gains along the path and Shapley values of the same steps side by side.

    Both are relative to the whole gain, unless that is close to 0. Where the two differ, the
    order of the path decides what a step is worth. More than 10 steps are folded.
    """
    values = np.column_stack([ablation.gains, ablation.shapley])
    rows, rest = Rows.folded(
        np.argsort(-np.abs(ablation.shapley), kind="stable").tolist(), most=_MOST_STEPS
    )
    relative = abs(ablation.total_gain) > 1e-3 * np.abs(values).max()
    if relative:
        values = values / ablation.total_gain
    draws = [*values[rows], *([values[rest].sum(axis=0)] if rest else [])]
    labels = [(ablation.labels[i],) for i in rows]
    return Rows(
        labels=[*labels, (f"{len(rest)} others (sum)",)] if rest else labels,
        bars=[
            Bar(i, 0.0, float(v), place=k) for i, row in enumerate(draws) for k, v in enumerate(row)
        ],
        fills={0: "gain when it is changed", 1: "Shapley value: average over all orders"},
        heading=f"What each change is worth: {ablation.what}",
        subtitle=f"the whole gain is {format_value(ablation.total_gain)}",
        label="share of the whole gain" if relative else "gain: right is better",
        footer="What follows a step counts as part of it." if any(ablation.along) else "",
        percent=relative,
    )


VIEWS = {
    "": View(path, "The {found.what} along the path from {found.ends}."),
    "shares": View(
        shares,
        "What each change gained when it was made, beside its average over all orders.",
        shown_if=lambda result: result.order_matters,
    ),
}
