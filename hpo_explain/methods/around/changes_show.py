"""How changes are drawn: what each contributes, and which are needed."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, format_value
from hpo_explain.base.figures import PALE, Bar, Rows, View
from hpo_explain.methods.around.changes_result import Changes

_WHISKERS = "Whiskers: 95% intervals of what the trials allow, without observation noise."


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
    labels = [(changes.names[i], changes.change(i).removeprefix(changes.names[i])) for i in rows]
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


VIEWS = {"": View(contributions, "What each change contributes to the {found.what}.")}
