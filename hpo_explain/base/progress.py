"""One line on a terminal that says how far long work is, once that has taken some seconds.

What users call opens a call of its own (`shows_progress`); each loop within it that may take long
goes over `steps`. The line shows the outermost loop as a bar, and where the loops inside it are.
Only the main thread of a program shows it: neither threads nor worker processes write to a
terminal. tqdm draws the line, below the user's own bars; it is cleared in the end, and no thread
or lock of tqdm's is left. In a notebook it is an output of its own, which is empty in the end.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, wraps
from shutil import get_terminal_size
from time import time
from typing import Any, ParamSpec, TypeVar

from hpo_explain.base.html import shown_html
from hpo_explain.base.workers import is_worker

_T = TypeVar("_T")
_P = ParamSpec("_P")

_PATIENCE = 2.0  # seconds until work counts as long
_OFTEN = 0.1  # seconds between two looks of the line
_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed}<{remaining}{postfix}]"
# of work of unknown length
_COUNT = "{desc}: {n_fmt} {unit} [{elapsed}{postfix}]"


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
    token = _CALL.set(_Call(name, _stream() if shown else None))
    try:
        yield
    finally:
        _CALL.reset(token)


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
    call = _shown_here()
    if call is None:
        return work
    if total is None and isinstance(work, Sized):
        total = len(work)
    return call.each(work, _Loop(what, total), called)


def still_at_work() -> None:
    """Show that work goes on, which waits for others."""
    call = _shown_here()
    if call is not None:
        call.show()


@dataclass
class _Loop:
    """How far a loop is: how much is done of its total, and what is in work."""

    what: str
    total: int | None
    done: int = 0
    at: str = ""
    began: float = field(default_factory=time)

    def __str__(self) -> str:
        of = "" if self.total is None else f"/{self.total}"
        return f"{self.what} {self.done}{of}" + (f", {self.at}" if self.at else "")


class _Call:
    """Something that a user called, the loops that it is in, and the line that shows them."""

    def __init__(self, name: str, stream: Any) -> None:
        self.name = name
        self.stream = stream
        self.thread = threading.get_ident()
        self._loops: list[_Loop] = []
        self._due = time() + _PATIENCE
        self._line: Any = None

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
            if not depth and self._line is not None:
                self._line.close()
                self._line = None

    def show(self) -> None:
        """Write the line anew, if it is time."""
        if not self._loops or time() < self._due:
            return
        self._due = time() + _OFTEN
        outer, *inner = self._loops
        if self._line is None:
            self._line = _line_class()(
                total=outer.total,
                desc=self.name,
                unit=outer.what,
                leave=False,
                file=self.stream,
                bar_format=_BAR if outer.total else _COUNT,
                ncols=get_terminal_size().columns - 1,
            )
            self._line.start_t = outer.began
        self._line.n = outer.done
        self._line.set_postfix_str(", ".join(filter(None, [outer.at, *map(str, inner)])))


@cache
def _line_class() -> type:
    from tqdm import tqdm

    class Line(tqdm):  # type: ignore[misc]
        """A bar without tqdm's monitor thread and without its lock among processes."""

        monitor_interval = 0
        _lock = threading.RLock()

    return Line


_CALL: ContextVar[_Call | None] = ContextVar("call", default=None)


def _shown_here() -> _Call | None:
    """Return the call that is shown, if this is its thread."""
    call = _CALL.get()
    here = call is not None and call.stream is not None and threading.get_ident() == call.thread
    return call if here else None


class _Cell:
    """The output of a notebook's cell as a stream that holds one line, and nothing once cleared."""

    def __init__(self) -> None:
        self._handle: Any = None

    def write(self, text: str) -> None:
        """Show a line in place of the last one."""
        line = text.strip()
        shown = {"text/html": f"<pre>{shown_html(line)}</pre>" if line else "", "text/plain": line}
        if self._handle is not None:
            self._handle.update(shown, raw=True)
        elif line:
            show = sys.modules["IPython"].display.display
            self._handle = show(shown, raw=True, display_id=True)

    def flush(self) -> None:
        """Do nothing: each line is shown at once."""


def _stream() -> Any:
    """Return standard error if it is a terminal, a cell in a notebook; None in threads, workers."""
    main = threading.current_thread() is threading.main_thread()
    child = is_worker() or multiprocessing.parent_process() is not None
    if not main or child:
        return None
    stream = sys.stderr
    try:
        if type(stream).__module__.startswith("ipykernel."):
            return _Cell()
        return stream if stream.isatty() else None
    except (AttributeError, ValueError):  # something else in its place, or closed
        return None
