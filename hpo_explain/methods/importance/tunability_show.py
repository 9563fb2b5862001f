"""How a game of tuning is drawn: as steps that add up to the whole."""

from __future__ import annotations

from hpo_explain.base import plus_minus
from hpo_explain.base.figures import Rows, View
from hpo_explain.methods.importance import sets_show
from hpo_explain.methods.importance.tunability_result import GameExplanation

_HEADINGS = {
    "tunability": "What tuning gains over {}",
    "mistunability": "What wrong values lose against {}",
    "sensitivity": "How the predicted objective varies around {}",
    "optimizer_bias": "How far the tried values fall short of tuning {}",
}
_FILLS = {
    "tunability": ("gains", "gains less together"),
    "mistunability": ("gains back together", "loses"),
    "sensitivity": ("varies", "varies less together"),
    "optimizer_bias": ("falls less short together", "falls short"),
}


def waterfall(result: GameExplanation) -> Rows:
    """Draw how the values of sets add up to the whole, the largest step first."""
    kind = "variance" if result.game == "sensitivity" else "gain"
    whole = plus_minus(result.whole, result.whole_half)
    over = f", {result.over_runs}" if result.games else ""
    return sets_show.waterfall(
        result,
        ends=("nothing", "all"),
        fills=_FILLS[result.game],
        label=f"{kind} of the {result.what}",
        footer=sets_show.whiskers(result, exact="the values are exact for the model, which"),
        zero=True,
        heading=_HEADINGS[result.game].format(result.at) + over,
        subtitle=f"all values add up to {whole} (k-SII, order {result.order})",
    )


VIEWS = {"": View(waterfall, "How the values of sets add up.")}
