"""Worker processes that end when what they work for is interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any


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
    if not hasattr(signal, "pthread_sigmask"):  # elsewhere no process can be told so
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


def by_workers(n_jobs: int | None, work: Iterable[Any]) -> Iterator[Any]:
    """Return what joblib's workers make of delayed calls, in their order, as it comes.

    Parameters
    ----------
    n_jobs : int or None
        Number of workers; None takes what ``joblib.parallel_config`` says.
    work : iterable
        The calls, each made by ``joblib.delayed``.

    Examples
    --------
    >>> from joblib import delayed
    >>> list(by_workers(1, (delayed(abs)(x) for x in (-1, 2))))
    [1, 2]
    """
    from joblib.parallel import LokyBackend, Parallel, get_active_backend

    processes = n_jobs != 1 and isinstance(get_active_backend()[0], LokyBackend)
    with deaf_to_interrupts() if processes else nullcontext():
        found: Iterator[Any] = Parallel(n_jobs=n_jobs, return_as="generator")(work)
    return found
