"""Ctrl-C that cannot get lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click


class Interrupt(threading.Event):
    """Whether Ctrl-C was pressed; cleared when what it asks for is done."""

    def check(self) -> None:
        """Raise KeyboardInterrupt if it was, which may have gone unheard."""
        if self.is_set():
            raise KeyboardInterrupt

    def repeat(self) -> None:
        """Interrupt the main thread again, unless it was heeded meanwhile."""
        if self.is_set():
            _thread.interrupt_main()


@contextmanager
def heeded_interrupt() -> Iterator[Interrupt]:
    """Raise KeyboardInterrupt when Ctrl-C is pressed, and at the end if that went unheard.

    Python drops an exception that is raised while it cleans up an object, and a KeyboardInterrupt
    with it; it is raised again at once. Libraries drop it where they catch everything: a command
    checks before it writes a file.

    Examples
    --------
    >>> with heeded_interrupt() as interrupt:
    ...     interrupt.check()  # nothing was pressed
    """
    interrupt = Interrupt()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        interrupt.set()
        raise KeyboardInterrupt

    def on_dropped(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            # seconds until the cleaning up is over
            threading.Timer(0.01, interrupt.repeat).start()
        else:
            hook(dropped)

    hook, usual = sys.unraisablehook, signal.getsignal(signal.SIGINT)
    # elsewhere signals cannot be handled, and where they are ignored they stay so
    ours = threading.current_thread() is threading.main_thread() and usual is not signal.SIG_IGN
    if ours:
        signal.signal(signal.SIGINT, on_interrupt)
        sys.unraisablehook = on_dropped
    try:
        yield interrupt
        interrupt.check()
    finally:
        interrupt.clear()
        if ours:
            signal.signal(signal.SIGINT, usual)
            sys.unraisablehook = hook


def interrupt_at_hand() -> Interrupt:
    """Return what the command at hand knows about Ctrl-C."""
    context = click.get_current_context(silent=True)
    return (context and context.find_object(Interrupt)) or Interrupt()
