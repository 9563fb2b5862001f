"""The report as one file that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_explain.adapters import as_run
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
from hpo_explain.reporting.section import Card, Section, cards
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
_TITLE = "Why the optimizer tried what it tried"


def report(
    source: Any, path: str | Path = "report.html", *, title: str | None = None, **reading: Any
) -> Path:
    """Write a self-contained HTML report about an optimization run.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    path : str or pathlib.Path, default "report.html"
        The file to write; it is replaced only when the new report is complete.
    title : str, optional
        The heading, such as the name of the study.
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
    return write_report(as_run(source, **reading), path, title=title)


@dataclass(frozen=True)
class Report:
    """A report that is ready to be written.

    Attributes
    ----------
    title, subtitle : str
        Its heading, and the run in a line.
    cards : tuple of Card
        What each section found, in order.
    """

    title: str
    subtitle: str
    cards: tuple[Card, ...]

    def write(self, path: str | Path) -> Path:
        """Write the page, which replaces an older one only when it is complete; return its path.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        path = Path(path)
        check_place(path)
        page = render("page.html.j2", title=self.title, subtitle=self.subtitle, cards=self.cards)
        write_atomically(path, page)
        return path


def make_report(
    run: Run, *, title: str | None = None, sections: Sequence[Section] = SECTIONS
) -> Report:
    """Return the report about a run; a section that fails becomes a card that says so.

    Parameters
    ----------
    run : Run
        The run.
    title : str, optional
        The heading; by default it has the run's name, if there is one.
    sections : sequence of Section
        The parts of the report, in order.

    Returns
    -------
    Report
        The report, which `write` puts into a file.

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
    return Report(
        title=title or (f"{_TITLE}: {run.name}" if run.name else _TITLE),
        subtitle=str(run).partition("\n")[0],
        cards=tuple(cards(sections, run)),
    )


def write_report(
    run: Run,
    path: str | Path,
    *,
    title: str | None = None,
    sections: Sequence[Section] = SECTIONS,
) -> Path:
    """Write the report about a run; a section that fails becomes a card that says so.

    Parameters
    ----------
    run : Run
        The run.
    path : str or pathlib.Path
        The file to write; it is replaced only when the new report is complete.
    title : str, optional
        The heading; by default it has the run's name, if there is one.
    sections : sequence of Section
        The parts of the report, in order.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
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
    return make_report(run, title=title, sections=sections).write(path)
