"""The report as one file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_flag, check_jobs, check_sequence, check_text, unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import join_words
from hpo_explain.base.progress import progress_of, steps
from hpo_explain.base.workers import SIDE_BY_SIDE, Workers, may_have_workers
from hpo_explain.catalog.methods import COMPARE, DESIRABILITY_PATH, EXPLAIN_PROPOSAL, PARETO
from hpo_explain.question import Question, options_of
from hpo_explain.reporting import _words as words
from hpo_explain.reporting._ahead import Ahead, Figures
from hpo_explain.reporting._file import check_place, write_atomically
from hpo_explain.reporting._notebook import ReportPath
from hpo_explain.reporting._render import figures_drawn_by, figures_that_answer, page
from hpo_explain.reporting._sections import SHOWN, section_of
from hpo_explain.reporting.overview import in_a_line, what_was_assumed
from hpo_explain.reporting.panel import WHAT_IF
from hpo_explain.reporting.section import (
    Card,
    Section,
    Status,
    card_of,
    drawn_out,
    without_repeats,
)
from hpo_explain.run import Run
from hpo_explain.run.objectives import joined
from hpo_explain.space import Shared

_SUMMARY, *_OTHERS = map(section_of, SHOWN)
SECTIONS: tuple[Section, ...] = (_SUMMARY, WHAT_IF, *_OTHERS)
"""The parts of a report, in order."""
BRIEF = ("summary", "trust", "explain-proposal")
"""Sections that need no models of many iterations, drawn in a moment."""
_AHEAD = (DESIRABILITY_PATH, EXPLAIN_PROPOSAL)
_LATE = ("history", *(str(method.called) for method in _AHEAD))
"""Sections that ask for what workers have begun."""
# sections, runs and numbers of trials for which workers are started: these load all modules anew,
# which takes longer than the models and figures of a small run
_MANY = 5
_SEVERAL = 3
_LONG = 2_000


def report(
    run: Any,
    path: str | Path = "report.html",
    *,
    title: str | None = None,
    sections: Sequence[str | Section] | None = None,
    surrogate: Any = None,
    n_jobs: int | None = -1,
    interactive: bool = False,
    progress: bool = True,
    **reading: Any,
) -> Path:
    """Write a self-contained HTML report about an optimization run.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path, Run or dict
        The optimization run, or a dict of runs by name: the same trials with different
        objectives, or different trials, such as those of other seeds or data sets. Each run and
        each objective gets a part of the page; the last part compares them (the Pareto front of
        objectives, or :func:`compare`). `target=` (`objective=` for a search) selects one
        objective.
    path : str or pathlib.Path, default "report.html"
        The file to write. An existing one is replaced once the new report is complete.
    title : str, optional
        The heading; by default the run's name, if it has one.
    sections : sequence of str or Section, optional
        The sections by name, in order; by default all that apply: "summary", "what-if" (the
        profiler), "advise" and "history", and, folded, "importance", "partial-dependence",
        "optimum", "recommended-space", "changes", "explain-proposal", "desirability-path",
        "trust", "noise", "luck", "pruning" and "timeline". Each shows the result of the function
        of that name. You can add a `Section` of your own.
    surrogate : Surrogate or object, optional
        A model of your own, as in :meth:`Run.explained_by`. Proposals are still explained with
        what was known when they were made.
    n_jobs : int or None, default -1
        Number of processes, this one included; -1 for one per core. Others are started only if
        they save time. With None, joblib's workers explain the proposals, as configured by
        ``joblib.parallel_config``. The page does not depend on it.
    interactive : bool, default False
        Whether plotly draws the figures in the browser, with values in tooltips. The file is 2 MB
        larger. Without scripts, static figures are shown.
    progress : bool, default True
        Show a progress bar on a terminal.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    pathlib.Path
        The file; notebooks show its content.

    Raises
    ------
    ValueError
        If the run cannot be read, or a section does not exist.
    OSError
        If the file cannot be written.
    ImportError
        If `interactive` is True and plotly is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = hx.report(table, f"{folder}/r.html", sections=["trust"], objective="loss")
    ...     text = written.read_text(encoding="utf-8")
    >>> text[:15], "How well is the objective known?" in text
    ('<!doctype html>', True)
    """
    check_place(path)  # before minutes of work, not after
    with options_of(report), progress_of("report", shown=check_flag("progress", progress)):
        made = Report.of(
            explained_by(surrogate, as_runs(run, **reading)),
            title=title,
            sections=sections,
            n_jobs=n_jobs,
            interactive=check_flag("interactive", interactive),
            progress=progress,
        )
        return made.write(path)


def explained_by(surrogate: Any, runs: Mapping[str, Run]) -> Mapping[str, Run]:
    """Return runs with a model of the user's as their surrogate, if one is given."""
    if surrogate is None:
        return runs
    if len(runs) > 1:  # one model cannot be that of several objectives
        problem = f"is a model of one objective, but the run has several: {', '.join(runs)}"
        remedy = "Name one with target=, for a search of scikit-learn with objective=."
        raise InputError("surrogate", problem, remedy=remedy)
    return {name: one.explained_by(surrogate) for name, one in runs.items()}


@dataclass(frozen=True)
class Tab:
    """What a report shows about one run.

    Attributes
    ----------
    name, subtitle : str
        The objective, and the run in a line.
    cards : tuple of Card
        What each section found, in order.
    prefix : str
        What stands before its anchors in the page.
    """

    name: str
    subtitle: str
    cards: tuple[Card, ...]
    prefix: str = ""


@dataclass(frozen=True)
class Report:
    """A report that is ready to be written.

    Attributes
    ----------
    title : str
        Its heading.
    tabs : tuple of Tab
        One per run: several where there are several objectives or runs.
    joint : tuple of Card
        What is said of all of them together.
    interactive : bool, default False
        Whether its figures are drawn by plotly in the browser.
    version : str, default ""
        What tells it from a page with other trials, letters and digits; if there is any, the page,
        while it is open, is read again when its file has another one.
    """

    title: str
    tabs: tuple[Tab, ...]
    joint: tuple[Card, ...] = ()
    interactive: bool = False
    version: str = ""

    @classmethod
    def of(
        cls,
        runs: Mapping[str, Run],
        *,
        title: str | None = None,
        sections: Sequence[str | Section] | None = None,
        n_jobs: int | None = 1,
        interactive: bool = False,
        progress: bool = False,
    ) -> Report:
        """Return the report about runs by objective; a section that fails becomes a card.

        Parameters
        ----------
        runs : mapping of str to Run
            A run per objective, by its name.
        title, sections, n_jobs, interactive, progress
            As in :func:`report`.

        Raises
        ------
        ValueError
            If there is no run, or no section of a name.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, Run, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(space, np.array([[0.2], [0.7]]), np.array([3.0, 1.0]), "minimize")
        >>> Report.of({"loss": run}, sections=["history"]).cards[0].finding
        'Best objective: 1 (trial 1; 2 finished trials); it was the last one.'
        """
        if not runs:
            raise InputError("runs", "is empty: there is nothing to report", runs, "Give a run.")
        chosen = _chosen(sections)
        progress = check_flag("progress", progress)
        title = None if title is None else check_text("title", title)
        questions = {name: Question(run) for name, run in runs.items()}
        with ExitStack() as until_done:
            until_done.enter_context(progress_of("report", shown=progress))
            # matrices are small, and the workers need the other cores
            until_done.enter_context(one_blas_thread())
            until_done.enter_context(figures_that_answer(interactive))
            workers = _workers(n_jobs, chosen, runs)
            ahead: list[Ahead] = []
            figures: Figures | None = None
            if workers is not None:
                until_done.callback(workers.end)
                figures = Figures(workers)
                until_done.enter_context(figures_drawn_by(figures))
                ahead = [_begun(question, chosen, workers) for question in questions.values()]
            everything = sections is None
            work = [  # what workers have begun last
                (name, section)
                for name, question in questions.items()
                for section in sorted(chosen, key=lambda section: section.name in _LATE)
                if not everything or section.concerns(question.run)
            ]
            prefixes = {name: f"o{k}-" if k else "" for k, name in enumerate(questions)}
            made: dict[tuple[str, str], Card] = {}
            for name, section in steps(work, "sections", called=lambda one: one[1].name):
                if section.name in _LATE:
                    for one in ahead:
                        one.settle()
                    ahead = []
                card = card_of(section, questions[name], prefix=prefixes[name])
                made[name, section.name] = card
            joint = _joint(runs) if everything else ()
            tabs = []
            for name, run in runs.items():
                cards = [made[name, s.name] for s in chosen if (name, s.name) in made]
                tabs.append(_tab(name, run, cards, prefixes[name], everything=everything))
            if figures is not None:
                figures.help()
                tabs = [
                    replace(tab, cards=tuple(drawn_out(c, figures.placed) for c in tab.cards))
                    for tab in tabs
                ]
                joint = tuple(drawn_out(c, figures.placed) for c in joint)
        named = next(iter(runs.values())).name or f"Optimization of {join_words([*runs])}"
        return cls(title or named, tuple(tabs), joint, interactive)

    @property
    def cards(self) -> tuple[Card, ...]:
        """What each section found, of all tabs."""
        return (*(card for tab in self.tabs for card in tab.cards), *self.joint)

    @property
    def html(self) -> Markup:
        """The page."""
        return page(
            title=self.title,
            tabs=self.tabs,
            joint=self.joint,
            scripts=sorted({card.script for card in self.cards} - {""}),
            interactive=self.interactive,
            version=self.version,
        )

    def write(self, path: str | Path) -> ReportPath:
        """Write the page, which replaces an older one only when it is complete; return its path.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        check_place(path)
        written = ReportPath(path)
        write_atomically(written, self.html)
        return written


def _workers(
    n_jobs: int | None, chosen: Sequence[Section], runs: Mapping[str, Run]
) -> Workers | None:
    """Return workers beside this process, where there is enough to do."""
    jobs = check_jobs(n_jobs)
    much = any(map(_is_long, runs.values())) or len(runs) >= _SEVERAL
    # what parallel_config says is for the path's own workers
    alone = jobs in (None, 1) or not may_have_workers()
    if alone or not much or len(chosen) < _MANY:
        return None
    from joblib import effective_n_jobs

    count = int(effective_n_jobs(jobs)) - 1
    return Workers(count, SIDE_BY_SIDE) if count else None


def _is_long(run: Run) -> bool:
    """Say whether explaining a run's proposals takes longer than starting workers."""
    return bool(run.proposals) and run.X.size > _LONG


def _begun(question: Question, chosen: Sequence[Section], workers: Workers) -> Ahead:
    """Have workers begin what takes longest while other answers are found here."""
    wanted = {section.name for section in chosen}
    functions = [
        method.function
        for method in _AHEAD
        if _is_long(question.run) and {str(method.called), "history"} & wanted
    ]
    return Ahead(question, functions, workers)


def _tab(name: str, run: Run, cards: Sequence[Card], prefix: str, *, everything: bool) -> Tab:
    """Return what a report shows about a run; what there is nothing for only where it was named."""
    shown = [card for card in cards if not everything or card.status is not Status.NOTHING]
    if everything:
        shown += what_was_assumed(run, prefix)
    about = ". ".join(filter(None, [in_a_line(run), words.nothing_yet(run)]))
    return Tab(name, about, tuple(without_repeats(shown)), prefix)


def _joint(runs: Mapping[str, Run]) -> tuple[Card, ...]:
    """Return what is said of all objectives, or all runs, together; nothing where there is one."""
    if joined(runs) is not None:
        method = PARETO
    elif len(runs) > 1 and comparable(runs):
        method = COMPARE
    else:
        return ()
    question = Question(next(iter(runs.values())), runs=runs)
    return (card_of(section_of(method), question, prefix="all-"),)


def comparable(runs: Mapping[str, Run]) -> bool:
    """Return whether runs share a hyperparameter, so that they can be compared."""
    return Shared.of([run.space for run in runs.values()]).space is not None


def _chosen(sections: Sequence[str | Section] | None) -> tuple[Section, ...]:
    if sections is None:
        return SECTIONS
    known = {section.name: section for section in SECTIONS}
    chosen = []
    for given in check_sequence("sections", sections, "names of sections"):
        if not isinstance(given, (str, Section)) or (isinstance(given, str) and given not in known):
            raise unknown_name("sections", given, known, "section")
        chosen.append(known[given] if isinstance(given, str) else given)
    return tuple(chosen)
