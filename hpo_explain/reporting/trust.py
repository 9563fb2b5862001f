"""The report's second section: whether the surrogate is good enough to be explained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain import diagnostics
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run

_ADVICE = {
    "good": "The explanations below can be relied on.",
    "fair": "Take the explanations below as hints, and the large contributions before the small.",
    "poor": "Do not act on the explanations below: they describe a model that predicts badly.",
    "unknown": "How far the explanations below can be relied on is not known.",
}


@dataclass(frozen=True)
class TrustVerdict:
    """How well the surrogate predicts trials it had not seen."""

    anchor: str = "trust"
    title: str = "Can the model be trusted?"
    how_to_read: str = (
        "Every explanation here describes a model of the objective, not the objective itself. "
        "This section says how well that model predicts trials that it had not seen."
    )

    def content(self, run: Run) -> Content:
        """Return the verdict on the surrogate of every trial."""
        try:
            verdict = diagnostics.trust(run.surrogate())
        except ValueError as error:
            raise NotApplicable(str(error)) from error
        advice = _ADVICE[verdict.level]
        body = render(
            "trust.html.j2",
            level=verdict.level,
            advice=advice,
            measures=_measures(verdict),
            reasons=verdict.reasons,
        )
        return Content(f"Trust is {verdict.level}. {advice}", body)


def _measures(verdict: diagnostics.Trust) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each measure that is known."""
    rows = []
    if np.isfinite(verdict.r2):
        meaning = "1 is a perfect prediction, 0 is no better than the average objective"
        rows.append(("R²", f"{verdict.r2:.2f}", meaning))
    if np.isfinite(verdict.coverage):
        meaning = "share of trials within the interval that should hold 95 % of them"
        rows.append(("coverage", f"{verdict.coverage:.0%}", meaning))
    return rows
