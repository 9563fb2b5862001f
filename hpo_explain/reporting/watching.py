"""A report that follows a run which others are making."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import sleep
from typing import Any

from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.checks import check_number
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.question import answers, options_of
from hpo_explain.reporting._file import check_place
from hpo_explain.reporting._notebook import ReportPath
from hpo_explain.reporting.page import Report
from hpo_explain.run import Run, fits
from hpo_explain.run.state import state_of

_logger = logging.getLogger("hpo_explain")


def watch(
    run: Any,
    path: str | Path = "report.html",
    *,
    every: float = 30.0,
    title: str | None = None,
    **reading: Any,
) -> Path:
    """Update a report as trials arrive, until you interrupt it.

    An open page reloads itself when there are new trials, and keeps its scroll position. In a
    notebook the report is shown below the cell.

    Parameters
    ----------
    run : path, address of a storage, or any other run
        The running optimization; it is only read.
    path : str or pathlib.Path, default "report.html"
        The file to write. The last report stays if the run can no longer be read.
    every : float, default 30.0
        Seconds between two updates.
    title : str, optional
        The heading; by default the run's name, if it has one.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    pathlib.Path
        The file, after you interrupt (Ctrl-C, or the stop button of a notebook).

    Raises
    ------
    ValueError
        If the run cannot be read at first. It may still have no finished trial.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> hx.watch("sqlite:///study.db", every=60)  # doctest: +SKIP
    """
    check_place(path)
    if check_number("every", every) <= 0.0:
        problem = f"must be more than 0 seconds, but was {every!r}"
        raise InputError("every", problem, every, "Give such as 30.")
    cell = _Cell()
    page = Watched(ReportPath(path), title)

    def read() -> Mapping[str, Run]:
        with options_of(watch):
            return as_runs(run, **reading)

    with suppress(KeyboardInterrupt):
        page.follow(read, every=every, wrote=lambda _: cell.show(page.path), waits=_logger.warning)
    return page.path


@dataclass
class Watched:
    """The report on a run that others are making.

    Parameters
    ----------
    path : ReportPath
        The file to write.
    title : str or None
        The heading; by default it has the run's name.
    check : callable
        Called before a file is written; it raises where that is not to be done.
    """

    path: ReportPath
    title: str | None
    check: Callable[[], None] = lambda: None
    _shown: str = field(default="", init=False)  # what tells the trials that it is about

    def follow(
        self,
        read: Callable[[], Mapping[str, Run]],
        *,
        every: float,
        wrote: Callable[[Mapping[str, Run]], object],
        waits: Callable[[str], object],
        words: Callable[[Exception], str] = str,
    ) -> None:
        """Look at a run again and again, and write a report whenever there are other trials.

        Parameters
        ----------
        read : callable
            Returns the runs, by the name of their objective.
        every : float
            Seconds between two looks.
        wrote : callable
            Called with the runs after each report.
        waits : callable
            Called with why nothing can be read now, once for each reason.
        words : callable
            Returns an error in words.
        """
        said = ""
        while True:
            try:
                self._look(read(), wrote)  # while it waits it holds no run
                said = ""
            except (ValueError, OSError) as error:
                # worth waiting for: a lock, or a run of which no trial is finished
                may_pass = isinstance(error, TimeoutError) or isinstance(
                    error.__cause__, NothingToExplain
                )
                if not self._shown and not may_pass:
                    raise
                text = words(error)
                if text != said:  # not at every look anew
                    stays = f" The last report stays: {self.path}."
                    waits(f"waiting: {text}{stays if self._shown else ''}")
                    said = text
            self.check()
            sleep(every)

    def _look(self, runs: Mapping[str, Run], wrote: Callable[[Mapping[str, Run]], object]) -> None:
        """Write a report where the trials are others than those shown."""
        version = state_of(runs)
        if version == self._shown:
            return
        try:
            report = Report.of(runs, title=self.title, progress=True)
            self.check()
            replace(report, version=version).write(self.path)
        finally:  # the next report is of other trials: it asks for none of this again
            answers.forget()
            fits.forget()
        self._shown = version
        wrote(runs)


class _Cell:
    """The output of a notebook's cell, if there is one, in which the page is shown."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, path: ReportPath) -> None:
        """Show the page in place of the one before."""
        if self._handle is not None:
            self._handle.update(path)
        elif type(sys.stdout).__module__.startswith("ipykernel."):
            display = sys.modules["IPython"].display.display
            self._handle = display(path, display_id=True)
