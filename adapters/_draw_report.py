"""Draws one report in a process of its own: reads a job from stdin, answers on stdout."""

from __future__ import annotations

import _thread
import contextlib
import logging
import logging.handlers
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hpo_explain.adapters._drawing import Answer, Content, Failure, Job
from hpo_explain.adapters._one_writer import one_writer
from hpo_explain.base.progress import progress_of

if TYPE_CHECKING:
    from hpo_explain.run import Run

_logger = logging.getLogger("hpo_explain")

_NICE = 10  # gives way to the optimization
_TIDY = 1.0  # seconds in which to remove what is half written
_MOST_NAMED = 10  # in a user attribute


def main() -> None:
    """Draw the report that stdin asks for, and end; or end when the process that asked has."""
    parent = os.getppid()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with _own_stdout() as answers:
            job = pickle.load(sys.stdin.buffer)
            for watch in (_until_stdin_closes, lambda: _until_orphaned(parent)):
                threading.Thread(target=_end_after, args=(watch,), daemon=True).start()
            records: list[logging.LogRecord] = []
            _log_into(records)
            _give_way(job)
            with progress_of("report", shown=False):
                answer = draw(job)
            pickle.dump(replace(answer, seconds=_seconds(), records=tuple(records)), answers)
            answers.flush()
    except (KeyboardInterrupt, EOFError, BrokenPipeError):  # nobody is interested any more
        os._exit(1)


@contextlib.contextmanager
def _own_stdout() -> Iterator[BinaryIO]:
    """Keep stdout for the answer: what else is printed goes to stderr."""
    with os.fdopen(os.dup(1), "wb") as answers:
        try:
            os.dup2(2, 1)
        except OSError:  # there is no stderr
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        yield answers


def _end_after(watch: Callable[[], None]) -> None:
    watch()
    # what is half written is removed on the way out
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # ends a wait, too
    else:
        _thread.interrupt_main()
    time.sleep(_TIDY)
    os._exit(1)


def _until_stdin_closes() -> None:
    with contextlib.suppress(OSError):
        os.read(0, 1)


def _until_orphaned(parent: int) -> None:
    # a process that the optimization forked keeps the other end of stdin open
    while os.getppid() == parent:
        time.sleep(0.5)


def _give_way(job: Job) -> None:
    with contextlib.suppress(AttributeError, OSError):  # Windows has another way
        if not job.last:
            os.nice(_NICE)


def _seconds() -> float:
    """Return the processor's time of this process, imports included, and of those it started."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def draw(job: Job) -> Answer:
    """Do a job, whatever happens in it."""
    failures: list[Failure] = []
    content, written, importance = None, False, None
    with contextlib.nullcontext(True) if job.last else one_writer(job.path) as mine:
        if mine:
            with _noted(failures):
                content = pickle.loads(job.content)
        if content is not None:
            with _noted(failures):
                _write(content, job.path)
                written = True
            with _noted(failures):
                importance = _importance(content.runs) if job.importance else None
    return Answer(written, not mine, 0.0, tuple(failures), importance, ())


def _write(content: Content, path: Path) -> None:
    from hpo_explain import reporting

    sections = reporting.BRIEF if content.brief else content.sections
    reporting.report(content.runs, path, sections=sections)


def _importance(runs: Mapping[str, Run]) -> dict[str, Any] | None:
    """Return the number of trials and what matters, by objective if there are several."""
    from hpo_explain.facade.fanova import importance

    found = {}
    for name, run in runs.items():
        if len(run) < 2:
            return None
        shares = importance(run).to_frame()["importance"]
        found[name] = {
            str(key): round(float(share), 4) for key, share in shares[:_MOST_NAMED].items()
        }
    value = next(iter(found.values())) if len(found) == 1 else found
    return {"trials": max(len(run) for run in runs.values()), "importance": value}


def _log_into(records: list[logging.LogRecord]) -> None:
    class Kept(logging.handlers.QueueHandler):
        def enqueue(self, record: logging.LogRecord) -> None:
            records.append(record)

    def tell(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        _logger.info("%s: %s", category.__name__, message)

    _logger.setLevel(logging.INFO)
    _logger.propagate = False
    _logger.addHandler(Kept(None))  # type: ignore[arg-type]  # it has no queue
    warnings.showwarning = tell


@contextlib.contextmanager
def _noted(failures: list[Failure]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        failures.append(Failure.of(error))
