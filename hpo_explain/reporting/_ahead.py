"""Analyses that worker processes make while others are made here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from hpo_explain import facade
from hpo_explain.explainers.path import path_of
from hpo_explain.explanations import DesirabilityPath, ProposalExplanation
from hpo_explain.run import Run

_T = TypeVar("_T")


class Ahead:
    """Analyses of a run that workers have begun.

    Parameters
    ----------
    run : Run
        The run, which is sent to them.
    proposals : sequence of int
        The proposals of the path.
    options : mapping
        Options of :func:`hpo_explain.desirability_path`.
    workers : int
        Number of processes.
    """

    def __init__(
        self, run: Run, proposals: Sequence[int], options: Mapping[str, Any], workers: int
    ) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._run = run
        # a pool of its own: joblib's is replaced when somebody asks for another number of workers
        pool = ProcessPoolExecutor(max_workers=workers)
        # each part has early proposals and late ones, whose models take longer
        parts = [proposals[i::workers] for i in range(min(workers, len(proposals)))]
        self._parts = [pool.submit(_explained, run, part, dict(options)) for part in parts]
        # what no worker has begun when it is asked for is computed by who asks
        self._begun: dict[str, Future[Any]] = {
            name: pool.submit(getattr(facade, name), run)
            for name in ("recommended_space", "subspace")
        }
        pool.shutdown(wait=False)

    def result(self, name: str, compute: Callable[[], _T]) -> _T:
        """Return what a worker found; what none has begun is computed here."""
        future = self._begun.pop(name, None)
        if future is None or future.cancel():
            return compute()
        found: _T = future.result()
        return found

    def path(self) -> DesirabilityPath:
        """Return the path through all proposals."""
        found = [explanation for part in self._parts for explanation in part.result()]
        return path_of(self._run, sorted(found, key=lambda explanation: explanation.trial or 0))


def _explained(
    run: Run, proposals: Sequence[int], options: dict[str, Any]
) -> tuple[ProposalExplanation, ...]:
    return facade.desirability_path(run, proposals, **options).explanations
