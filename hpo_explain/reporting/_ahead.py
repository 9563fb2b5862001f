"""Analyses that worker processes make while others are made here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from threading import Lock
from typing import Any, TypeVar

from hpo_explain import methods
from hpo_explain.base.progress import steps, still_at_work
from hpo_explain.base.workers import deaf_to_interrupts
from hpo_explain.methods.proposals.desirability_path import path_of
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath
from hpo_explain.run import Run

_T = TypeVar("_T")

_LOOK = 0.2  # seconds between two looks at what a worker is at


class Ahead:
    """Analyses of a run that workers begin, the path first, which takes longest.

    Parameters
    ----------
    run : Run
        The run, which is sent to them.
    proposals : sequence of int
        The proposals of the path.
    options : mapping
        Options of :func:`hpo_explain.methods.desirability_path`.
    workers : int
        Number of processes.
    """

    def __init__(
        self, run: Run, proposals: Sequence[int], options: Mapping[str, Any], workers: int
    ) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._run = run
        # a pool of its own: joblib's is replaced when somebody asks for another number of workers
        self._pool = ProcessPoolExecutor(max_workers=workers)
        self._waiting = ["recommended_space", "subspace"]
        self._begun: dict[str, Future[Any]] = {}
        self._lock = Lock()
        # each part has early proposals and late ones, whose models take longer
        parts = [proposals[i::workers] for i in range(min(workers, len(proposals)))]
        explain = methods.desirability_path  # not of this package, which would take long to load
        with deaf_to_interrupts():
            self._parts = [self._pool.submit(explain, run, part, **options) for part in parts]
        for part in self._parts:
            # not before: a pool does not give back what it has handed to its workers
            part.add_done_callback(self._next)

    def result(self, name: str, compute: Callable[[], _T]) -> _T:
        """Return what a worker found; what none has begun is computed here."""
        with self._lock:
            if name in self._waiting:
                self._waiting.remove(name)
            future = self._begun.get(name)
        if future is None:
            return compute()
        found: _T = _awaited(future)
        return found

    def path(self) -> DesirabilityPath:
        """Return the path through all proposals."""
        parts = [_awaited(part) for part in steps(self._parts, "parts")]
        found = [explanation for part in parts for explanation in part.explanations]
        return path_of(self._run, sorted(found, key=lambda explanation: explanation.trial or 0))

    def close(self) -> None:
        """End the workers, whatever they are at."""
        with self._lock:
            self._waiting.clear()
        at_work = not all(future.done() for future in [*self._parts, *self._begun.values()])
        self._pool.shutdown(wait=at_work, kill_workers=at_work)

    def _next(self, _: Future[Any]) -> None:
        """Have a worker that has nothing to do begin what waits."""
        with self._lock:
            if not self._waiting:
                self._pool.shutdown(wait=False)
                return
            name = self._waiting.pop(0)
            self._begun[name] = self._pool.submit(getattr(methods, name), self._run)
        self._begun[name].add_done_callback(self._next)


def _awaited(future: Future[Any]) -> Any:
    """Return what a worker finds, and show meanwhile that it is at work."""
    while not wait([future], timeout=_LOOK).done:
        still_at_work()
    return future.result()
