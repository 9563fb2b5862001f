"""The report's section of a method, from its entry and its views."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from hpo_explain.base.figures.rows import View
from hpo_explain.base.result import Result
from hpo_explain.base.text import filled
from hpo_explain.catalog.entry import Method
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, line


def section_of(method: Method) -> Section:
    """Return the section that shows what a method finds."""

    def content(context: Context) -> Content:
        result = context.result_of(method.name)
        return shown(method.name, result, figures_of(method, result, context))

    return Section(
        method.name.replace("_", "-"),
        method.title,
        method.how_to_read,
        content,
        folded=method.folded,
        concerns=lambda run: (
            not method.needs or getattr(run, method.needs) is not None
        ),
    )


def figures_of(method: Method, result: Any, context: Context) -> list[Markup]:
    """Return the figures of a result that say something, each once in the report."""
    return [
        context.figure_once(
            f"{method.name} {name}".strip(),
            method.title,
            partial(_figure, result, name, view),
        )
        for name, view in method.views.items()
        if view.shown_if(result)
    ]


def _figure(result: Any, name: str, view: View[Any]) -> Markup:
    caption = filled(view.caption, found=result)
    return figure(result, view=name, alt=result.sentence, caption=caption)


def shown(
    name: str, result: Result, plots: Sequence[Markup], *, lead: str = ""
) -> Content:
    """Return the content of a section: its lead, the finding, plots and notes."""
    body = render(
        "result.html.j2",
        lead=lead,
        sentence=result.sentence,
        plots=plots,
        notes=result.notes,
    )
    return Content(
        result.sentence,
        body,
        {name: estimates(result.to_frame())},
        line(result),
    )
