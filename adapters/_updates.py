"""When a report is written anew while a run goes on: seldom enough, and never to its harm."""

from __future__ import annotations

import atexit
import logging
import math
import os
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._drawing import Drawing, Page, Turn, draw_at_exit
from hpo_explain.adapters._going_on import goes_on, is_called_by
from hpo_explain.adapters.sources import checked_options
from hpo_explain.base.checks import check_count, check_number, check_sequence
from hpo_explain.base.errors import InputError
from hpo_explain.base.workers import ByValue, dumped

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

_logger = logging.getLogger("hpo_explain")

_NOT_WRITTEN = "The report %s was not written"
_UNTOLD = "The report %s was written, but on_update failed"
_GOES_ON = " (%s: %s). The optimization goes on."
_WAITS = (
    "The report %s is not written anew after %d trials: it would take more than %.0f %% of the "
    "optimization's time. It is when it fits."
)
_FIRST = 10  # trials after which there is a first page
# seconds of one processor, assumed until a report was measured
_START, _SECTION = (3.0, 1.4)
_SECTIONS = 16  # of a report, if not chosen
_SHORT = 3  # sections that are drawn as fast as a short page
_GROWTH = 1.5  # the next report may take longer than the last one did
_PATIENCE = 120.0  # seconds that the last report waits for another process that writes pages
_AT_MOST = 10.0  # seconds that a program which ends waits for its other threads
_LOOK = 0.5  # seconds between two looks at whether the optimization goes on
_PAUSE = 1.0  # seconds after which it is over, doubled whenever it was not


class Budget:
    """The account of the time that reports take.

    Parameters
    ----------
    share : float
        Share of the optimization's own time that reports may take; infinite for no limit.
    sections : int
        Number of parts of a report.
    """

    def __init__(self, share: float, sections: int = _SECTIONS) -> None:
        self.share = share
        self.cost = _START + _SECTION * sections  # of the next report
        self.spent = 0.0
        self._begun = math.nan
        self._within = 0.0  # seconds for which the optimization itself stood still
        self._last = 0.0  # of them, those of the last time

    def begin(self, lasted: float) -> None:
        """Note that the first trial has finished, which lasted so many seconds."""
        if math.isnan(self._begun):
            self._begun = perf_counter() - lasted

    def stood_still(self, seconds: float) -> None:
        """Pay for seconds that the optimization waited."""
        self._within += seconds
        self._last = seconds
        self.spent += seconds

    def pay(self, seconds: float) -> None:
        """Pay for a report that took so many seconds of a processor."""
        self.spent += seconds
        self.cost = _GROWTH * (seconds + self._last)

    @property
    def has_room(self) -> bool:
        """Whether a report fits into what is left of the budget."""
        own = perf_counter() - self._begun - self._within
        return self.cost <= self.share * own - self.spent


class ReportUpdates(ABC):
    """Has a report written anew every so many finished trials, within a budget of time.

    The run is read by the thread that reports a trial; everything else happens in a process of
    its own, one at a time, for which no trial waits. A report that becomes due meanwhile, or for
    which there is no room yet, is written after a later trial, with the trials finished by then.

    Whatever goes wrong while reading, fitting, drawing or writing is logged to the logger
    ``hpo_explain``, once for each place where it goes wrong, and the optimization goes on. A copy,
    also a pickled one, has the settings and begins anew.
    """

    _settings: tuple[str, ...] = ("path", "every", "_share", "_sections", "_on_update", "_options")
    _reader: Callable[..., Any]  # whose options the callback takes
    _framework: str  # the package whose code runs until the optimization is over

    def __init__(
        self,
        path: str | PathLike[str] = "report.html",
        *,
        every: int = 25,
        budget: float | None = 0.05,
        sections: Sequence[str | Section] | None = None,
        on_update: Callable[[Path], object] | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(path, (str, PathLike)) or not str(path):
            problem = f"must name the report's file, but was {path!r}"
            raise InputError("path", problem, path, "Give one like 'report.html'.")
        if budget is not None and not 0.0 < check_number("budget", budget) <= 1.0:
            problem = f"must be above 0 and at most 1, a share of the time, but was {budget!r}"
            raise InputError("budget", problem, budget, "Give None for no limit.")
        if on_update is not None and not callable(on_update):
            problem = f"must be a function of the path, but was {on_update!r}"
            raise InputError("on_update", problem, on_update)
        self._options = checked_options(options, self._reader, type(self))
        self.path = Path(path).absolute()
        """The report's file."""
        self.every = check_count("every", every)
        """Number of finished trials between two reports."""
        self._sections = _checked_sections(sections)
        self._share = math.inf if budget is None else budget
        self._on_update = on_update
        self._begin()

    def _begin(self) -> None:
        """Begin anew: at first, as a copy, and in a fork of a process that draws."""
        self._owner = os.getpid()
        self._counting = threading.Lock()
        self._starting = threading.Lock()
        parts = _SECTIONS if self._sections is None else len(self._sections)
        self._budget = Budget(self._share, parts)
        self._made = perf_counter()
        self._finished = 0
        self._due = False
        self._told = False  # that the report which is due has to wait
        self._logged: set[tuple[str, ...]] = set()
        self._written = False  # the latest report
        # finished trials when the latest that is not short was read
        self._whole = 0
        self._source: Any = None
        self._drawing: Drawing | None = None
        self._waiting = False  # a thread, for the optimization to be over

    def __getstate__(self) -> dict[str, Any]:
        return {name: _copied(getattr(self, name)) for name in self._settings}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, setting in state.items():  # copy.copy leaves them as they are
            is_wrapped = isinstance(setting, ByValue)
            setattr(self, name, setting.thing if is_wrapped else setting)
        self._begin()

    @abstractmethod
    def _read(self, source: Any) -> Mapping[str, Run]:
        """Return the runs of what is optimized, by the name of their objective."""

    def _step(self, source: Any, *, lasted: float = 0.0) -> None:
        """Count a finished trial, which lasted so many seconds; start a report if it is due."""
        if self._owner != os.getpid():
            self._begin()
        with self._counting:
            self._budget.begin(lasted)
            self._finished += 1
            self._due |= self._finished % self.every == 0
            self._source = source
            _UNFINISHED.add(self)
            # who asks and tells is not on the stack while a trial runs
            if not self._waiting and is_called_by(self._framework):
                self._wait_for_the_end()
            short = self._finished == _FIRST and not self._drawing
        if not (self._due or short) or not self._starting.acquire(blocking=False):
            return
        try:
            if self._drawing and not self._drawing.is_over:
                return
            if self._due and self._budget.has_room:
                self._due = self._told = False
                self._drawing = self._start(source)
            elif short:
                self._drawing = self._start(source, short=True)
            elif not self._told:
                _logger.info(_WAITS, self.path, self._finished, 100.0 * self._budget.share)
                self._told = True
        except BaseException:  # the run is being stopped; it may be continued with this callback
            self._due = True
            raise
        finally:
            self._starting.release()

    def _wait_for_the_end(self) -> None:
        """Have a thread write the last report in a process that outlives the optimization."""
        thread = threading.Thread(target=self._write_once_over, daemon=True)
        with suppress(RuntimeError):  # of a process that may have no more
            thread.start()
            self._waiting = True

    def _write_once_over(self) -> None:
        """Write a report on all trials when no code of the framework runs any more."""
        pause, still = _PAUSE, 0.0
        while True:
            sleep(_LOOK)
            still = 0.0 if goes_on(self._framework) else still + _LOOK
            finished, is_done = self._finished, False
            if still >= pause:
                is_done = self._write_last()
                # whoever optimizes in many short calls does not pay for a drawing after each
                pause, still = 2.0 * pause, 0.0
            with self._counting:
                if is_done and self._whole == self._finished:
                    _UNFINISHED.discard(self)
                    self._source, self._due = None, False
                is_done &= finished == self._finished
                if is_done or self not in _UNFINISHED:
                    self._waiting = False
                    return

    def _write_last(self) -> bool:
        """Write a report on all trials, a short one first where there is none.

        Return whether that was done; it is given up where the optimization goes on after all.
        """
        many = self._sections is None or len(self._sections) > _SHORT
        if many and not self._whole and not self._write_beside(short=True):
            return False
        return self._write_beside(short=False)

    def _write_beside(self, *, short: bool) -> bool:
        """Write a report unless the optimization goes on meanwhile; return whether it did not."""
        with self._starting:
            if self not in _UNFINISHED or _is_ending():
                return False
            if self._whole == self._finished:
                return True
            if self._drawing:  # of fewer trials
                self._drawing.stop()
            drawing = self._start(self._source, last=not short, short=short, beside=True)
            self._drawing = drawing
        while drawing and not drawing.is_over:
            sleep(_LOOK)
            if goes_on(self._framework):
                drawing.stop()
                return False
        return True

    def finish(self, source: Any) -> Path | None:
        """Write a last report on all trials, whatever the budget, and wait for it.

        A report that is being drawn is given up, since it would show fewer trials. One that another
        process draws is waited for, up to two minutes, and left as it is where it shows all trials.

        Parameters
        ----------
        source : optuna.Study or skopt result
            What is optimized.

        Returns
        -------
        pathlib.Path or None
            The file; None if something went wrong, which is logged.
        """
        if self._owner != os.getpid():
            self._begin()
        with self._starting:
            if self._drawing:  # of fewer trials
                self._drawing.stop()
            self._due = self._written = False
            _UNFINISHED.discard(self)
            self._drawing = self._start(source, last=True)
            if self._drawing:
                try:
                    self._drawing.wait()
                except BaseException:
                    self._drawing.stop()
                    raise
        return self.path if self._written else None

    def _leave_page(self) -> None:
        """Write a short page as the program ends, unless there is a whole one."""
        if self._whole or self._owner != os.getpid():
            return
        # a thread that has begun to read for a drawing, which comes too late, is waited for
        self._starting.acquire(timeout=_AT_MOST)
        try:
            if self._drawing:
                self._drawing.stop()
            turn = Turn(self.path.parent)
            if turn.is_mine:
                draw_at_exit(self._page(self._source, is_short=True))
            turn.end()
        except Exception as error:
            self._log(_NOT_WRITTEN, error)

    def _page(self, source: Any, *, is_short: bool) -> Page:
        """Read the runs, and return the page about them."""
        return Page(self.path, self._read(source), self._sections, is_short, self._after(source))

    def _after(self, source: Any) -> Callable[[Any], object] | None:
        """Return what the drawing process does with the runs once the report is written."""
        return None

    def _start(
        self, source: Any, *, last: bool = False, short: bool = False, beside: bool = False
    ) -> Drawing | None:
        """Read the run and start the drawing; return None if another process draws, or it fails.

        The last one waits for that process, so that what it shows is not older. Nobody waits for
        one that is drawn `beside` others.
        """
        began, finished = perf_counter(), self._finished
        drawing: Drawing | None = None
        turn = Turn(self.path.parent, _PATIENCE if last else 0.0)
        try:
            if not turn.is_mine and not last:
                return None
            page = self._page(source, is_short=short)
            if turn.was_waited_for and page.is_written:
                self._written = True
                self._whole = max(self._whole, finished)
                return None
            done = partial(self._receive, began=began, last=last, finished=0 if short else finished)
            gives_way = beside or not last
            drawing = Drawing(page, done, gives_way=gives_way, turn=turn)
        except Exception as error:
            self._log(_NOT_WRITTEN, error)
        finally:
            if not drawing:
                turn.end()
            self._budget.stood_still(perf_counter() - began)
        return drawing

    def _receive(self, drawn: Future[float], *, began: float, last: bool, finished: int) -> None:
        """Deal with what was drawn of so many trials, none if short, in the thread that waited."""
        cost, failing = perf_counter() - began, _NOT_WRITTEN
        try:
            cost = drawn.result()
            self._written, failing = True, _UNTOLD
            self._whole = max(self._whole, finished)
            if self._on_update:
                self._on_update(self.path)
        except Exception as error:
            self._log(failing, error)
        finally:
            if finished and not last:
                self._budget.pay(cost)

    def _log(self, failing: str, error: Exception) -> None:
        """Warn that something failed, once for each place where it does.

        Of what cannot be written, the message says all.
        """
        if _is_ending() and threading.current_thread().daemon:
            return  # no process is started any more
        # the cause of what another process raised tells where that was
        lines = "".join(traceback.format_exception(error.__cause__ or error)).splitlines()
        kind = type(error).__name__
        place = (kind, *[line for line in lines if line.startswith("  File ")][-1:])
        if place not in self._logged:
            self._logged.add(place)
            _logger.warning(
                failing + _GOES_ON,
                self.path,
                kind,
                error,
                exc_info=None if isinstance(error, OSError) else error,
            )


_UNFINISHED: set[ReportUpdates] = set()


def _is_ending() -> bool:
    """Say whether the interpreter ends: it starts no threads any more."""
    return not threading.main_thread().is_alive()


def _copied(setting: Any) -> Any:
    """Return what stands for a setting in a copy, which is without it where it cannot be sent."""
    try:
        dumped(setting)
    except Exception:
        return None
    return ByValue(setting)


@atexit.register
def _leave_pages() -> None:
    while _UNFINISHED:
        _UNFINISHED.pop()._leave_page()


def _checked_sections(sections: Sequence[str | Section] | None) -> tuple[str | Section, ...] | None:
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
            problem = (
                f"are drawn by another process, but {name!r} cannot be sent to it "
                f"({type(error).__name__}: {error})"
            )
            remedy = "Let its function itself open the files, locks and connections that it needs."
            raise InputError("sections", problem, section, remedy) from error
    return checked
