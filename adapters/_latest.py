"""What is made again where it is needed: one of it for every trial would fill the memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_T = TypeVar("_T")
_MOST = 16


class Latest:
    """What was made for the latest keys; a copy of it is empty.

    Examples
    --------
    >>> latest = Latest()
    >>> latest.of("key", list) is latest.of("key", list)
    True
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return what was made for a key, or make it."""
        if key not in self._made:
            made = make()
            if len(self._made) >= _MOST:
                self._made.pop(next(iter(self._made)))
            self._made[key] = made
        found: _T = self._made[key]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Latest, ()
