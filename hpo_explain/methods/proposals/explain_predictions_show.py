"""How many predictions are drawn: a point per configuration, colored by the value."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import number, sentences
from hpo_explain.base.figures import Dots, Rows, View
from hpo_explain.methods.proposals.contributions_show import contribution_to
from hpo_explain.methods.proposals.explain_predictions_result import PredictionOverview
from hpo_explain.space import Array

_BINS = 60  # across; points of a bin stand over each other
_SPREAD = 0.38  # how far from the middle of its row a point may stand


def swarm(overview: PredictionOverview) -> Rows:
    """Draw one point per configuration and hyperparameter, colored by its value.

    The hyperparameter with the largest contributions is on top; at most 20 are drawn.
    """
    order = overview.order()[: Rows.MOST].tolist()
    reach = float(np.abs(overview.phi).max(initial=0.0)) or 1.0
    dots = []
    for row, j in enumerate(order):
        active = ~np.isnan(overview.positions[:, j])
        x = overview.phi[active, j]
        dots.append(Dots(x=x, y=row + _offsets(x, reach), colors=overview.positions[active, j]))
    left_out = len(overview.names) - len(order)
    return Rows(
        labels=[(overview.names[j],) for j in order],
        bars=(),
        dots=dots,
        scale=("low", "high", "value"),
        heading=f"What changes the {overview.what}",
        subtitle=f"one point per configuration ({len(overview.phi)}), compared with the average "
        f"prediction {number(overview.baseline)}",
        label=contribution_to(overview),
        footer=sentences(
            "Low and high are on the hyperparameter's own scale; categories are colored in their "
            "order. Where a hyperparameter is inactive there is no point.",
            left_out > 0 and f"Not shown: {left_out} with smaller contributions.",
        ),
    )


def _offsets(x: Array, reach: float) -> Array:
    """Return how far from the middle of its row each point stands, so that few overlap."""
    bins = np.floor(_BINS * (x + reach) / (2.0 * reach)).astype(np.int64)
    offsets = np.zeros(len(x))
    _, which, counts = np.unique(bins, return_inverse=True, return_counts=True)
    step = min(0.08, 2.0 * _SPREAD / max(int(counts.max(initial=1)) - 1, 1))
    for b in range(len(counts)):
        members = np.flatnonzero(which == b)
        place = np.arange(len(members))
        # outwards in turns: 0, 1, -1, 2, -2, ...
        offsets[members] = step * np.where(place % 2 == 1, (place + 1) // 2, -(place // 2))
    return offsets


VIEWS = {"": View(swarm, "Contributions to the {found.what}, a point per configuration.")}
