"""What is made again where it is needed: one of it for every trial would fill the memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_T = TypeVar("_T")


class Latest:
    """What was made for the latest keys; a copy of it is empty.

    Examples
    --------
    >>> latest = Latest()
    >>> latest.of("key", list) is latest.of("key", list)
    True
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._made: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return what was made for a key, or make it."""
        if key not in self._made:
            made = make()
            while len(self._made) >= self._most:
                self._made.pop(next(iter(self._made)))
            self._made[key] = made
        latest: _T = self._made[key]
        return latest

    def __reduce__(self) -> tuple[Any, ...]:
        return Latest, (self._most,)
