"""When a report is written anew while a run goes on: seldom enough, and never to its harm."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from hpo_explain._checks import check_count, check_number
from hpo_explain.adapters._one_writer import one_writer
from hpo_explain.errors import InputError
from hpo_explain.run import Run

if TYPE_CHECKING:
    from hpo_explain.reporting import Section

_logger = logging.getLogger("hpo_explain")

Runs = Run | Mapping[str, Run]
"""A run, or one per objective."""

_FULL, _BRIEF = "full", "brief"
_BRIEFER = 0.3  # a brief report's cost, as a share of a full one's, before one was written
_GROWTH = 1.5  # the next report may take longer than the last one did


class ReportUpdates:
    """Writes a report anew every so many finished trials, within a budget of time.

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
    sections : sequence of Section or None
        The parts of the report; None for all.
    on_update : callable or None
        Called with the path after each report.
    patience : float, default 120.0
        Seconds that the last report waits for another process that is writing the report.

    Raises
    ------
    ValueError
        If an argument is not as described.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        every: int,
        budget: float | None,
        sections: Sequence[Section] | None,
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
        self.budget = budget
        self._sections = sections
        self._on_update = on_update
        self._patience = patience
        self._lock = threading.Lock()
        self._finished = 0
        self._due = False
        self._writing = False
        self._written = False
        self._begun: float | None = None
        self._reporting = 0.0  # seconds, of all reports
        self._spent = 0.0  # of those that count
        self._costs: dict[str, float] = {}
        self._logged: set[tuple[type[BaseException], str]] = set()

    def step(self, read: Callable[[], Runs], *, lasted: float = 0.0) -> None:
        """Count a finished trial, which lasted so many seconds; write the report if it is due."""
        with self._lock:
            if self._begun is None:
                self._begun = perf_counter() - lasted
            self._finished += 1
            if self._finished % self.every:
                return
            self._due = True
            if self._writing:
                return
            self._writing = True
        try:
            while self._take():
                self._update(read)
        except BaseException:  # the run is being stopped; it may be continued with this callback
            self._writing = False
            raise

    def finish(self, read: Callable[[], Runs]) -> Path | None:
        """Write a last, full report, whatever the budget; return its path, None if it failed.

        Another process may be writing it: that report may lack the last trials, so this one waits.
        """
        with one_writer(self.path, self._patience) as mine:
            if not mine:
                _logger.warning(
                    "The report %s was not written: for %.0f s another process has been writing "
                    "it. Call finish again when that process is done.",
                    self.path, self._patience,
                )  # fmt: skip
            return self.path if mine and self._write(read, _FULL) else None

    def guarded(self, work: Callable[[], object]) -> bool:
        """Return whether some work was done; what goes wrong is logged, not raised."""
        try:
            work()
        except Exception as error:
            self._log(error)
            return False
        return True

    def _take(self) -> bool:
        """Say whether a report is due; if none is, others may write from now on."""
        with self._lock:
            self._writing, self._due = self._due, False
            return self._writing

    def _update(self, read: Callable[[], Runs]) -> None:
        kind = self._affordable()
        if kind is None:
            _logger.info(
                "The report %s is not written anew after %d trials: it would take more than "
                "%.0f %% of the optimization's time.",
                self.path, self._finished, 100.0 * (self.budget or 0.0),
            )  # fmt: skip
            return
        if kind == _BRIEF:
            _logger.info(
                "The report %s is brief after %d trials, to stay within %.0f %% of the time.",
                self.path, self._finished, 100.0 * (self.budget or 0.0),
            )  # fmt: skip
        first, start = not self._written, perf_counter()
        with one_writer(self.path) as mine:
            if not mine:
                return  # it will be due again
            self._write(read, kind)
        seconds = perf_counter() - start
        self._costs[kind] = seconds
        self._reporting += seconds
        if not first:
            self._spent += seconds

    def _affordable(self) -> str | None:
        """Return the kind of report that the budget has room for; the first one is free."""
        if not self._written or self.budget is None or self._begun is None:
            return _FULL
        # what is left of the elapsed time is the optimization's own
        own = perf_counter() - self._begun - self._reporting
        room = self.budget * own - self._spent
        full = self._costs.get(_FULL, 0.0)
        if _GROWTH * full <= room:
            return _FULL
        brief = self._costs.get(_BRIEF, _BRIEFER * full)
        return _BRIEF if self._sections is None and _GROWTH * brief <= room else None

    def _write(self, read: Callable[[], Runs], kind: str) -> bool:
        def work() -> None:
            from hpo_explain import reporting

            parts = reporting.BRIEF if kind == _BRIEF else self._sections
            reporting.report(read(), self.path, sections=parts, progress=False)
            if self._on_update is not None:
                self._on_update(self.path)

        done = self.guarded(work)
        self._written |= done
        return done

    def _log(self, error: Exception) -> None:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = "" if place is None else f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
        kind = (type(error), where)
        if kind in self._logged:
            return
        self._logged.add(kind)
        _logger.warning(
            "The report %s was not written (%s: %s). The optimization goes on.",
            self.path,
            type(error).__name__,
            error,
            exc_info=error,
        )
