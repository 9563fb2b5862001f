"""A page that is drawn by an interpreter of its own: no trial waits for it."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.base.errors import InputError
from hpo_explain.base.regular_files import open_regular
from hpo_explain.base.workers import SIDE_BY_SIDE, Interpreter, Workers, awaited, dumped
from hpo_explain.run.state import state_of

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

_logger = logging.getLogger("hpo_explain")

_ENVIRONMENT = SIDE_BY_SIDE | {"MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore"}
_AT_EXIT = 60.0  # seconds after which a program that ends waits no longer
_NICE = 10  # gives way to the optimization
_LOOK = 0.2  # seconds between two looks at whether another process has finished
_VERSION = re.compile(rb'<meta name="version" content="([\w-]+)">')
_HEAD = 20_000  # bytes of a page in which its version is


@dataclass(frozen=True)
class Page:
    """What is drawn about runs, as it is sent to the interpreter that draws.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    runs : mapping of str to Run
        The runs by the name of their objective.
    sections : sequence of str or Section, optional
        The parts of the page; None for all.
    is_short : bool
        Whether only those are drawn that take a moment.
    afterwards : callable, optional
        What is done with the runs once the page is written.
    """

    path: Path
    runs: Mapping[str, Run]
    sections: Sequence[str | Section] | None = None
    is_short: bool = False
    afterwards: Callable[[Any], object] | None = None

    @property
    def version(self) -> str:
        """What tells it from a page about other trials, or with fewer sections."""
        return state_of(self.runs) + ("-short" if self.is_short else "")

    @property
    def is_written(self) -> bool:
        """Whether the file is this page."""
        with contextlib.suppress(OSError, InputError), open_regular(self.path) as file:
            return self.version.encode() in _VERSION.findall(file.read(_HEAD))
        return False


def draw(page: Page, nice: int = 0, limit: float = 0.0) -> float:
    """Write a page, and return what it cost in seconds of the processor, imports included.

    Parameters
    ----------
    page : Page
        The page.
    nice : int, default 0
        By how much this process gives way to others.
    limit : float, default 0.0
        Seconds after which this process ends; 0 for no limit.
    """
    if limit:
        alarm = threading.Timer(limit, os._exit, (1,))
        alarm.daemon = True
        alarm.start()
    with contextlib.suppress(AttributeError, OSError):
        os.nice(nice)  # Windows has another way
    logging.disable()  # a section that fails is a card of the report
    from hpo_explain.reporting import BRIEF, Report
    from hpo_explain.reporting._file import check_place

    sections = page.sections
    if page.is_short:
        brief = [name for name in sections or BRIEF if name in BRIEF]
        sections = brief or sections
    check_place(page.path)  # before it is drawn
    report = Report.of(page.runs, sections=sections)
    replace(report, version=page.version).write(page.path)
    if page.afterwards:
        page.afterwards(page.runs)
    return time.process_time()


def draw_at_exit(page: Page) -> None:
    """Have a page drawn when threads can be started no more, and wait for it.

    Raises
    ------
    Exception
        What drawing raised, or that it took too long.
    """
    interpreter = Interpreter(_ENVIRONMENT)
    try:
        interpreter.ask(dumped((draw, (page,), {"limit": _AT_EXIT})))
    finally:
        interpreter.close()


class Drawing:
    """A page that is being drawn.

    Parameters
    ----------
    page : Page
        The page.
    done : callable
        Called with the future of its cost, in a thread of its own, unless it was stopped; it must
        not raise.
    gives_way : bool
        Whether other processes come first, as nobody waits for it.
    turn : Turn
        What ends when the drawing is over.
    """

    def __init__(
        self, page: Page, done: Callable[[Future[float]], object], *, gives_way: bool, turn: Turn
    ) -> None:
        self._done, self._turn = done, turn
        self._is_stopped = False
        self._over: Future[None] = Future()
        self._workers = Workers(1, _ENVIRONMENT)
        nice = _NICE if gives_way else 0
        self._workers.submit(draw, page, nice).add_done_callback(self._end)

    @property
    def is_over(self) -> bool:
        """Whether the page is written, or failed, and that was dealt with."""
        return self._over.done()

    def wait(self) -> None:
        """Wait until the drawing is over."""
        awaited(self._over)

    def stop(self) -> None:
        """Give up the drawing; its answer, if there is one still, is dropped."""
        self._is_stopped = True
        self._workers.end()

    def _end(self, future: Future[float]) -> None:
        try:
            self._workers.end()
            if not self._is_stopped:
                self._done(future)
        finally:
            self._turn.end()
            self._over.set_result(None)


class Turn:
    """The turn to write pages in a folder, which one process has at a time.

    The operating system holds it, as a lock of the folder: it ends with its process, however that
    ends, and leaves no file. Where there are no such locks everybody has it: pages are replaced in
    one step.

    Parameters
    ----------
    folder : pathlib.Path
        The folder; one that is missing is not made.
    patience : float, default 0.0
        Seconds to wait for another process.

    Attributes
    ----------
    is_mine : bool
        Whether no other process has it.
    was_waited_for : bool
        Whether another one had it.
    """

    def __init__(self, folder: Path, patience: float = 0.0) -> None:
        self.is_mine, self.was_waited_for = True, False
        self._file = -1
        until = time.monotonic() + patience
        try:
            self._file = os.open(folder, os.O_RDONLY)  # which Windows refuses
            while not _locked(self._file):
                self.was_waited_for = True
                if time.monotonic() >= until:
                    self.is_mine = False
                    return
                time.sleep(_LOOK)
        except OSError as error:  # no folder, or a file system without locks
            _logger.info("%s cannot be locked (%s).", folder, error)

    def end(self) -> None:
        """Leave it to others."""
        if self._file < 0:
            return
        import fcntl

        with contextlib.suppress(OSError):
            if self.is_mine:  # forks have the file open as well
                fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)
        self._file = -1


def _locked(folder: int) -> bool:
    """Lock an open folder, and say whether no other process has done so."""
    import fcntl

    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
