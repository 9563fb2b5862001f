"""The report as one file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_explain.adapters.sources import as_runs
from hpo_explain.reporting._file import check_place, write_atomically
from hpo_explain.reporting._render import render
from hpo_explain.reporting.ablation import WhatMadeTheDifference
from hpo_explain.reporting.effects import HowItMatters
from hpo_explain.reporting.importance import WhatMatters
from hpo_explain.reporting.interactions import WhatActsTogether
from hpo_explain.reporting.lime import WhatWouldChangeIt
from hpo_explain.reporting.local_importance import WhatMattersAround
from hpo_explain.reporting.next_steps import WhatNext
from hpo_explain.reporting.overview import Overview
from hpo_explain.reporting.path import HowReasonsChanged
from hpo_explain.reporting.proposal import BestProposal, LatestProposal
from hpo_explain.reporting.section import Card, Section, card_of
from hpo_explain.reporting.trust import TrustVerdict
from hpo_explain.run import Run

SECTIONS: tuple[Section, ...] = (
    Overview(),
    TrustVerdict(),
    WhatMatters(),
    HowItMatters(),
    WhatActsTogether(),
    WhatMadeTheDifference(),
    WhatMattersAround(),
    WhatWouldChangeIt(),
    BestProposal(),
    LatestProposal(),
    HowReasonsChanged(),
    WhatNext(),
)
BRIEF: tuple[Section, ...] = (Overview(), TrustVerdict(), LatestProposal())
"""What a report can do without models of many iterations, drawn in a moment."""
_TITLE = "Why the optimizer tried what it tried"


def report(
    source: Any,
    path: str | Path = "report.html",
    *,
    title: str | None = None,
    sections: Sequence[Section] | None = None,
    progress: bool = True,
    **reading: Any,
) -> Path:
    """Write a self-contained HTML report about an optimization run.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run. A study with several objectives gets one part of the page each,
        unless `target=` names one.
    path : str or pathlib.Path, default "report.html"
        The file to write; it is replaced only when the new report is complete.
    title : str, optional
        The heading, such as the name of the study.
    sections : sequence of Section, optional
        The parts of the report, in order; by default all.
    progress : bool, default True
        Show a progress bar on a terminal.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError
        If the source cannot be read.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = hx.report(table, f"{folder}/report.html", objective="loss")
    ...     text = written.read_text(encoding="utf-8")
    >>> text[:15], "Can the model be trusted?" in text
    ('<!doctype html>', True)
    """
    check_place(Path(path))
    runs = as_runs(source, **reading)
    chosen = SECTIONS if sections is None else sections
    return write_report(runs, path, title=title, sections=chosen, progress=progress)


@dataclass(frozen=True)
class Tab:
    """What a report shows about one run.

    Attributes
    ----------
    name, subtitle : str
        The objective, and the run in a line.
    cards : tuple of Card
        What each section found, in order.
    """

    name: str
    subtitle: str
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Report:
    """A report that is ready to be written.

    Attributes
    ----------
    title : str
        Its heading.
    tabs : tuple of Tab
        One per run: several where there are several objectives.
    """

    title: str
    tabs: tuple[Tab, ...]

    @property
    def cards(self) -> tuple[Card, ...]:
        """What each section found, of all tabs."""
        return tuple(card for tab in self.tabs for card in tab.cards)

    def write(self, path: str | Path) -> Path:
        """Write the page, which replaces an older one only when it is complete; return its path.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        path = Path(path)
        check_place(path)
        write_atomically(path, render("page.html.j2", title=self.title, tabs=self.tabs))
        return path


def make_report(
    run: Run | Mapping[str, Run],
    *,
    title: str | None = None,
    sections: Sequence[Section] = SECTIONS,
    progress: bool = False,
) -> Report:
    """Return the report about a run; a section that fails becomes a card that says so.

    Parameters
    ----------
    run : Run, or mapping of str to Run
        The run, or one per objective by its name.
    title : str, optional
        The heading; by default it has the run's name, if there is one.
    sections : sequence of Section
        The parts of the report, in order.
    progress : bool, default False
        Show a progress bar on a terminal.

    Returns
    -------
    Report
        The report, which `write` puts into a file.

    Raises
    ------
    ValueError
        If there is no run, or a section is none.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> from hpo_explain.reporting import Overview
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, np.array([[0.2], [0.7]]), np.array([3.0, 1.0]), "minimize")
    >>> make_report(run, sections=[Overview()]).cards[0].finding
    'The best objective of 2 trials is 1, by trial 1; the last one.'
    """
    from tqdm import tqdm

    runs = {run.objective_name: run} if isinstance(run, Run) else dict(run)
    for section in sections:
        if not callable(getattr(section, "content", None)):
            raise ValueError(
                f"sections must be parts such as hpo_explain.reporting.WhatMatters(), but one was "
                f"{section!r}. There are: {', '.join(type(s).__name__ for s in SECTIONS)}."
            )
    if not runs:
        raise ValueError("run is an empty mapping: there is nothing to report. Give a run.")
    work = [(name, section) for name in runs for section in sections]
    # None: shown on a terminal only
    bar = tqdm(work, desc="report", unit="section", disable=None if progress else True)
    found: dict[str, list[Card]] = {name: [] for name in runs}
    for name, section in bar:
        place = list(runs).index(name)
        found[name].append(card_of(section, runs[name], prefix=f"o{place}-" if place else ""))
    named = next(iter(runs.values())).name
    return Report(
        title=title or (f"{_TITLE}: {named}" if named else _TITLE),
        tabs=tuple(
            Tab(name, str(runs[name]).partition("\n")[0], tuple(cards))
            for name, cards in found.items()
        ),
    )


def write_report(
    run: Run | Mapping[str, Run],
    path: str | Path,
    *,
    title: str | None = None,
    sections: Sequence[Section] = SECTIONS,
    progress: bool = False,
) -> Path:
    """Write the report about a run; a section that fails becomes a card that says so.

    Parameters
    ----------
    run : Run, or mapping of str to Run
        The run, or one per objective by its name.
    path : str or pathlib.Path
        The file to write; it is replaced only when the new report is complete.
    title : str, optional
        The heading; by default it has the run's name, if there is one.
    sections : sequence of Section
        The parts of the report, in order.
    progress : bool, default False
        Show a progress bar on a terminal.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError
        If there is no run, or a section is none.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> from hpo_explain.reporting import Overview
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, np.array([[0.2], [0.7]]), np.array([3.0, 1.0]), "minimize")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(run, f"{folder}/report.html", sections=[Overview()]).name
    'report.html'
    """
    check_place(Path(path))
    return make_report(run, title=title, sections=sections, progress=progress).write(path)
