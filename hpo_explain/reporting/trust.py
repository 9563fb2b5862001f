"""The report's section on trust: whether the surrogate is good enough to be explained."""

from __future__ import annotations

import numpy as np

from hpo_explain.diagnostics import Trust
from hpo_explain.reporting._render import render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import trust as words


def _content(context: Context) -> Content:
    verdict = context.trust
    advice = words.ADVICE[verdict.level]
    body = render(
        "trust.html.j2",
        level=verdict.level,
        advice=advice,
        measures=_measures(verdict),
        reasons=verdict.reasons,
    )
    return Content(f"Trust is {verdict.level}. {advice}", body)


def _measures(verdict: Trust) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of each measure that is known."""
    rows = []
    if np.isfinite(verdict.r2):
        meaning = "1 is a perfect prediction, 0 is no better than the average objective"
        rows.append(("R²", f"{verdict.r2:.2f}", meaning))
    if np.isfinite(verdict.coverage):
        meaning = "share of trials within the interval that should hold 95 % of them"
        rows.append(("coverage", f"{verdict.coverage:.0%}", meaning))
    return rows


TRUST = Section(
    "trust",
    "Can the model be trusted?",
    "Every explanation here describes a model of the objective, not the objective itself. This "
    "section says how well that model predicts trials that it had not seen.",
    _content,
)
