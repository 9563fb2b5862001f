"""The report's section of a method: what its function answers, with its own defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from hpo_explain.base.result import Result
from hpo_explain.catalog.entry import Method
from hpo_explain.catalog.methods import (
    ADVISE,
    CHANGES,
    COMPARE,
    DESIRABILITY_PATH,
    EXPLAIN_PROPOSAL,
    HISTORY,
    IMPORTANCE,
    METHODS,
    OPTIMUM,
    PARETO,
    PARTIAL_DEPENDENCE,
    RECOMMENDED_SPACE,
    SUMMARY,
)
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.question import Question
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.section import Content, Section
from hpo_explain.reporting.trials import trials_body

_MOST_ACTIONS = 3
_MOST_IN_PAIRS = 30  # hyperparameters, whose pairs are told, too


def section_of(method: Method) -> Section:
    """Return the section that shows what a method's function answers."""
    layout = _LAYOUTS.get(method.name, _as_figures)

    def content(question: Question) -> Content:
        result = _answer(method, question)
        notes = tuple(map(str, result.notes)) if layout is _as_figures else ()
        return Content(result.sentence, layout(result, question), result.headline, notes)

    return Section(
        str(method.called),
        method.title,
        "" if method in OPEN else method.how_to_read,
        content,
        folded=method not in OPEN,
        concerns=method.concerns,
        function=method.path,
    )


def _answer(method: Method, question: Question) -> Result:
    if method in JOINT:
        answer: Result = method.function(dict(question.runs))
    elif method is IMPORTANCE and 2 <= len(question.run.space) <= _MOST_IN_PAIRS:
        answer = method.function(question.run, order=2)
    else:
        answer = question.ask(method.function)
    return answer


def _as_figures(result: Result, question: Question) -> Markup:
    """Return the figures of an answer."""
    return Markup().join(
        figure(result, view=name, alt=result.sentence)
        for name, view in result.views_of.items()
        if view.shown_if(result)
    )


def _as_line(result: Result, question: Question) -> Markup:
    """Return nothing more than the line: the profiler shows it."""
    return Markup()


def _in_lines(result: Summary, question: Question) -> Markup:
    """Return the five lines, each with where more is told."""
    called = {method.name: method.called for method in METHODS}
    sections = [called[name] for name in result.answered_by]
    lines = list(zip(result.questions, sections, result.lines, strict=True))
    return render("short.html.j2", lines=lines)


_LAYOUTS: Mapping[str, Callable[[Any, Question], Markup]] = {
    SUMMARY.name: _in_lines,
    ADVISE.name: lambda result, _: render(  # each with its reason and code
        "next.html.j2", actions=result.actions[:_MOST_ACTIONS]
    ),
    HISTORY.name: trials_body,
    **dict.fromkeys(
        (one.name for one in (PARTIAL_DEPENDENCE, OPTIMUM, RECOMMENDED_SPACE, CHANGES)), _as_line
    ),
}
JOINT = (PARETO, COMPARE)
"""Methods about several runs at once: their sections follow those of each run."""
OPEN = (SUMMARY, ADVISE, HISTORY)
"""Methods whose sections are open; each of the others is a line under More."""
_FIRST = (
    *OPEN,
    IMPORTANCE,
    PARTIAL_DEPENDENCE,
    OPTIMUM,
    RECOMMENDED_SPACE,
    CHANGES,
    EXPLAIN_PROPOSAL,
    DESIRABILITY_PATH,
)
SHOWN: tuple[Method, ...] = (
    *_FIRST,
    *(method for method in METHODS if method.title and method not in (*_FIRST, *JOINT)),
)
"""The methods that have a section, in the order of the page."""
