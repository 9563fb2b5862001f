"""A categorical hyperparameter, and how its categories are found.

Which of some choices a value is: by type first, then by equality.

Among thousands of choices a value is found by its hash, where that says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import InputError, set_fields
from hpo_explain.space._values import (
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
_KEPT = 16  # indices of thousands of choices


def category_index(choices: Sequence[Any], value: Any) -> int | None:
    """Return the index of `value` among `choices`: by type first, then by equality; None if absent.

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
    wanted = plain(value)
    matches = [
        i for i, choice in enumerate(choices) if _same(plain(choice), wanted)
    ]
    exact = [i for i in matches if type(plain(choices[i])) is type(wanted)]
    return min(exact or matches, default=None)


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


class CategoryIndex:
    """Finds values among choices as `category_index` does, many of them among thousands.

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

    def __init__(self, choices: Sequence[Any]) -> None:
        self._choices = choices
        self._exact: dict[tuple[type, Any], int] = {}
        self._equal: dict[tuple[bool, Any], int] = {}
        self._others: list[int] = []
        for i, choice in enumerate(map(plain, choices)):
            if _is_simple(choice):
                self._exact.setdefault((type(choice), choice), i)
                self._equal.setdefault(_key(choice), i)
            else:
                self._others.append(i)

    def __call__(self, value: Any) -> int | None:
        """Return the index of the choice that is a value, None if there is none."""
        value = plain(value)
        if not _is_simple(value):
            return category_index(self._choices, value)
        exact = self._exact.get((type(value), value))
        if exact is not None:
            return exact
        equal = self._equal.get(_key(value))
        matches = [] if equal is None else [equal]
        matches += [
            i for i in self._others if _same(plain(self._choices[i]), value)
        ]
        return min(matches, default=None)


def index_of(choices: Sequence[Any]) -> CategoryIndex:
    """Return what finds values among choices, that of the same ones asked for lately.

    Examples
    --------
    >>> index_of(("a", "b")) is index_of(("a", "b")), index_of((1,))(True), index_of((True,))(True)
    (True, None, 0)
    """
    types = tuple(map(type, choices))
    # what is equal and of the same simple type is the same choice
    return (
        _index_of(tuple(choices), types)
        if {*types} <= {*_SIMPLE}
        else CategoryIndex(choices)
    )


@lru_cache(_KEPT)
def _index_of(
    choices: tuple[Any, ...], types: tuple[type, ...]
) -> CategoryIndex:
    return CategoryIndex(choices)


def different(values: Iterable[Any]) -> list[Any]:
    """Return values without those that equal an earlier one.

    Examples
    --------
    >>> different([1, True, "1", 1.0, True, "b"])
    [1, True, '1', 'b']
    """
    distinct: list[Any] = []
    others: list[Any] = []
    seen: set[tuple[bool, Any]] = set()
    for value in values:
        own = plain(value)
        if not _is_simple(own):
            if category_index(distinct, own) is not None:
                continue
            others.append(own)
        elif _key(own) in seen or category_index(others, own) is not None:
            continue
        else:
            seen.add(_key(own))
        distinct.append(value)
    return distinct


def _is_simple(value: Any) -> bool:
    """Return whether a value can be looked up by its hash: a simple type, and not NaN."""
    return type(value) in _SIMPLE and value == value


def _key(value: Any) -> tuple[bool, Any]:
    return type(value) is bool, value


@dataclass(frozen=True)
class CategoricalParameter:
    """A hyperparameter with unordered choices, all of the same weight.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    choices : sequence
        The choices, of any type; they are compared by type, then by equality
        (``True`` is not 1).
    active_when, optional
        As in :class:`FloatParameter`.

    Raises
    ------
    ValueError
        If there is no choice, or one choice is given twice.

    Examples
    --------
    >>> booster = CategoricalParameter("booster", ["gbtree", "dart", "gblinear"])
    >>> booster.encode(["dart"]).tolist()
    [1.0]
    """

    name: str
    choices: Sequence[Any]
    active_when: Mapping[str, Sequence[Any] | Range] | None = None
    optional: float | None = None

    is_category: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"choices of {self.name!r}"
        if isinstance(self.choices, (str, bytes)) or not isinstance(
            self.choices, Iterable
        ):
            problem = f"must be a list of choices, but was {self.choices!r}"
            raise InputError(where, problem, self.choices, "List the choices.")
        choices = tuple(map(plain, self.choices))
        set_fields(self, choices=choices)
        if not choices:
            raise InputError(
                where, "is empty", choices, "Give at least one choice."
            )
        index = CategoryIndex(choices)
        for i, choice in enumerate(choices):
            if i != index(choice):
                raise InputError(
                    where,
                    f"contains {choice!r} twice",
                    choice,
                    "List it once.",
                )
        check_activity(self)

    def has(self, value: Any) -> bool:
        """Return whether a value is one of the choices."""
        return index_of(self.choices)(value) is not None

    @property
    def size(self) -> int:
        """Number of choices."""
        return len(self.choices)

    def encode(self, values: Iterable[Any]) -> Array:
        """Return the indices of values among the choices; raise ValueError for an unknown one."""
        # no attribute: results tell all attributes
        index = index_of(self.choices)
        indexed = [(index(value), value) for value in values]
        return np.array(
            [self.code(v) if i is None else i for i, v in indexed], dtype=float
        )

    def decode(self, positions: Array) -> list[Any]:
        """Return the choices at positions (their indices)."""
        return [self.choices[code] for code in self.codes(positions)]

    def codes(self, positions: Array) -> Ints:
        """Return the indices at positions as an integer array."""
        return self.nearest(positions).astype(np.int64)

    def nearest(self, positions: Array) -> Array:
        """Return for each position the nearest one that stands for a choice."""
        return np.clip(
            np.round(np.asarray(positions, dtype=float)), 0, self.size - 1
        )

    def code(self, value: Any) -> int:
        """Return the index of one value; raise ValueError if there is no such choice."""
        index = index_of(self.choices)(value)
        if index is None:
            problem = (
                f"= {value!r} is not one of its choices {list(self.choices)!r}"
            )
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
        return (
            np.clip(
                np.floor(np.asarray(positions) + POSITION_TOLERANCE) + 1.0,
                0,
                self.size,
            )
            / self.size
        )

    def grid(self) -> tuple[Array, Array]:
        """Return indices and measures of all choices."""
        return np.arange(self.size, dtype=float), np.full(
            self.size, 1.0 / self.size
        )
