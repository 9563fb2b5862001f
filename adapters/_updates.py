"""When a report is written anew while a run goes on: seldom enough, and never to its harm."""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_explain._checks import check_count, check_number
from hpo_explain.run import Run

if TYPE_CHECKING:
    from hpo_explain.reporting import Section

_logger = logging.getLogger("hpo_explain")

Runs = Run | Mapping[str, Run]
"""A run, or one per objective."""

_FULL, _BRIEF = "full", "brief"
_BRIEFER = 0.3  # a brief report's cost, as a share of a full one's, before one was written
_GROWTH = 1.5  # the next report may take longer than the last one did
_STALE = 600.0  # seconds after which the lock of a process on another machine is taken over
_PATIENCE = 120.0  # seconds that the last report waits for another process to write its own


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
    ) -> None:
        if not isinstance(path, (str, PathLike)) or not str(path):
            raise ValueError(
                f"path must name the report's file, but was {path!r}. Give one like 'report.html'."
            )
        if budget is not None and not 0.0 < check_number("budget", budget) <= 1.0:
            raise ValueError(
                f"budget must be above 0 and at most 1, a share of the time, but was {budget!r}. "
                "Give None for no limit."
            )
        if on_update is not None and not callable(on_update):
            raise ValueError(f"on_update must be a function of the path, but was {on_update!r}.")
        self.path = Path(path).absolute()
        self.every = check_count("every", every)
        self.budget = budget
        self._sections = sections
        self._on_update = on_update
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
                self._begun = time.perf_counter() - lasted
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
        with self._one_writer(patience=_PATIENCE) as mine:
            if not mine:
                _logger.warning(
                    "The report %s was not written: for %.0f s another process has been writing "
                    "it. Call finish again, or remove %s.",
                    self.path, _PATIENCE, self._mark,
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
        first, start = not self._written, time.perf_counter()
        with self._one_writer() as mine:
            if not mine:
                return  # it will be due again
            self._write(read, kind)
        seconds = time.perf_counter() - start
        self._costs[kind] = seconds
        self._reporting += seconds
        if not first:
            self._spent += seconds

    def _affordable(self) -> str | None:
        """Return the kind of report that the budget has room for; the first one is free."""
        if not self._written or self.budget is None or self._begun is None:
            return _FULL
        # what is left of the elapsed time is the optimization's own
        own = time.perf_counter() - self._begun - self._reporting
        room = self.budget * own - self._spent
        full = self._costs.get(_FULL, 0.0)
        if _GROWTH * full <= room:
            return _FULL
        brief = self._costs.get(_BRIEF, _BRIEFER * full)
        return _BRIEF if self._sections is None and _GROWTH * brief <= room else None

    def _write(self, read: Callable[[], Runs], kind: str) -> bool:
        def work() -> None:
            from hpo_explain import reporting

            found = read()
            runs = {found.objective_name: found} if isinstance(found, Run) else found
            parts = reporting.BRIEF if kind == _BRIEF else self._sections
            reporting.Report.of(runs, sections=parts).write(self.path)
            if self._on_update is not None:
                self._on_update(self.path)

        done = self.guarded(work)
        self._written |= done
        return done

    @property
    def _mark(self) -> Path:
        return self.path.with_name(f".{self.path.name[:100]}.lock")

    @contextlib.contextmanager
    def _one_writer(self, patience: float = 0.0) -> Iterator[bool]:
        """Say whether no other process writes this report, at the moment or after some seconds."""
        mark, until = self._mark, time.monotonic() + patience
        while not (mine := _claim(mark)) and time.monotonic() < until:
            time.sleep(0.1)
        try:
            yield mine
        finally:
            if mine:
                with contextlib.suppress(OSError):
                    mark.unlink()

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


def _claim(mark: Path) -> bool:
    """Make a file that says that this process writes; False if another one's is there."""
    for _ in range(2):
        try:
            file = os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            try:
                if not _left_behind(mark):
                    return False
                mark.unlink()
            except OSError:
                return False
        except OSError:  # no such folder, or read-only: writing says so better
            return True
        else:
            with contextlib.suppress(OSError), os.fdopen(file, "w", encoding="utf-8") as owner:
                owner.write(f"{platform.node()} {os.getpid()}")
            return True
    return False


def _left_behind(mark: Path) -> bool:
    """Say whether the process that made this file is gone, as far as can be told from here."""
    node, _, process = mark.read_text(encoding="utf-8", errors="replace").rpartition(" ")
    if os.name == "posix" and node == platform.node() and process.isdecimal():
        try:
            os.kill(int(process), 0)  # sends nothing
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):  # somebody else's, or no number of ours
            pass
    return time.time() - mark.stat().st_mtime > _STALE
