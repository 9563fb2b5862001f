"""How values of sets are drawn: as steps that add up to the whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.figures import Bar, Dots, Rows
from hpo_explain.methods.importance.sets import Sets


def waterfall(
    result: Sets,
    *,
    ends: tuple[str, str],
    fills: tuple[str, str],
    negative_is_better: bool = False,
    **words: Any,
) -> Rows:
    """Draw how the values of sets add up to the whole, the largest step first.

    Whiskers are intervals under the model; where it does not know them, of integrating. The
    smallest sets are one step.

    Parameters
    ----------
    result : Sets
        The values.
    ends : tuple of (str, str)
        What the first and the last row are called.
    fills : tuple of (str, str)
        What the two colors mean: that of better values, and that of worse ones.
    negative_is_better : bool, default False
        Whether negative values are the better ones.
    **words
        What else `Rows` have.
    """
    shown, rest = Rows.folded(result.by_size())
    labels = [_parts(result, place) for place in shown]
    steps = result.values[shown].tolist()
    halves = [result.half(place) for place in shown]
    if rest:
        labels.append((f"{len(rest)} others",))
        steps.append(float(result.values[rest].sum()))
        halves.append(np.nan)
    levels = result.start + np.cumsum([0.0, *steps])
    bars = []
    for row, (step, half) in enumerate(zip(steps, halves, strict=True)):
        is_better = step == 0.0 or (step < 0.0) == negative_is_better
        bars.append(
            Bar(
                row + 1,
                float(levels[row]),
                float(levels[row + 1]),
                half,
                fill=0 if is_better else 1,
            )
        )
    first, last = ends
    return Rows(
        labels=[(first,), *labels, (last,)],
        bars=bars,
        levels=levels.tolist(),
        dots=[Dots(levels[[0, -1]], np.array([0.0, len(steps) + 1.0]), look="run")],
        means={"run": f"{first} and {last}"},
        fills=dict(enumerate(fills)),
        **words,
    )


def whiskers(result: Sets, *, exact: str) -> str:
    """Say what the whiskers are; where there are none, what it is that is `exact`."""
    integrated = not np.isnan(result.half_width).all()
    if len(result.draws) > 1:
        rest = " and the integration error." if integrated else "."
        return f"Whiskers: 95 % intervals of each step, from the model's uncertainty{rest}"
    if integrated:
        return "Whiskers: 95 % intervals of the integration error, not of the model."
    return f"No intervals: {exact} gives no uncertainty."


def _parts(result: Sets, place: int) -> tuple[str, ...]:
    first, *others = map(result.player, result.sets[place])
    return first, *(f"× {name}" for name in others)
