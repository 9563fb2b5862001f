"""The report's second section: whether the surrogate is good enough to be explained."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_explain import diagnostics
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run
from hpo_explain.wording import trust as words


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
        advice = words.advice(verdict)
        body = render(
            "trust.html.j2",
            level=verdict.level,
            advice=advice,
            measures=words.measures(verdict),
            reasons=verdict.reasons,
        )
        return Content(f"Trust is {verdict.level}. {advice}", body)
