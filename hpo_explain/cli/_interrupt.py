"""Ctrl-C that cannot get lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def heeded_interrupt() -> Iterator[Callable[[], None]]:
    """Give a function that raises KeyboardInterrupt if Ctrl-C was pressed and went unheard.

    Python drops an exception that is raised while it cleans up an object, and a KeyboardInterrupt
    with it: a program that runs until it is interrupted would go on.

    Examples
    --------
    >>> with heeded_interrupt() as check:
    ...     check()  # nothing was pressed
    """
    pressed = threading.Event()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        pressed.set()
        raise KeyboardInterrupt

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT)
    # elsewhere signals cannot be handled, and where they are ignored they stay so
    ours = threading.current_thread() is threading.main_thread() and usual is not signal.SIG_IGN
    if ours:
        signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield check
    finally:
        if ours:
            signal.signal(signal.SIGINT, usual)
