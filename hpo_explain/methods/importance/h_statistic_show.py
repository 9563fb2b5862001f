"""How interactions are drawn: H of all pairs as a matrix, or of one hyperparameter's as bars."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import NORMAL_95, counted
from hpo_explain.base.figures import Cells, Rows, View, triangle
from hpo_explain.methods.importance.h_statistic_result import InteractionStrength

_SUBTITLE = "H-statistic: 0 where two effects only add up, 1 where there is nothing but interaction"


def pairs(result: InteractionStrength) -> Cells | Rows:
    """Draw H of all pairs as a matrix, those that interact most first, or of one's as bars."""
    if result.focus is not None or len(result.names) < 2:
        return _of_one(result)
    H, half = result.matrix(result.values), result.matrix(result.half_width)
    texts = [[f"{h:.2f} ± {error:.2f}" for h, error in row] for row in np.stack([H, half], axis=2)]
    return triangle(
        result.names,
        H,
        texts,
        sizes=result.matrix(result.absolute),
        low=0.0,
        # a shorter scale would show the error of H as color
        high=max(0.1, float(np.nanmax(H))),
        scale="H",
        heading=f"Which hyperparameters act together on the {result.what_short}",
        subtitle=_SUBTITLE,
        footer=f"In the cells: H. {_error(result)} H is relative: a pair that hardly "
        "matters can have a large one.",
    )


def totals(result: InteractionStrength) -> Rows:
    """Draw H of each hyperparameter with any others as bars, the largest on top."""
    order = np.argsort(-result.total, kind="stable")
    order = order[~np.isnan(result.total[order])]
    return Rows.of(
        [result.names[j] for j in order],
        result.total[order],
        NORMAL_95 * result.total_std[order],
        heading=f"Which hyperparameters act with any others on the {result.what_short}",
        subtitle="0: its effect only adds up with the others; 1: all of the variation is "
        "interaction with it",
        label="H with any others",
        footer=_error(result),
    )


def _of_one(result: InteractionStrength) -> Rows:
    name = result.focus or result.names[0]
    order = result.by_size()
    others = [next(n for n in result.members[i] if n != name) for i in order]
    return Rows.of(
        others,
        result.values[order],
        [result.half(i) for i in order],
        heading=f"What acts together with {name} on the {result.what_short}",
        subtitle=_SUBTITLE,
        label=f"H with {name}",
        footer=whiskers(result),
    )


def whiskers(result: InteractionStrength) -> str:
    """Say what the whiskers of bars of pairs are, and in which order they stand."""
    error = "Whiskers: 95% interval over functions that the trials allow."
    if len(result.draws) < 2:
        error = _error(result)
    return f"{error} The pair that interacts most, in the objective's units, is on top."


def _error(result: InteractionStrength) -> str:
    if len(result.draws) > 1:
        return "±: 1.96 standard deviations over functions that the trials allow."
    size = counted(result.sample_size, "point")
    return f"±: 1.96 standard errors of estimating from {size}, not the model's uncertainty."


VIEWS = {
    "": View(pairs, "H of pairs, the strongest interaction first."),
    "totals": View(totals, "H of each hyperparameter with any others.", shown_if=lambda _: False),
}
