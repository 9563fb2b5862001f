"""Whether an optimization goes on, of which only its calls of a callback are seen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import FrameType


def is_called_by(package: str) -> bool:
    """Say whether code of a package has called what runs here, at once or through others."""
    return any(_is_in(frame, package) for frame in _frames(sys._getframe(1)))


def goes_on(package: str) -> bool:
    """Say whether code of a package runs, or waits for what it called, in any other thread.

    A framework that starts no threads is on the stack of the thread that optimizes, one that does
    is on the stack of the thread that waits for them, too.
    """
    here = threading.get_ident()
    return any(
        _is_in(frame, package)
        for thread, top in sys._current_frames().items()
        if thread != here
        for frame in _frames(top)
    )


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Return a frame and those that called it."""
    while frame:
        yield frame
        frame = frame.f_back


def _is_in(frame: FrameType, package: str) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module == package or module.startswith(f"{package}.")
