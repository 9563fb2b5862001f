"""How ablation is drawn: the path as a staircase, and what each step is worth in any order."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import Estimate, counted, filled
from hpo_explain.base.figures import Bar, Dots, Rows, View, folded
from hpo_explain.methods.around.ablation_result import Ablation

_WHISKERS = "Whiskers: 95% intervals of what the trials allow, without observation noise."


def path(found: Ablation) -> Rows:
    """Draw the path from source to target, one stair per step, the first on top.

    Plain stairs improve, hatched ones do not. Whiskers are the 95 % intervals of the steps' gains,
    where the model has them. More than 20 steps are folded into the last stair.
    """
    kept, rest = folded(range(len(found.steps)))
    levels, bars = found.values[[0, *(i + 1 for i in kept)]], list[Bar]()
    labels: list[tuple[str, ...]] = [("source",)]
    for i in kept:
        step, along = found.steps[i], found.along[i]
        change = (
            found.change(step).removeprefix(step[0]) if len(step) == 1 else ""
        )
        follows = f"(+ {', '.join(along)})" if along else ""
        labels.append((found.labels[i], f"{change} {follows}".strip()))
        one = found.each[i]
        half = None if one is None else one.half
        bars.append(
            _stair(i + 1, levels[i], levels[i + 1], found.gains[i], half)
        )
    if rest:
        labels.append((f"{len(rest)} more steps (sum)",))
        bars.append(
            _stair(
                len(bars) + 1,
                levels[-1],
                found.values[-1],
                found.gains[rest].sum(),
            )
        )
    last, whole = len(labels), found.whole
    footer = [] if found.drawn is None else [_WHISKERS]
    if any(found.along):
        footer.append(
            "In brackets: what becomes active or inactive along with it."
        )
    return Rows(
        labels=[*labels, ("target",)],
        bars=bars,
        levels=[bars[0].begin, *(bar.end for bar in bars)],
        dots=[Dots(found.values[[0, -1]], np.array([0.0, last]), look="run")],
        means={"run": "source and target"},
        fills={0: "improves", 1: "makes it worse"},
        heading=f"From {found.ends}: {found.what}",
        subtitle=filled(
            "gain {gain} in {steps}; each step is the one that gains most after those above it",
            gain=Estimate(
                found.total_gain, None if whole is None else whole.half
            ),
            steps=counted(len(found.steps), "step"),
        ),
        label=f"{found.what}: {'left' if found.subject.lower_is_better else 'right'} is better",
        footer=" ".join(footer),
        zero=False,
    )


def _stair(
    row: int, begin: float, end: float, gain: float, half: float | None = None
) -> Bar:
    return Bar(row, float(begin), float(end), half, fill=0 if gain >= 0 else 1)


def shares(found: Ablation) -> Rows:
    """Draw gains along the path and Shapley values of the same steps side by side.

    Both are relative to the whole gain, unless that is close to 0. Where the two differ, the
    order of the path decides what a step is worth. More than 20 steps are folded.
    """
    values = np.column_stack([found.gains, found.shapley])
    kept, rest = folded(
        np.argsort(-np.abs(found.shapley), kind="stable").tolist()
    )
    relative = abs(found.total_gain) > 1e-3 * np.abs(values).max()
    if relative:
        values = values / found.total_gain
    drawn = [*values[kept], *([values[rest].sum(axis=0)] if rest else [])]
    labels = [(found.labels[i],) for i in kept]
    return Rows(
        labels=[*labels, (f"{len(rest)} others (sum)",)] if rest else labels,
        bars=[
            Bar(i, 0.0, float(v), place=k)
            for i, row in enumerate(drawn)
            for k, v in enumerate(row)
        ],
        fills={
            0: "gain when it is changed",
            1: "Shapley value: average over all orders",
        },
        heading=f"What each change is worth: {found.what}",
        subtitle=filled("the whole gain is {gain}", gain=found.total_gain),
        label="share of the whole gain"
        if relative
        else "gain: right is better",
        footer="What follows a step counts as part of it."
        if any(found.along)
        else "",
        percent=relative,
    )


VIEWS = {
    "": View(path, "The {found.what} along the path from {found.ends}."),
    "shares": View(
        shares,
        "What each change gained when it was made, beside its average over all orders.",
        shown_if=lambda found: found.order_matters,
    ),
}
