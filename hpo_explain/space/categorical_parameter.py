"""A categorical hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import InputError, set_fields
from hpo_explain.base.facts import Quote
from hpo_explain.space._values import (
    MOST_LISTED,
    POSITION_TOLERANCE,
    Array,
    Ints,
    check_activity,
    check_name,
    counted,
    plain,
)
from hpo_explain.space.ranges import Range

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


@dataclass(frozen=True)
class CategoricalParameter:
    """A hyperparameter with unordered choices of equal weight.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    choices : sequence
        The choices, of any type. ``True`` and 1 are different choices.
    active_when, optional
        As in :class:`FloatParameter`.

    Raises
    ------
    ValueError
        If there are no choices, or a choice is given twice.

    Examples
    --------
    >>> booster = CategoricalParameter("booster", ["gbtree", "dart", "gblinear"])
    >>> booster.encode(["dart"]).tolist()
    [1.0]
    """

    name: str
    choices: Sequence[Any]
    active_when: Mapping[str, Sequence[Any] | Range] | None = None
    optional: float = 1.0

    is_category: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"choices of {self.name!r}"
        if isinstance(self.choices, (str, bytes)) or not isinstance(self.choices, Iterable):
            problem = f"must be a list of choices, but was {self.choices!r}"
            raise InputError(where, problem, self.choices, "List the choices.")
        choices = tuple(map(plain, self.choices))
        set_fields(self, choices=choices)
        if not choices:
            raise InputError(where, "is empty", choices, "Give at least one choice.")
        index = CategoryIndex(choices)
        for i, choice in enumerate(choices):
            if i != index(choice):
                raise InputError(where, f"contains {choice!r} twice", choice, "List it once.")
        check_activity(self)

    def has(self, value: Any) -> bool:
        """Return whether a value is one of the choices."""
        return category_index(self.choices, value) is not None

    @property
    def size(self) -> int:
        """Number of choices."""
        return len(self.choices)

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the indices of values among the choices; raise ValueError for an unknown one."""
        values = list(values)
        codes = map(index_of(self.choices), values)
        indices = [
            self.code(value) if code is None else code
            for value, code in zip(values, codes, strict=True)
        ]
        return np.array(indices, dtype=float)

    def decode(self, positions: Array) -> list[Any]:
        """Return the choices at positions (their indices)."""
        return [self.choices[code] for code in self.codes(positions)]

    def codes(self, positions: Array) -> Ints:
        """Return the indices at positions as an integer array."""
        return self.nearest(positions).astype(np.int64)

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a choice."""
        return np.clip(np.round(positions), 0, self.size - 1)

    def code(self, value: Any) -> int:
        """Return the index of one value; raise ValueError if there is no such choice."""
        index = category_index(self.choices, value)
        if index is None:
            choices = Quote(f"choices {list(self.choices)!r}", f"{self.size} choices")
            problem = f"= {value!r} is not one of its ", choices
            remedy = "Correct the value, or add the choice to the space."
            raise InputError(self.name, problem, value, remedy)
        return index

    def from_latent(self, u: Array) -> Array:
        """Return the indices that latent values lead to."""
        return counted(u, self.size).astype(float)

    def latent_interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of latent values that lead to indices in [low, high]."""
        first = np.ceil(low - POSITION_TOLERANCE)
        last = np.floor(high + POSITION_TOLERANCE)
        return float(first / self.size), float((last + 1.0) / self.size)

    def share_below(self, positions: Array) -> Array:
        """Return the measure of all indices up to given ones."""
        index = np.floor(positions + POSITION_TOLERANCE)
        return np.clip(index + 1.0, 0, self.size) / self.size

    def grid(self, most: int = MOST_LISTED) -> tuple[Array, Array] | None:
        """Return indices and measures of all choices; None of more than `most`."""
        if self.size > most:
            return None
        weights = np.full(self.size, 1.0 / self.size)
        return np.arange(self.size, dtype=float), weights
