"""When a report is written anew while a run goes on: seldom enough, and never to its harm."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._budget import Budget, Extent
from hpo_explain.adapters._by_value import dumped
from hpo_explain.adapters._drawing import Answer, Content, Drawing, Failure, Job
from hpo_explain.adapters._one_writer import one_writer
from hpo_explain.base.checks import check_count, check_number, check_sequence
from hpo_explain.base.errors import InputError

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

_logger = logging.getLogger("hpo_explain")

_NOT_WRITTEN = "The report %s was not written"
_NOT_NOTED = "The report %s was written, but the importance was not noted in the study"


class ReportUpdates:
    """Has a report written anew every so many finished trials, within a budget of time.

    The run is read by the thread that reports a trial; everything else happens in a process of
    its own, one at a time, for which no trial waits. A report that becomes due meanwhile, or for
    which there is no room yet, is written after a later trial, with the trials finished by then.

    Whatever goes wrong while reading, fitting, drawing or writing is logged to the logger
    ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on.

    Parameters
    ----------
    path : str or path-like
        The report's file; relative to the working directory of now, not of a later trial.
    every : int
        Number of finished trials between two reports.
    budget : float or None
        Share of the optimization's own time that reports may take; None for no limit.
    sections : sequence of str or Section, or None
        The parts of the report; None for all.
    on_update : callable or None
        Called with the path after each report, in a thread of its own.
    patience : float, default 120.0
        Seconds that the last report waits for another process that is writing the report.

    Raises
    ------
    InputError
        If an argument is not as described, or sections cannot be sent to another process.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        every: int,
        budget: float | None,
        sections: Sequence[str | Section] | None,
        on_update: Callable[[Path], object] | None,
        patience: float = 120.0,
    ) -> None:
        if not isinstance(path, (str, PathLike)) or not str(path):
            raise InputError(
                "path",
                f"must name the report's file, but was {path!r}",
                path,
                "Give one like 'report.html'.",
            )
        if budget is not None and not 0.0 < check_number("budget", budget) <= 1.0:
            raise InputError(
                "budget",
                f"must be above 0 and at most 1, a share of the time, but was {budget!r}",
                budget,
                "Give None for no limit.",
            )
        if on_update is not None and not callable(on_update):
            raise InputError(
                "on_update", f"must be a function of the path, but was {on_update!r}", on_update
            )
        self.path = Path(path).absolute()
        self.every = check_count("every", every)
        self._sections = _checked_sections(sections)
        self.budget = Budget(budget, None if self._sections is None else len(self._sections))
        self._on_update = on_update
        self._patience = patience
        self._finished = 0
        self._due = False
        self._told = False  # that the report which is due has to wait
        self._logged: set[tuple[str, str]] = set()
        self._be_alone()

    def _be_alone(self) -> None:
        """Take no notice of what another process does, whose fork this one may be."""
        self._owner = os.getpid()
        self._counting = threading.Lock()
        self._starting = threading.Lock()
        self._drawing: Drawing | None = None

    def step(
        self,
        read: Callable[[], Mapping[str, Run]],
        *,
        lasted: float = 0.0,
        note: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        """Count a finished trial, which lasted so many seconds; start a report if it is due.

        `note` is called with the importance of hyperparameters, in the thread of `on_update`.
        """
        if self._owner != os.getpid():
            self._be_alone()
        with self._counting:
            self.budget.begin(lasted)
            self._finished += 1
            self._due |= self._finished % self.every == 0
        if not self._due or not self._starting.acquire(blocking=False):
            return
        try:
            if self._drawing is None or self._drawing.is_over:
                self._start_affordable(read, note)
        finally:
            self._starting.release()

    def finish(
        self,
        read: Callable[[], Mapping[str, Run]],
        *,
        note: Callable[[dict[str, Any]], object] | None = None,
    ) -> Path | None:
        """Write a last, full report, whatever the budget; return its path, None if it failed.

        Another process may be writing it: that report may lack the last trials, so this one waits.
        """
        if self._owner != os.getpid():
            self._be_alone()
        with self._starting:
            if self._drawing is not None:  # of fewer trials
                self._drawing.stop()
                self._drawing.wait()
            self._due = False
            # held while the run is read: who writes last has read last
            with one_writer(self.path, self._patience) as mine:
                if mine:
                    return self.path if self._is_last_written(read, note) else None
        _logger.warning(
            "The report %s was not written: for %.0f s another process has been writing it. "
            "Call finish again when that process is done.",
            self.path, self._patience,
        )  # fmt: skip
        return None

    def _is_last_written(
        self,
        read: Callable[[], Mapping[str, Run]],
        note: Callable[[dict[str, Any]], object] | None,
    ) -> bool:
        """Draw the last report, wait for it, and say whether it was written."""
        written: list[bool] = []
        self._drawing = self._start(
            read, Extent.FULL, note, lambda answer: written.append(answer.written), last=True
        )
        if self._drawing is None:
            return False
        try:
            self._drawing.wait()
        except BaseException:
            self._drawing.stop()
            raise
        return any(written)

    def _guarded(self, work: Callable[[], object], failing: str) -> None:
        """Do some work; what goes wrong is logged, not raised."""
        try:
            work()
        except Exception as error:
            self._log(failing, Failure.of(error), error)

    def _start_affordable(
        self,
        read: Callable[[], Mapping[str, Run]],
        note: Callable[[dict[str, Any]], object] | None,
    ) -> None:
        extent = self._affordable()
        if extent is None:
            if not self._told:
                _logger.info(
                    "The report %s is not written anew after %d trials: it would take more than "
                    "%.0f %% of the optimization's time. It is when it fits.",
                    self.path, self._finished, 100.0 * (self.budget.share or 0.0),
                )  # fmt: skip
            self._told = True
            return
        if extent is Extent.BRIEF:
            _logger.info(
                "The report %s is brief after %d trials, to stay within %.0f %% of the time.",
                self.path, self._finished, 100.0 * (self.budget.share or 0.0),
            )  # fmt: skip
        self._due = self._told = False
        try:
            self._drawing = self._start(read, extent, note)
        except BaseException:  # the run is being stopped; it may be continued with this callback
            self._due = True
            raise

    def _affordable(self) -> Extent | None:
        """Return the most extensive report that the budget has room for."""
        extents = Extent if self._sections is None else (Extent.FULL,)
        return next((extent for extent in extents if self.budget.has_room(extent)), None)

    def _start(
        self,
        read: Callable[[], Mapping[str, Run]],
        extent: Extent,
        note: Callable[[dict[str, Any]], object] | None,
        then: Callable[[Answer], object] = lambda _: None,
        *,
        last: bool = False,
    ) -> Drawing | None:
        """Read the run and start the drawing; return None if that goes wrong."""
        began = perf_counter()
        started: list[Drawing] = []

        def done(answer: Answer) -> None:
            self._receive(answer, extent, note, last=last)
            then(answer)

        def work() -> None:
            content = Content(read(), self._sections, extent is Extent.BRIEF)
            job = Job(self.path, last, note is not None, dumped(content))
            started.append(Drawing(job, done))

        self._guarded(work, _NOT_WRITTEN)
        self.budget.stood_still(perf_counter() - began)
        return started[0] if started else None

    def _receive(
        self,
        answer: Answer,
        extent: Extent,
        note: Callable[[dict[str, Any]], object] | None,
        *,
        last: bool,
    ) -> None:
        """Deal with an answer, in the thread that waited for it."""
        if not answer.busy and not last:
            self.budget.pay(answer.seconds, extent)
        for record in answer.records:
            self._log_again(record)
        for failure in answer.failures:
            self._log(_NOT_NOTED if answer.written else _NOT_WRITTEN, failure)
        if answer.importance is not None and note is not None:
            noted, write = answer.importance, note
            self._guarded(lambda: write(noted), _NOT_NOTED)
        if answer.written and self._on_update is not None:
            tell = self._on_update
            self._guarded(
                lambda: tell(self.path), "The report %s was written, but on_update failed"
            )

    def _log_again(self, record: logging.LogRecord) -> None:
        """Log what was logged by the process that drew."""
        kind = (record.levelname, record.getMessage())
        logger = logging.getLogger(record.name)
        if kind not in self._logged and logger.isEnabledFor(record.levelno):
            self._logged.add(kind)
            logger.handle(record)

    def _log(self, failing: str, failure: Failure, error: Exception | None = None) -> None:
        kind = (failure.kind, failure.place)
        if kind in self._logged:
            return
        self._logged.add(kind)
        told = f"\n{failure.traceback}" if error is None and failure.traceback else ""
        _logger.warning(
            failing + " (%s: %s). The optimization goes on.%s",
            self.path, failure.kind, failure.message, told, exc_info=error,
        )  # fmt: skip


def _checked_sections(
    sections: Sequence[str | Section] | None,
) -> tuple[str | Section, ...] | None:
    """Return sections that can be sent to the process that draws them."""
    if sections is None:
        return None
    checked = tuple(check_sequence("sections", sections, "names of sections"))
    for section in checked:
        try:
            if not isinstance(section, str):
                dumped(section)
        except Exception as error:
            name = getattr(section, "name", section)
            raise InputError(
                "sections",
                f"are drawn by another process, but {name!r} cannot be sent to it "
                f"({type(error).__name__}: {error})",
                section,
                "Let its function itself open the files, locks and connections that it needs.",
            ) from error
    return checked
