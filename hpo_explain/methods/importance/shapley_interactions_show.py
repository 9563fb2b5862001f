"""How Shapley interactions are drawn: as steps that add up to the whole, and as a matrix."""

from __future__ import annotations

from typing import Any

from hpo_explain.base import format_level, format_value
from hpo_explain.base.figures import Cells, Rows, View
from hpo_explain.methods.importance import sets_show
from hpo_explain.methods.importance.shapley_interactions_result import ShapleyInteractions


def waterfall(result: ShapleyInteractions) -> Rows:
    """Draw how the values of sets add up to the whole, the largest step first."""
    if result.of == "variance":
        return sets_show.waterfall(
            result,
            ends=("nothing", "all"),
            fills=("more variance", "less"),
            label=_label(result),
            footer=sets_show.whiskers(result, exact="the values are exact for the model, which"),
            zero=True,
            **_headings(result),
        )
    return sets_show.waterfall(
        result,
        ends=("average", result.where),
        fills=("better", "worse"),
        negative_is_better=result.subject.lower_is_better,
        label=result.what,
        footer=sets_show.whiskers(result, exact="the model"),
        zero=False,
        **_headings(result),
    )


def matrix(result: ShapleyInteractions) -> Cells:
    """Draw single hyperparameters on the diagonal of a matrix of colors, and pairs below it."""
    return sets_show.matrix(result, scale=_label(result), **_headings(result))


def _headings(result: ShapleyInteractions) -> dict[str, Any]:
    """Return heading and subtitle: what is shown, and what adds up to what."""
    by = f"(k-SII, order {result.order})"
    if result.of == "variance":
        whole = format_value(result.prediction)
        return {
            "heading": f"Which hyperparameters the variance of the {result.what} is due to",
            "subtitle": f"all values add up to the variance {whole} {by}",
        }
    gap = result.prediction - result.baseline
    here = format_level(result.prediction, gap)
    average = format_level(result.baseline, gap)
    return {
        "heading": f"What hyperparameters do, alone and together, to the {result.what} of "
        f"{result.where}",
        "subtitle": f"{here}, on average {average}: all values add up to the difference {by}",
    }


def _label(result: ShapleyInteractions) -> str:
    if result.of == "variance":
        return f"variance of the {result.what}"
    return f"contribution: {result.subject.better} is better"


VIEWS = {
    "": View(waterfall, "How the values of sets add up."),
    "matrix": View(matrix, "Single hyperparameters and pairs."),
}
