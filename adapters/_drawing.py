"""A report that is drawn by a process of its own: no trial waits for it, and it harms nothing here.

The process is one of joblib's loky, which neither forks this one nor imports the main program.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from multiprocessing import current_process
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from hpo_explain.base.workers import deaf_to_interrupts, end_with

_logger = logging.getLogger("hpo_explain")

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM")
_ENVIRONMENT = {f"{library}_NUM_THREADS": "1" for library in _THREADS}
_ENVIRONMENT |= {"MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore"}
_AT_EXIT = 60.0  # seconds after which a program that ends waits no longer
_NICE = 10  # gives way to the optimization
_LOOK = 0.3  # seconds between two looks at whether another process takes over
_OVERTAKEN = (
    "The report %s is left to another process, which has read more trials."
)


def draw(path: Path, content: bytes) -> float:
    """Write a report about runs with some sections, a short one or not; all pickled.

    Do with the runs what follows, too. Return what it cost in seconds of the processor, imports
    included.
    """
    from hpo_explain.reporting import BRIEF, Report
    from hpo_explain.reporting._file import check_place

    runs, sections, short, after = pickle.loads(content)
    if short:
        sections = [
            name for name in sections or BRIEF if name in BRIEF
        ] or sections
    check_place(path)  # before it is drawn
    report = Report.of(runs, sections=sections)
    replace(report, follows=True).write(path)
    if after is not None:
        after(runs)
    times = os.times()
    return (
        times.user + times.system + times.children_user + times.children_system
    )


def draw_at_exit(path: Path, content: bytes) -> None:
    """Have a report drawn when threads and pools are gone, by another interpreter.

    Raises
    ------
    OSError, subprocess.SubprocessError
        If it cannot be started, fails, or takes too long.
    """
    code = (
        "import pathlib, sys; sys.path[:] = eval(sys.argv[2]); "
        "from hpo_explain.adapters import _drawing; "
        "_drawing.draw(pathlib.Path(sys.argv[1]), sys.stdin.buffer.read())"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(path), repr(sys.path)],
        input=content,
        check=True,
        capture_output=True,
        timeout=_AT_EXIT,
        env=os.environ | _ENVIRONMENT,
    )


class Drawing:
    """A report that is being drawn, which is stopped when the interpreter exits.

    Parameters
    ----------
    path, content
        As of `draw`.
    last : bool
        Whether somebody waits for it; otherwise it gives way to other processes.
    turn : str
        Whose turn it is: once it is another one's, this drawing is given up.
    done : callable
        Called with the future of its cost, in a thread of its own, unless it was stopped; it must
        not raise.
    until_over : ExitStack
        What is closed when the drawing is over.

    Raises
    ------
    OSError
        If no process can be started.
    """

    def __init__(
        self,
        path: Path,
        content: bytes,
        done: Callable[[Future[float]], object],
        *,
        last: bool,
        turn: str,
        until_over: contextlib.ExitStack,
    ) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._done = done
        self._path, self._turn = path, turn
        self.owner = os.getpid()
        self._stopped = False
        self._over = threading.Event()
        self._pool = ProcessPoolExecutor(
            max_workers=1,
            initializer=_begin,
            initargs=(os.getpid(), last, path, self._turn),
            env=_ENVIRONMENT,
        )
        with (
            deaf_to_interrupts(),
            _as_no_daemon(),
        ):  # Ctrl-C is for the optimization
            future = self._pool.submit(draw, path, content)
        _running.add(self)
        # before the pool's own exit, which was just registered, waits for its thread, and before a
        # process of multiprocessing waits for its children
        threading._register_atexit(_stop_all)  # type: ignore[attr-defined]
        Finalize(None, _stop_all, exitpriority=100)
        self._until_over = until_over.pop_all()
        future.add_done_callback(self._end)

    @property
    def is_over(self) -> bool:
        """Whether the process has answered and its answer was dealt with."""
        return self._over.is_set()

    def wait(self) -> None:
        """Wait until the drawing is over."""
        while not self._over.wait(
            0.2
        ):  # without a limit, Ctrl-C is not heeded on Windows
            pass

    def stop(self, *, wait: bool = True) -> None:
        """Give up the drawing; its answer, if there is one still, is dropped."""
        self._stopped = True
        self._pool.shutdown(wait=wait, kill_workers=True)

    def _end(self, future: Future[float]) -> None:
        try:
            if not self._stopped:
                self._pool.shutdown(wait=False)
                if future.exception() and turn_at(self._path) != self._turn:
                    _logger.info(_OVERTAKEN, self._path)
                else:
                    self._done(future)
        finally:
            _running.discard(self)
            self._until_over.close()
            self._over.set()


_running: weakref.WeakSet[Drawing] = weakref.WeakSet()


def _stop_all() -> None:
    for drawing in [*_running]:
        if drawing.owner == os.getpid():  # not a fork's to stop
            drawing.stop(wait=False)


@contextlib.contextmanager
def _as_no_daemon() -> Iterator[None]:
    """Let a daemon, such as a worker of a pool, start a process, which ends with it anyway."""
    settings: dict[str, Any] = current_process()._config  # type: ignore[attr-defined]
    daemon = settings.pop("daemon", False)
    try:
        yield
    finally:
        settings["daemon"] = daemon


def _begin(parent: int, last: bool, path: Path, turn: str) -> None:
    """Prepare a process that draws: it ends with its parent or its turn, and says nothing."""
    if not last:
        with contextlib.suppress(
            AttributeError, OSError
        ):  # Windows has another way
            os.nice(_NICE)
    end_with(parent)
    threading.Thread(
        target=_end_with_turn, args=(path, turn), daemon=True
    ).start()
    logging.disable()  # a section that fails is a card of the report


def _end_with_turn(path: Path, turn: str) -> None:
    while turn_at(path) == turn:
        time.sleep(_LOOK)
    os._exit(1)


# ---------------------------------------------------------------------- several processes


def turn_at(path: Path) -> str:
    """Return what the process has read whose turn it is to write a last report; "" for none."""
    with contextlib.suppress(OSError, ValueError):
        place = os.open(_file_of_turns(path), os.O_RDONLY | _CAREFUL)
        with os.fdopen(place, encoding="ascii") as file:
            return file.read(100)
    return ""


def take_turn(path: Path, read: str) -> str:
    """Have the process that draws a report give up, as this one has read other trials.

    Return whose turn it is now: nobody's, "", where that cannot be written.
    """
    settings = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _CAREFUL
    with contextlib.suppress(OSError):
        place = os.open(_file_of_turns(path), settings, 0o644)
        with os.fdopen(place, "w", encoding="ascii") as file:
            file.write(read)
        return read
    return ""


def end_turn(path: Path, read: str) -> None:
    """Have it be nobody's turn, unless another process has taken it."""
    if read and turn_at(path) == read:
        with contextlib.suppress(OSError):
            _file_of_turns(path).unlink()


def _file_of_turns(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.turn")


# no link that others may have put there is followed, and no pipe is waited for
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextlib.contextmanager
def one_writer(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Say whether this process may write a report; until it has done so, no other one may.

    The operating system holds the lock, so it ends with its process, however that ends. Where no
    lock can be had, this process writes all the same: reports are replaced in one step.

    Parameters
    ----------
    path : pathlib.Path
        The report.
    patience : float, default 0.0
        Seconds to wait for another process.
    """
    file = path.with_name(f".{path.name[:100]}.lock")
    # a soft lock is its file, which a killed process would leave behind
    lock = FileLock(
        file, timeout=patience, fallback_to_soft=False, thread_local=False
    )
    mine = True
    try:
        if (
            path.parent.is_dir()
        ):  # filelock would make it, but writing says that it is missing
            lock.acquire()
    except Timeout:
        mine = False
    except (
        OSError
    ) as error:  # a folder that is read-only, or a file system without locks
        _logger.info(
            "The report %s is written without a lock (%s).", path, error
        )
    try:
        yield mine
    finally:
        if mine:
            with contextlib.suppress(OSError):
                file.unlink()  # before the release: whoever has opened it meanwhile notices
            with contextlib.suppress(OSError):
                lock.release()
