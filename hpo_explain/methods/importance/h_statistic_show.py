"""How interactions are drawn: H of all pairs as a matrix, or of one hyperparameter's as bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.figures.cells import MOST_NAMES, Cells, triangle
from hpo_explain.base.figures.rows import MOST_ROWS, Bar, Rows, View
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.phrases import counted
from hpo_explain.base.width import shorten
from hpo_explain.methods.importance.h_statistic_result import (
    InteractionStrength,
)

_REACH = 0.1  # a shorter scale would show the error of H as color
_SUBTITLE = "H-statistic: 0 where two effects only add up, 1 where there is nothing but interaction"


def pairs(found: InteractionStrength) -> Cells | Rows:
    """Draw H of all pairs as a matrix, those that interact most first, or of one's as bars."""
    if found.focus is not None or len(found.names) < 2:
        return _of_one(found)
    order = np.argsort(-np.nansum(found.absolute, axis=1), kind="stable")[
        :MOST_NAMES
    ]
    chosen = np.ix_(order, order)
    H, half = found.pairs[chosen], NORMAL_95 * found.pairs_std[chosen]
    left = len(found.names) - len(order)
    return triangle(
        [found.names[j] for j in order],
        H,
        [
            [f"{h:.2f} ± {s:.2f}" for h, s in zip(*row, strict=True)]
            for row in zip(H, half, strict=True)
        ],
        low=0.0,
        high=max(_REACH, float(np.nanmax(H))),
        scale="H",
        heading=f"Which hyperparameters act together on the {shorten(found.what, 60)}",
        subtitle=_SUBTITLE,
        footer=f"In the cells: H. {_error(found)} H is relative: a pair that hardly "
        "matters can have a large one."
        + f" {counted(left, 'hyperparameter')} of less interaction not shown."
        * bool(left),
    )


def totals(found: InteractionStrength) -> Rows:
    """Draw H of each hyperparameter with any others as bars, the largest on top."""
    order = [
        j
        for j in np.argsort(-found.total, kind="stable")
        if not np.isnan(found.total[j])
    ]
    return _bars(
        [found.names[j] for j in order],
        [
            Bar(
                i,
                0.0,
                float(found.total[j]),
                NORMAL_95 * float(found.total_std[j]),
            )
            for i, j in enumerate(order)
        ],
        heading=f"Which hyperparameters act with any others on the {shorten(found.what, 60)}",
        subtitle="0: its effect only adds up with the others; 1: all of the variation is "
        "interaction with it",
        label="H with any others",
        footer=_error(found),
    )


def _of_one(found: InteractionStrength) -> Rows:
    name = found.focus or found.names[0]
    names, bars = list[str](), list[Bar]()
    for i, pair in enumerate(found.members()):
        names.append(
            next(found.names[j] for j in pair if found.names[j] != name)
        )
        bars.append(Bar(i, 0.0, float(found.pairs[pair]), found.half(pair)))
    return _bars(
        names,
        bars,
        heading=f"What acts together with {shorten(name, 60)} on the {shorten(found.what, 60)}",
        subtitle=_SUBTITLE,
        label=f"H with {shorten(name, 60)}",
        footer=whiskers(found),
    )


def whiskers(found: InteractionStrength) -> str:
    """Say what the whiskers of bars of pairs are, and in which order they stand."""
    drawn = "Whiskers: 95% interval over functions that the trials allow."
    order = (
        "The pair that interacts most, in the objective's units, is on top."
    )
    return f"{_error(found) if found.drawn is None else drawn} {order}"


def _bars(
    names: list[str], bars: list[Bar], *, footer: str, **words: Any
) -> Rows:
    left = len(names) - MOST_ROWS
    return Rows(
        labels=[(name,) for name in names[:MOST_ROWS]],
        bars=bars[:MOST_ROWS],
        footer=footer
        + f" {counted(left, 'smaller one')} not shown." * (left > 0),
        positive=True,
        **words,
    )


def _error(found: InteractionStrength) -> str:
    if found.drawn is not None:
        return (
            "±: 1.96 standard deviations over functions that the trials allow."
        )
    size = counted(found.sample_size, "point")
    return f"±: 1.96 standard errors of estimating from {size}, not the model's uncertainty."


VIEWS = {
    "": View(pairs, "H of pairs, the strongest interaction first."),
    "totals": View(
        totals,
        "H of each hyperparameter with any others.",
        shown_if=lambda _: False,
    ),
}
