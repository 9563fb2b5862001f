"""How changes are drawn: what each contributes, which are needed, and the path of ablation."""

from __future__ import annotations

import itertools

import numpy as np

from hpo_explain.base import counted, format_value
from hpo_explain.base.figures import PALE, Bar, Dots, Rows, View
from hpo_explain.methods.around.changes_result import Changes, Step

_MOST_STEPS = 10  # the path is greedy: those that follow gain less
_WHISKERS = "Whiskers: 95% intervals, without observation noise."


def contributions(changes: Changes) -> Rows:
    """Draw what each change contributes; pale bars can be put back.

    A row without a bar follows another change. More than 20 are folded into the last row.
    """
    rows, rest = Rows.folded(range(len(changes.names)))
    ends, intervals = changes.contributions, changes.intervals
    reach = np.abs(intervals - ends[:, None]).tolist()
    bars = [
        Bar(
            row,
            0.0,
            float(ends[i]),
            (reach[i][0], reach[i][1]),
            fill=0 if changes.needed[i] else PALE,
        )
        for row, i in enumerate(rows)
        if np.isfinite(ends[i])
    ]
    labels = [
        (changes.names[i], changes.change(changes.names[i]).removeprefix(changes.names[i]))
        for i in rows
    ]
    if rest:
        labels.append((f"{len(rest)} others (sum)", ""))
        bars.append(Bar(len(rows), 0.0, float(np.nansum(changes.contributions[rest])), fill=PALE))
    few = counted(changes.few, "change")
    of = f"of {changes.own.sum()}"
    if changes.reach is not None:
        of = f"to reach {format_value(changes.reach)}"
    return Rows(
        labels=labels,
        bars=bars,
        fills={0: "needed", PALE: "can be put back"},
        heading=f"What changes of {changes.start.name} bring: {changes.what}",
        subtitle=f"{few} {of}: gain {changes.shown}",
        label="gain, averaged over all orders: right is better",
        footer=_WHISKERS * changes.whole.known,
    )


def path(changes: Changes) -> Rows:
    """Draw the changes one after the other, one stair each, the one that gains most first.

    Plain stairs improve, hatched ones do not. More than 10 are folded into the last one.
    """
    rows, rest = Rows.folded(range(len(changes.steps)), most=_MOST_STEPS)
    stops = [0, *(i + 1 for i in rows), *([len(changes.steps)] if rest else [])]
    levels = changes.values[stops]
    bars = [
        Bar(
            i + 1,
            float(begin),
            float(end),
            fill=int(changes.subject.value_sign * (end - begin) > 0),
        )
        for i, (begin, end) in enumerate(itertools.pairwise(levels))
    ]
    labels = [_step_label(changes, changes.steps[i]) for i in rows]
    if rest:
        labels.append((f"{len(rest)} more steps (sum)", ""))
    better = "left" if changes.subject.lower_is_better else "right"
    follows = any(step.along for step in changes.steps)
    return Rows(
        labels=[(changes.start.name,), *labels, (changes.best.name,)],
        bars=bars,
        levels=levels.tolist(),
        dots=[Dots(levels[[0, -1]], np.array([0.0, len(labels) + 1.0]), look="run")],
        means={"run": "both ends"},
        fills={0: "improves", 1: "makes it worse"},
        heading=f"From {changes.start.name} to {changes.best.name}: {changes.what}",
        subtitle=f"gain {changes.whole.shown} in {counted(len(changes.steps), 'step')}; each step "
        "is the one that gains most after those above it",
        label=f"{changes.what}: {better} is better",
        footer="In brackets: what becomes active or inactive along with it." if follows else "",
        zero=False,
    )


def _step_label(changes: Changes, step: Step) -> tuple[str, str]:
    change = changes.change(step.names[0]).removeprefix(step.names[0])
    follows = f"(+ {', '.join(step.along)})" if step.along else ""
    return " + ".join(step.names), f"{change if len(step.names) == 1 else ''} {follows}".strip()


VIEWS = {
    "": View(contributions, "What each change contributes to the {found.what}."),
    "path": View(
        path, "The {found.what} from {found.start.name} to {found.best.name}, change by change."
    ),
}
