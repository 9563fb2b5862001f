"""Answers and figures that worker processes make while others are made here."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import Any, TypeVar

from markupsafe import Markup

from hpo_explain.base.progress import steps, still_at_work
from hpo_explain.base.workers import deaf_to_interrupts, end_with
from hpo_explain.question import Question
from hpo_explain.reporting._render import drawn

_T = TypeVar("_T")
_PLACE = re.compile(r"<!--figure (\d+)-->")
_PATIENCE = 5.0  # seconds until workers are ended although not all of their work is theirs yet
_LOOK = 0.2  # seconds between two looks at what a worker is at


class Pool:
    """Worker processes of a report.

    A pool of its own: joblib's is replaced when somebody asks for another number of workers.

    Parameters
    ----------
    workers : int
        Number of processes; they are started when there is something to do.
    """

    def __init__(self, workers: int) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self.workers = workers
        self._pool = ProcessPoolExecutor(
            max_workers=workers, initializer=end_with, initargs=(os.getpid(),)
        )
        self._begun: list[Future[Any]] = []
        self._closed = False

    @property
    def takes_more(self) -> bool:
        """Whether the queue has a place, and all workers live."""
        ended = [future for future in self._begun if future.done()]
        lost = any(
            isinstance(future.exception(), BrokenExecutor) for future in ended
        )
        return (
            not self._closed
            and not lost
            and len(self._begun) - len(ended) <= 2 * self.workers
        )

    def submit(
        self, work: Callable[..., Any], *given: Any, **named: Any
    ) -> Future[Any]:
        """Have a worker do something."""
        with deaf_to_interrupts():
            self._begun.append(self._pool.submit(work, *given, **named))
        return self._begun[-1]

    def close(self) -> None:
        """End the workers, whatever they are at."""
        self._closed = True
        # what has no place in the queue yet cannot be given up without a complaint
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and not all(
            f.running() or f.done() for f in self._begun
        ):
            time.sleep(0.001)
        at_work = not all(future.done() for future in self._begun)
        self._pool.shutdown(wait=at_work, kill_workers=at_work)


class Figures:
    """Figures that workers draw, or what is at their places in the page meanwhile.

    Parameters
    ----------
    pool : Pool
        The workers.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._asked: list[tuple[Any, ...]] = []
        self._begun: list[Future[Markup]] = []
        self._here: dict[int, Markup] = {}
        self._lock = RLock()

    def __call__(self, *about: Any) -> Markup:
        """Return what is at the place of a figure until it is drawn."""
        self._asked.append(about)
        self._next()
        return Markup(f"<!--figure {len(self._asked) - 1}-->")

    def _next(self, _: object = None) -> None:
        """Have the workers begin the next figures."""
        with self._lock:
            while (
                len(self._begun) < len(self._asked) - len(self._here)
                and self._pool.takes_more
            ):
                self._begun.append(
                    self._pool.submit(drawn, *self._asked[len(self._begun)])
                )
                self._begun[-1].add_done_callback(self._next)

    def help(self) -> None:
        """Draw the last figures here while workers draw the first ones."""
        last_first = [*reversed(range(len(self._asked)))]
        for place in steps(last_first, "figures"):
            with self._lock:
                if place < len(self._begun):
                    return
                self._here[place] = Markup()
            with suppress(Exception):  # which its section tells
                self._here[place] = drawn(*self._asked[place])

    def placed(self, body: Markup) -> Markup:
        """Return a part of the page with its figures."""

        def figure(found: re.Match[str]) -> str:
            place = int(found[1])
            if place < len(self._begun):
                return _made(
                    self._begun[place], lambda: drawn(*self._asked[place])
                )
            return self._here.get(place) or drawn(*self._asked[place])

        return Markup(_PLACE.sub(figure, body))


class Ahead:
    """Answers about an optimizer's own models, which workers begin: they take longest.

    Parameters
    ----------
    question : Question
        What is asked of a run, which is sent to the workers.
    functions : sequence of callable
        What will be asked.
    pool : Pool
        The workers.
    """

    def __init__(
        self,
        question: Question,
        functions: Sequence[Callable[..., Any]],
        pool: Pool,
    ) -> None:
        self._question = question
        self._begun = {
            function: pool.submit(function, question.run)
            for function in functions
        }

    def settle(self) -> None:
        """Have the question know what workers answer."""
        for function, future in self._begun.items():
            here = partial(function.method, self._question)  # type: ignore[attr-defined]
            answer = partial(_made, future, here)
            with suppress(Exception):  # which its section tells
                self._question.ask(function, answer)


def _made(future: Future[_T], here: Callable[[], _T]) -> _T:
    """Return what a worker makes, and show meanwhile that it is at work.

    What it cannot make, because it died, is made here; so is what cannot be made, for its error.
    """
    while not wait([future], timeout=_LOOK).done:
        still_at_work()
    return here() if future.exception() else future.result()
