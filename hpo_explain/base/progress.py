"""One line on a terminal that says how far long work is, once that has taken some seconds.

What users call opens a call of its own (`shows_progress`); each loop within it that may take long
goes over `steps`. The line shows the outermost loop as a bar, and where the loops inside it are.
Only the main thread of a program shows it: neither threads nor worker processes write to a
terminal. Nothing is left: no thread, no lock, and the line itself is cleared.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from shutil import get_terminal_size
from time import monotonic
from typing import Any, ParamSpec, TextIO, TypeVar

_T = TypeVar("_T")
_P = ParamSpec("_P")

_PATIENCE = 2.0  # seconds until work counts as long
_OFTEN = 0.1  # seconds between two looks of the line
_UP = "\x1b[A"


def shows_progress(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Have a function that users call show how far it is, under its own name.

    Examples
    --------
    >>> @shows_progress
    ... def total(n):
    ...     return sum(steps(range(n), "numbers"))
    >>> total(4)  # too quick to show anything
    6
    """

    @wraps(function)
    def showing(*args: _P.args, **options: _P.kwargs) -> _T:
        with progress_of(function.__qualname__):
            return function(*args, **options)

    return showing


@contextmanager
def progress_of(name: str, *, shown: bool = True) -> Iterator[None]:
    """Return a context whose work shows how far it is.

    Parameters
    ----------
    name : str
        What is done. Within another such context, that one's name is shown.
    shown : bool, default True
        Whether there is a line, if standard error is a terminal; what is called inside shows none
        either if not.
    """
    if shown and _CALL.get() is not None:
        yield
        return
    call = _Call(name, _stream() if shown else None)
    token = _CALL.set(call)
    try:
        yield
    finally:
        _CALL.reset(token)
        call.clear()


def steps(
    work: Iterable[_T],
    what: str,
    total: int | None = None,
    *,
    called: Callable[[_T], str] | None = None,
) -> Iterable[_T]:
    """Return the pieces of some work, which show how many of them are done.

    Parameters
    ----------
    work : iterable
        The pieces.
    what : str
        What they are, in the plural, such as "trees".
    total : int, optional
        Their number, where `work` does not know it.
    called : callable, optional
        Function from a piece to its name, which is shown.

    Examples
    --------
    >>> list(steps([1, 2], "numbers"))
    [1, 2]
    """
    call = _CALL.get()
    if call is None or call.stream is None or threading.get_ident() != call.thread:
        return work
    if total is None and isinstance(work, Sized):
        total = len(work)
    return call.each(work, _Loop(what, total), called)


def still_at_work() -> None:
    """Show that work goes on, which waits for others."""
    call = _CALL.get()
    if call is not None and call.stream is not None and threading.get_ident() == call.thread:
        call.show()


class _Loop:
    """How far a loop is."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total = what, total
        self.done, self.at, self.began = 0, "", monotonic()

    def __str__(self) -> str:
        of = "" if self.total is None else f"/{self.total}"
        return f"{self.what} {self.done}{of}" + (f", {self.at}" if self.at else "")


class _Call:
    """Something that a user called, the loops that it is in, and the line that shows them."""

    def __init__(self, name: str, stream: TextIO | None) -> None:
        self.name, self.stream, self.thread = name, stream, threading.get_ident()
        self._loops: list[_Loop] = []
        self._due = monotonic() + _PATIENCE
        self._width = 0

    def each(
        self, work: Iterable[_T], loop: _Loop, called: Callable[[_T], str] | None
    ) -> Iterator[_T]:
        depth = len(self._loops)
        self._loops.append(loop)
        try:
            for piece in work:
                loop.at = "" if called is None else called(piece)
                self.show()
                yield piece
                del self._loops[depth + 1 :]  # of what has failed inside
                loop.done += 1
                self.show()
        finally:
            del self._loops[depth:]

    def show(self) -> None:
        """Write the line anew, if it is time."""
        if self.stream is None or not self._loops or monotonic() < self._due:
            return
        self._due = monotonic() + _OFTEN
        self._write(self.stream, self._line(self.stream))

    def clear(self) -> None:
        """Remove the line."""
        if self.stream is not None and self._width:
            self._write(self.stream, "")

    def _line(self, stream: TextIO) -> str:
        from tqdm import tqdm

        outer, *inner = self._loops
        within = ", ".join(filter(None, [outer.at, *map(str, inner)]))
        bar = "{l_bar}{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed}<{remaining}{postfix}]"
        line: str = tqdm.format_meter(
            outer.done, outer.total, monotonic() - outer.began, prefix=self.name, unit=outer.what,
            bar_format=bar if outer.total else "{desc}: {n_fmt} {unit} [{elapsed}{postfix}]",
            ncols=get_terminal_size().columns - 1, ascii=not _is_unicode(stream),
            postfix=within,
        )  # fmt: skip
        return line

    def _write(self, stream: TextIO, line: str) -> None:
        """Write over the line that stands there, below the bars of the user's own, if any."""
        below = _bars() if _is_terminal(stream) else 0
        text = f"\r{line.ljust(self._width)}" + ("" if line else "\r")
        try:
            stream.write("\n" * below + text + _UP * below)
            stream.flush()
        except (OSError, ValueError):  # the terminal is gone: the work goes on
            self._due, line = float("inf"), ""
        self._width = len(line)


_CALL: ContextVar[_Call | None] = ContextVar("call", default=None)


def _stream() -> TextIO | None:
    """Return where the line is shown: standard error, if people see it and this program is it."""
    main = threading.current_thread() is threading.main_thread()
    if not main or multiprocessing.parent_process() is not None:
        return None
    stream = sys.stderr
    in_notebook = type(stream).__module__.startswith("ipykernel.")
    return stream if in_notebook or _is_terminal(stream) else None


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):  # something else in its place, or closed
        return False


def _is_unicode(stream: Any) -> bool:
    return str(getattr(stream, "encoding", None)).lower().startswith("utf")


def _bars() -> int:
    """Return how many bars of tqdm stand on the terminal."""
    from tqdm import tqdm

    return len(getattr(tqdm, "_instances", ()))
