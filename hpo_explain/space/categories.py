"""Which of some choices a value is: by type first, then by equality.

Among thousands of choices a value is found by its hash, where that says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from hpo_explain.space._values import plain

_SIMPLE = (str, int, float, bool)


class CategoryIndex:
    """Finds values among choices: by type first, then by equality.

    Parameters
    ----------
    choices : sequence
        The choices, of any type.

    Examples
    --------
    >>> index = CategoryIndex([1, True, "1", 2.0])
    >>> index(True), index(2), index("2")
    (1, 3, None)
    """

    def __init__(self, choices: Iterable[Any]) -> None:
        self._choices = [plain(choice) for choice in choices]
        # where the first of equal choices is, of the same type and of any
        self._simple: dict[Any, int] = {}
        self._others: list[int] = []
        for i, choice in enumerate(self._choices):
            if _is_simple(choice):
                for key in _keys(choice):
                    self._simple.setdefault(key, i)
            else:
                self._others.append(i)

    def __call__(self, value: Any) -> int | None:
        """Return the index of the choice that is a value, None if there is none."""
        value = plain(value)
        matches = self._matches(value)
        exact = [i for i in matches if type(self._choices[i]) is type(value)]
        return min(exact or matches, default=None)

    def first(self, value: Any) -> int | None:
        """Return the index of the first choice that equals a value, of whatever type."""
        return min(self._matches(plain(value)), default=None)

    def _matches(self, value: Any) -> list[int]:
        others: Sequence[int] = range(len(self._choices))
        matches = []
        if _is_simple(value):
            others = self._others
            indices = map(self._simple.get, _keys(value))
            matches = [i for i in indices if i is not None]
        return matches + [i for i in others if _same(self._choices[i], value)]


def _is_simple(value: Any) -> bool:
    """Return whether a value can be looked up by its hash: a simple type, and not NaN."""
    return type(value) in _SIMPLE and value == value


def _keys(value: Any) -> list[tuple[Any, Any]]:
    """Return what equal values of the same type, and those of any type, have in common."""
    return [(type(value), value), (type(value) is bool, value)]


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, bool) != isinstance(second, bool):
        return False  # True == 1 in Python, but they are two choices
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        # a JSON storage turns tuples into lists
        return len(first) == len(second) and all(map(_same, first, second))
    try:
        return bool(first == second) or (first != first and second != second)
    except (TypeError, ValueError):
        return False


def category_index(choices: Sequence[Any], value: Any) -> int | None:
    """Return the index of `value` among `choices`: by type first, then by equality; None if absent.

    Those of the same choices are looked up in one index, so that many are found quickly.

    Parameters
    ----------
    choices : sequence
        The choices, of any type.
    value : object
        The value looked for.

    Returns
    -------
    int or None
        The index of the choice that equals `value`; ``True`` is not 1.

    Examples
    --------
    >>> category_index([1, True, "1"], True), category_index([1, 2.0], 2)
    (1, 1)
    """
    return index_of(choices)(value)


def index_of(choices: Sequence[Any]) -> CategoryIndex:
    """Return what finds values among choices, that of the same ones asked for lately.

    Examples
    --------
    >>> index_of(("a", "b")) is index_of(("a", "b")), index_of((1,))(True), index_of((True,))(True)
    (True, None, 0)
    """
    types = tuple(map(type, choices))
    # what is equal and of the same simple type is the same choice
    if {*types} <= {*_SIMPLE}:
        return _index_of(tuple(choices), types)
    return CategoryIndex(choices)


@lru_cache(16)
def _index_of(choices: tuple[Any, ...], types: tuple[type, ...]) -> CategoryIndex:
    return CategoryIndex(choices)


def different(values: Iterable[Any]) -> list[Any]:
    """Return values without those that equal an earlier one.

    Examples
    --------
    >>> different([1, True, "1", 1.0, True, "b"])
    [1, True, '1', 'b']
    """
    values = list(values)
    index = CategoryIndex(values)
    return [value for i, value in enumerate(values) if index.first(value) == i]
