"""A report that is being drawn by a process of its own, seen from the optimization."""

from __future__ import annotations

import atexit
import contextlib
import logging
import math
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

# Neither the main program is imported again, as multiprocessing does: it may start an
# optimization when it is imported; nor is the process forked: it has threads.
_START = """
import sys
sys.path = [place for place in sys.path if place]
import pickle
sys.path = pickle.load(sys.stdin.buffer)
from hpo_explain.adapters._draw_report import main
main()
"""
_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM")
_PATIENCE = 3.0  # seconds in which a process that was told to stop may tidy up


@dataclass(frozen=True)
class Content:
    """What a report is about.

    Attributes
    ----------
    runs : mapping of str to Run
        By the name of their objective.
    sections : sequence of str or Section, or None
        Its parts; None for all.
    brief : bool
        Whether only the brief parts are drawn.
    """

    runs: Mapping[str, Run]
    sections: Sequence[str | Section] | None
    brief: bool


@dataclass(frozen=True)
class Job:
    """What is to be drawn.

    Attributes
    ----------
    path : pathlib.Path
        The report's file.
    last : bool
        Whether somebody waits for it, who keeps others from writing it meanwhile; otherwise it
        gives way to other processes, and is not drawn while another one writes it.
    importance : bool
        Whether the importance of hyperparameters is asked for as well.
    content : bytes
        A `Content`, pickled.
    """

    path: Path
    last: bool
    importance: bool
    content: bytes


@dataclass(frozen=True)
class Failure:
    """What went wrong, and where.

    Attributes
    ----------
    kind, message, place, traceback : str
        Of the exception: its type's name, its text, its file and line, and how it came about.
    """

    kind: str
    message: str
    place: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return what an exception says."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        told = "".join(traceback.format_exception(error))
        return cls(type(error).__name__, str(error), place, told)


@dataclass(frozen=True)
class Answer:
    """What became of a job.

    Attributes
    ----------
    written : bool
        Whether the report was written.
    busy : bool
        Whether it was not, because another process is writing it.
    seconds : float
        Time of a processor that it took.
    failures : tuple of Failure
        What went wrong.
    importance : dict or None
        The number of trials and the importance of hyperparameters, to be noted in the study.
    records : tuple of logging.LogRecord
        What was logged.
    """

    written: bool
    busy: bool
    seconds: float
    failures: tuple[Failure, ...]
    importance: dict[str, Any] | None
    records: tuple[logging.LogRecord, ...]


class Drawing:
    """A process that draws one report, and the thread that waits for its answer.

    The process ends with this one, however this one ends, and a drawing that is not over when
    the interpreter exits is stopped.

    Parameters
    ----------
    job : Job
        What is to be drawn.
    done : callable
        Called in that thread with the answer; it must not raise.

    Raises
    ------
    OSError
        If no process can be started.
    """

    def __init__(self, job: Job, done: Callable[[Answer], object]) -> None:
        self._job = job
        self._done = done
        self._stopped: float | None = None  # when
        self._owner = os.getpid()
        self._process = _started()
        self._thread = threading.Thread(target=self._wait, name="hpo_explain report", daemon=True)
        _running.add(self)
        try:
            self._thread.start()
        except BaseException:  # no more threads
            self.stop()
            self._end()
            raise

    @property
    def is_over(self) -> bool:
        """Whether the process has ended and its answer was dealt with."""
        return self._owner != os.getpid() or not self._thread.is_alive()

    def wait(self, patience: float = math.inf) -> None:
        """Wait until the drawing is over, but not longer than so many seconds."""
        until = perf_counter() + patience
        if self._thread is threading.current_thread():
            return
        while not self.is_over and perf_counter() < until:
            self._thread.join(0.2)  # without a limit, Ctrl-C is not heeded on Windows
            if self._stopped is not None and perf_counter() > self._stopped + _PATIENCE:
                self._process.kill()

    def stop(self) -> None:
        """Give up the drawing; its answer, if there is one still, is dropped."""
        self._stopped = perf_counter()
        if self._owner == os.getpid():  # not a fork's to stop
            self._process.terminate()

    def _wait(self) -> None:
        began = perf_counter()
        answer = None
        to, back = self._process.stdin, self._process.stdout
        with contextlib.suppress(Exception):  # it ended before it had answered
            if to is not None and back is not None:
                pickle.dump(sys.path, to)
                pickle.dump(self._job, to)
                to.flush()  # and stays open: it closes when this process ends
                answer = pickle.load(back)
        code = self._end()
        if self._stopped is not None:
            return
        self._done(answer or _ended(code, perf_counter() - began))

    def _end(self) -> int:
        """Wait for the process's end, and forget it; return its exit code."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was not sent cannot be sent any more
                if pipe is not None:
                    pipe.close()
        _running.discard(self)
        return code


_running: set[Drawing] = set()


@atexit.register
def _stop_all() -> None:
    for drawing in [*_running]:
        drawing.stop()
        drawing.wait(_PATIENCE + 1.0)


def _started() -> subprocess.Popen[bytes]:
    if getattr(sys, "frozen", False) or not sys.executable:
        raise OSError("this program has no Python interpreter that a process can be started with")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONWARNINGS"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in _THREADS}
    environment["MPLBACKEND"] = "Agg"
    options: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is for the optimization
    if sys.platform == "win32":
        options = {
            "creationflags": subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        }
    return subprocess.Popen(
        [sys.executable, "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        **options,
    )


def _ended(code: int, seconds: float) -> Answer:
    """Return the answer of a process that ended without one."""
    why = " (it was killed; was there too little memory?)" if code == -9 else ""
    message = f"the process that drew it ended with exit code {code}{why}"
    failure = Failure("ChildProcessError", message, f"exit code {code}", "")
    return Answer(False, False, seconds, (failure,), None, ())
