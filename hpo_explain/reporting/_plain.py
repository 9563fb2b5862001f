"""What sections with one result show: its sentence, its plots, its notes and its table."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from hpo_explain.explanations.result import Result
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content
from hpo_explain.wording.contents import line
from hpo_explain.wording.trust import caution


def shown(name: str, result: Result, plots: Sequence[Markup], *, lead: str = "") -> Content:
    """Return the content of a section: its lead, a caution, the finding, plots and notes."""
    body = render(
        "result.html.j2",
        lead=lead,
        sentence=result.sentence,
        caution=caution(result),
        plots=plots,
        notes=result.notes,
    )
    return Content(result.sentence, body, {name: result.to_frame()}, line(result))
