"""The report's section on trust: whether the surrogate is good enough to be explained."""

from __future__ import annotations

from hpo_explain.reporting._render import render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import trust as words


def _content(context: Context) -> Content:
    verdict = context.trust
    advice = words.advice(verdict)
    body = render(
        "trust.html.j2",
        level=verdict.level,
        advice=advice,
        measures=words.measures(verdict),
        verdicts=[
            (words.where(scope), words.needed(scope), found.level, words.reasons(found))
            for scope, found in words.lines(verdict)
        ],
    )
    return Content(f"Trust is {verdict.level}. {advice}", body)


TRUST = Section(
    "trust",
    "Can the model be trusted?",
    "Every explanation here describes a model of the objective, not the objective itself. This "
    "section says how well that model predicts trials that it had not seen.",
    _content,
    folded=True,
)
