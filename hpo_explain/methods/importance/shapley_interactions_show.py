"""How Shapley interactions are drawn: as steps that add up to the whole."""

from __future__ import annotations

from hpo_explain.base import format_level
from hpo_explain.base.figures import Rows, View
from hpo_explain.methods.importance import sets_show
from hpo_explain.methods.importance.shapley_interactions_result import ShapleyInteractions


def waterfall(result: ShapleyInteractions) -> Rows:
    """Draw how the values of sets add up to the whole, the largest step first."""
    gap = result.prediction - result.baseline
    here, average = format_level(result.prediction, gap), format_level(result.baseline, gap)
    return sets_show.waterfall(
        result,
        ends=("average", result.where),
        fills=("better", "worse"),
        negative_is_better=result.subject.lower_is_better,
        label=result.what,
        footer=sets_show.whiskers(result, exact="the model"),
        zero=False,
        heading=f"Contributions and interactions: {result.what} of {result.where}",
        subtitle=f"{here}, on average {average}: all values add up to the difference (k-SII, order "
        f"{result.order})",
    )


VIEWS = {"": View(waterfall, "How the values of sets add up.")}
