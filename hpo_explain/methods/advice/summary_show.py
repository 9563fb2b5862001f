"""How a summary is drawn: what matters; where nothing does, what every trial reached."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.figures import View
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.importance.fanova_show import VIEWS as OF_IMPORTANCE
from hpo_explain.methods.runs.history_show import VIEWS as OF_HISTORY


def shown(summary: Summary) -> Any:
    """Draw what matters; where nothing does, what every trial reached."""
    importance = summary.importance
    if importance is None or not importance.estimate.any():
        return OF_HISTORY[""].describe(summary.history)
    return OF_IMPORTANCE[""].describe(importance)


VIEWS = {"": View(shown, "What matters, or where nothing does, what every trial reached.")}
