"""Worker processes that end when what they work for is interrupted."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import current_process
from threading import Thread
from typing import Any

_LOOK = 0.5  # seconds between two looks at whether the parent is there


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Return a context in which processes are started that do not get Ctrl-C.

    A terminal sends it to all processes of a command, each of which would say where it was. Who has
    started them hears it too, and ends them.

    Examples
    --------
    >>> with deaf_to_interrupts():
    ...     pass  # start them; Ctrl-C is heard here once that is done
    """
    # elsewhere no process can be told so
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    for tracker in (resource_tracker, loky_tracker):
        tracker.ensure_running()  # otherwise the first worker starts it, which lets Ctrl-C through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def may_have_workers() -> bool:
    """Say whether this process may start others; a daemon, as of a pool, may not."""
    return not current_process().daemon


def end_with(parent: int) -> None:
    """Have this process end when its parent does, also when that is killed.

    Whoever kills the parent cannot know its workers, which would wait for it for minutes.

    Parameters
    ----------
    parent : int
        The number of the process that this one works for.
    """
    global _parent
    if _parent == parent:
        return
    _parent = parent
    Thread(target=_watch, args=(parent,), daemon=True).start()


_parent: int | None = None  # with which this process ends


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def _made(call: tuple[Any, ...]) -> Any:
    """Make a delayed call."""
    function, positional, named = call
    return function(*positional, **named)


def _tied(parent: int, call: tuple[Any, ...]) -> Any:
    """Make a delayed call in a worker that ends with its parent."""
    end_with(parent)
    return _made(call)


def _let_go(call: tuple[Any, ...]) -> Any:
    """Make a delayed call in a worker, which holds nothing of it but its answer afterwards.

    A belief and its draws refer to each other, so that Python finds late that nobody needs them.
    joblib's own processes look for such things themselves.
    """
    answer = _made(call)
    gc.collect()
    return answer


@contextmanager
def workers_of(
    scheduler: str | None, *, module: str = "hpo_explain"
) -> Iterator[None]:
    """Return a context in which joblib's workers are those of a dask scheduler, if one is named.

    The work of a worker that dies is done by others. While there is none at all, the scheduler
    waits for new ones.

    Parameters
    ----------
    scheduler : str or None
        Its address, such as "tcp://10.0.0.1:8786"; None leaves the workers as they are.
    module : str, default "hpo_explain"
        What the workers must have.

    Raises
    ------
    ImportError
        If a worker does not have the module, for whose answer joblib would wait for ever.
    ValueError
        If dask is not installed.
    OSError
        If no scheduler answers, or no worker: work is given up of which several die.

    Examples
    --------
    >>> with workers_of(None):
    ...     list(by_workers(None, ()))
    []
    """
    if scheduler is None:
        yield
        return
    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    with parallel_config(backend="dask", scheduler_host=scheduler):
        backend = get_active_backend()[0]
        _tell_errors(backend)
        client = backend.client
        try:
            client.run(exec, f"import {module}")
            yield
        finally:
            client.close()


def _tell_errors(backend: Any) -> None:
    """Have joblib's backend for dask raise what becomes of work that no worker answers.

    It calls back for results alone: of work that killed all its workers it would wait for ever.
    """
    submit = backend.submit
    retrieve = backend.retrieve_result_callback

    def submitted(work: Any, callback: Callable[[Any], object]) -> Future[Any]:
        def tell(done: Future[Any]) -> None:
            error = done.exception()
            if error is not None:
                callback(_Unanswered(error))

        answer: Future[Any] = submit(work, callback)
        answer.add_done_callback(tell)
        return answer

    def retrieved(answer: Any) -> Any:
        if not isinstance(answer, _Unanswered):
            return retrieve(answer)
        raise ChildProcessError(
            f"no worker answers: {answer.error}"
        ) from answer.error

    backend.submit = submitted
    backend.retrieve_result_callback = retrieved


@dataclass(frozen=True)
class _Unanswered:
    """What became of work without an answer."""

    error: BaseException


def by_workers(n_jobs: int | None, work: Iterable[Any]) -> Iterator[Any]:
    """Return what joblib's workers make of delayed calls, in their order, as it comes.

    Parameters
    ----------
    n_jobs : int or None
        Number of workers; None takes what ``joblib.parallel_config`` says. 1 does the work here,
        also in a worker of dask, which would share it with the others.
    work : iterable
        The calls as ``joblib.delayed`` makes them: a function, its arguments, and named ones.

    Examples
    --------
    >>> from joblib import delayed
    >>> list(by_workers(1, (delayed(abs)(x) for x in (-1, 2))))
    [1, 2]
    """
    if n_jobs == 1:
        return map(_made, work)
    from joblib.parallel import (
        LokyBackend,
        Parallel,
        delayed,
        get_active_backend,
    )

    processes = isinstance(get_active_backend()[0], LokyBackend)
    if processes and not may_have_workers():
        return by_workers(1, work)
    if processes:
        work = (delayed(_tied)(os.getpid(), call) for call in work)
    else:
        work = (delayed(_let_go)(call) for call in work)
    with deaf_to_interrupts() if processes else nullcontext():
        answers: Iterator[Any] = Parallel(
            n_jobs=n_jobs, return_as="generator"
        )(work)
    return answers
