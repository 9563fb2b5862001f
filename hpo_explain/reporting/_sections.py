"""The report's section of a method, from its entry and its views."""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup

from hpo_explain.base.figures.rows import View
from hpo_explain.base.result import Result
from hpo_explain.base.text import filled
from hpo_explain.catalog.entry import Method
from hpo_explain.reporting._plain import shown
from hpo_explain.reporting._render import figure
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section


def section_of(method: Method) -> Section:
    """Return the section that shows what a method finds."""

    def content(context: Context) -> Content:
        result = context.result_of(method.name)
        figures = [
            context.figure_once(
                f"{method.name} {name}".strip(), method.title, partial(_figure, result, name, view)
            )
            for name, view in method.views.items()
            if view.shown_if(result)
        ]
        return shown(method.name, result, figures)

    name = method.name.replace("_", "-")
    return Section(name, method.title, method.how_to_read, content, folded=method.folded)


def _figure(result: Result, name: str, view: View[Any]) -> Markup:
    caption = filled(view.caption, found=result)
    return figure(partial(result.plot, view=name), alt=result.sentence, caption=caption)
