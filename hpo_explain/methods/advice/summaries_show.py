"""How several objectives are drawn: their Pareto front, or what matters to the first."""

from __future__ import annotations

from typing import Any

from hpo_explain.base.figures.rows import View
from hpo_explain.methods.advice.summaries_result import Summaries


def shown(summaries: Summaries) -> Any:
    """Draw the front; where there is none, what matters to the first objective."""
    if summaries.front is not None:
        return summaries.front.described()
    return next(iter(summaries.summaries.values())).described()


VIEWS = {"": View(shown, "The Pareto front.")}
