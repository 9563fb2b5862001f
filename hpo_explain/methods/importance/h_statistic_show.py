"""How interactions are drawn: H of pairs as bars."""

from __future__ import annotations

from hpo_explain.base.figures import Rows, View
from hpo_explain.methods.importance.estimates import SEPARATOR
from hpo_explain.methods.importance.h_statistic_result import InteractionStrength

_WHISKERS = "Whiskers: 95% intervals. "


def pairs(result: InteractionStrength) -> Rows:
    """Draw H of pairs as bars, the pair that interacts most on top."""
    order, focus = result.by_size(), result.focus
    members = [[name for name in result.members[i] if name != focus] for i in order]
    return Rows.of(
        [*map(SEPARATOR.join, members)],
        result.values[order],
        [result.half(i) for i in order],
        heading=f"Interactions{f' with {focus}' if focus else ''}: {result.what_short}",
        subtitle="H-statistic: 0 if two effects add up, 1 if there is only interaction",
        label=f"H with {focus}" if focus else "H",
        footer=_WHISKERS * (len(result.draws) > 1)
        + "The strongest interaction in the objective's units is on top.",
    )


VIEWS = {"": View(pairs, "H of pairs, the strongest interaction first.")}
