"""The process that answers: it is ended where a call is given up, and another one begins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Future
from typing import Any

from hpo_explain.base.workers import deaf_to_interrupts, end_with
from hpo_explain.mcp.answers import Answer, answer
from hpo_explain.mcp.places import Places


class Worker:
    """A process that answers calls one after the other, and remembers what it computed.

    Parameters
    ----------
    places : Places
        What may be opened.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._pool: Any = None

    def begin(self, name: str, given: Mapping[str, Any]) -> Future[Answer]:
        """Have the process begin to answer a call."""
        try:
            return self._begun(name, given)
        except (
            BrokenExecutor
        ):  # it ended meanwhile, while it had nothing to do
            self.end()
            return self._begun(name, given)

    def _begun(self, name: str, given: Mapping[str, Any]) -> Future[Answer]:
        from joblib.externals.loky import ProcessPoolExecutor

        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                max_workers=1,
                initializer=_begin,
                initargs=(os.getpid(),),
                env={"MPLBACKEND": "Agg"},
            )
        with deaf_to_interrupts():
            future: Future[Answer] = self._pool.submit(
                answer, self._places, name, given
            )
        return future

    def end(self) -> None:
        """End the process with all that it has started, whatever it is at."""
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
        self._pool = None


def _begin(parent: int) -> None:
    """Prepare the process: it ends with its parent, whose input and output are the protocol's."""
    end_with(parent)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
