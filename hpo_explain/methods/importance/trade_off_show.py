"""How importance over trade-offs is drawn: a curve with its band for each hyperparameter."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted
from hpo_explain.base.figures import Axis, Curves, Line, View
from hpo_explain.methods.importance.trade_off import TradeOffImportance


def curves(result: TradeOffImportance) -> Curves:
    """Draw the share of each hyperparameter by the weight of the second objective."""
    first, second = result.objectives
    estimate, (low, high) = result.estimate, result.ends
    largest = np.argsort(-estimate.max(axis=0), kind="stable")
    shown = largest[:5].tolist()  # a reader tells the bands of so many apart
    lines, means = list[Line](), dict[str, str]()
    for place, j in enumerate(shown):
        share, look = estimate[:, j], str(place)
        half = np.array([share - low[:, j], high[:, j] - share])
        lines.append(Line(result.weights, share, half, look=look))
        means[look] = result.names[j]
    left_out = len(largest) - len(shown)
    more = f" {counted(left_out, 'smaller one')} not shown." if left_out else ""
    return Curves(
        x=Axis(label=f"weight of {second}, against {first}", percent=True, limits=(0.0, 1.0)),
        y=Axis(label="share of the variance", percent=True, limits=(0.0, 1.0)),
        lines=lines,
        means=means,
        heading=f"What matters between {first} and {second}",
        footer=f"Bands: 95% intervals.{more}",
    )


VIEWS = {"": View(curves, "The shares by the weight of the second objective.")}
