"""The process that answers: it is ended where a call is given up, and another one begins."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from hpo_explain.base.workers import Workers
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
        self._workers = Workers(1, {"MPLBACKEND": "Agg"})

    def begin(self, name: str, given: Mapping[str, Any]) -> Future[Answer]:
        """Have the process begin to answer a call."""
        return self._workers.submit(answer, self._places, name, given)

    def end(self) -> None:
        """End the process with all that it has started, whatever it is at."""
        self._workers.end()
        self._workers = Workers(1, {"MPLBACKEND": "Agg"})
