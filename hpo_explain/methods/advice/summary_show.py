"""How a summary is drawn: what matters, over the whole space and for being among the best."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.figures import PALE, Bar, Rows, View
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.importance.fanova_show import whisker
from hpo_explain.methods.runs.history_show import VIEWS as OF_HISTORY

_MOST = 8  # hyperparameters


def shown(summary: Summary) -> Any:
    """Draw what matters; where nothing does, what every trial reached."""
    kinds = [one for one in (summary.importance, summary.among_best) if one and one.estimate.any()]
    if not kinds:
        return OF_HISTORY[""].describe(summary.history)
    largest = np.max([one.sizes[: len(one.names)] for one in kinds], axis=0)
    largest_first = np.argsort(-largest, kind="stable")[:_MOST].tolist()
    bars = [
        Bar(row, 0.0, float(one.estimate[j]), whisker(one, j), fill=place, place=place)
        for place, one in enumerate(kinds)
        for row, j in enumerate(largest_first)
    ]
    in_all = kinds[0].known_totals.mean(axis=0)
    if np.isfinite(in_all).all():  # which the line about what matters tells
        bars += [Bar(row, 0.0, float(in_all[j]), fill=PALE) for row, j in enumerate(largest_first)]
    return Rows(
        labels=[(kinds[0].names[j],) for j in largest_first],
        bars=bars,
        fills={
            0: "over the whole space, alone",
            PALE: "with its interactions",
            1: "for being among the best 10%, alone",
        },
        label="share of the variation",
        heading="What matters",
        percent=True,
        positive=True,
    )


VIEWS = {"": View(shown, "What matters, or where nothing does, what every trial reached.")}
