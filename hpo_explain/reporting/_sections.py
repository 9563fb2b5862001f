"""The report's section of a method: what its function answers, with its own defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from hpo_explain.base.phrases import join_names
from hpo_explain.base.result import Result
from hpo_explain.catalog.entry import Method
from hpo_explain.catalog.methods import (
    ABLATION,
    ADVISE,
    COMPARE,
    HISTORY,
    IMPORTANCE,
    METHODS,
    PARETO,
    PARTIAL_DEPENDENCE,
    SUMMARY,
)
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.question import Question
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting.section import Content, Section
from hpo_explain.reporting.trials import trials_body

_MOST_ACTIONS = 3


def section_of(method: Method) -> Section:
    """Return the section that shows what a method's function answers."""
    layout = _LAYOUTS.get(method.name, _as_figures)

    def content(question: Question) -> Content:
        if method in JOINT:
            result = method.function(dict(question.runs))
        else:
            result = question.ask(method.function)
        return Content(
            result.sentence,
            layout(result, question),
            {method.name: estimates(result.cells())},
            result.headline,
        )

    return Section(
        str(method.called),
        method.title,
        method.how_to_read,
        content,
        folded=method.folded,
        concerns=method.concerns,
    )


def _as_figures(result: Result, question: Question) -> Markup:
    """Return the answer, its figures and what was assumed."""
    plots = [
        figure(
            result,
            view=name,
            alt=result.sentence,
            caption=view.caption.format(
                found=result, names=join_names(getattr(result, "names", ()))
            ),
        )
        for name, view in result.views_of.items()
        if view.shown_if(result)
    ]
    return render("result.html.j2", sentence=result.sentence, plots=plots, notes=result.notes)


def _in_lines(result: Summary, question: Question) -> Markup:
    """Return the five lines beside what matters."""
    plot = figure(result, alt=result.lines[1], caption="")
    called = {method.name: method.called for method in METHODS}
    sections = [called[name] for name in result.answered_by]
    lines = list(zip(result.questions, sections, result.lines, strict=True))
    return render("short.html.j2", lines=lines, plot=plot)


_LAYOUTS: Mapping[str, Callable[[Any, Question], Markup]] = {
    SUMMARY.name: _in_lines,
    ADVISE.name: lambda result, _: render(  # each with its reason and code
        "next.html.j2", actions=result.actions[:_MOST_ACTIONS]
    ),
    HISTORY.name: trials_body,
}
JOINT = (PARETO, COMPARE)
"""Methods about several runs at once: their sections come before those of each run."""
_FIRST = (SUMMARY, ADVISE, HISTORY, PARTIAL_DEPENDENCE, ABLATION, IMPORTANCE)
SHOWN: tuple[Method, ...] = (
    *_FIRST,
    *(method for method in METHODS if method.title and method not in (*_FIRST, *JOINT)),
)
"""The methods that have a section, in the order of the page."""
