"""Answers and figures that worker processes make while others are made here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from markupsafe import Markup

from hpo_explain.base.progress import steps, still_at_work
from hpo_explain.base.workers import Workers, awaited
from hpo_explain.question import Question
from hpo_explain.reporting._render import drawn, filled

_T = TypeVar("_T")
_FIGURE = ("<!--figure ", "-->")


class Figures:
    """Figures that workers draw, or what is at their places in the page meanwhile.

    Parameters
    ----------
    workers : Workers
        The workers.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._asked: list[tuple[Any, ...]] = []
        self._begun: list[Future[Markup]] = []

    def __call__(self, *about: Any) -> Markup:
        """Return what is at the place of a figure until it is drawn."""
        self._asked.append(about)
        self._begun.append(self._workers.submit(drawn, *about))
        start, end = _FIGURE
        return Markup(f"{start}{len(self._asked) - 1}{end}")

    def help(self) -> None:
        """Draw the last figures here while workers draw the first ones."""
        last_first = [*reversed(range(len(self._asked)))]
        for place in steps(last_first, "figures"):
            if not self._begun[place].cancel():
                return
            self._begun[place] = Future()
            try:
                self._begun[place].set_result(drawn(*self._asked[place]))
            except Exception as error:  # which its section tells
                self._begun[place].set_exception(error)

    def placed(self, body: Markup) -> Markup:
        """Return a part of the page with its figures."""

        def figure(place: str) -> Markup:
            about = self._asked[int(place)]
            return _made(self._begun[int(place)], lambda: drawn(*about))

        return filled(body, *_FIGURE, figure)


class Ahead:
    """Answers about an optimizer's own models, which workers begin: they take longest.

    Parameters
    ----------
    question : Question
        What is asked of a run, which is sent to the workers.
    functions : sequence of callable
        What will be asked.
    workers : Workers
        The workers.
    """

    def __init__(
        self, question: Question, functions: Sequence[Callable[..., Any]], workers: Workers
    ) -> None:
        self._question = question
        self._begun = {function: workers.submit(function, question.run) for function in functions}

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
    with suppress(Exception):
        return awaited(future, still_at_work)
    return here()
