"""Python's search for garbage, in processes that are this library's own."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MANY = 5_000  # objects made since the last search; Python's own is a few hundred


@contextmanager
def seldom_searched() -> Iterator[None]:
    """Search for garbage less often.

    A process that begins makes some hundred thousand objects that stay, as it imports. To look
    through all of them again and again takes a tenth of a short command.

    Examples
    --------
    >>> with seldom_searched():
    ...     gc.get_threshold()[0]
    5000
    """
    usual = gc.get_threshold()
    gc.set_threshold(_MANY, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
