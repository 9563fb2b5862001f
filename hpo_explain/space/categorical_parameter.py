"""A categorical hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import InputError, set_fields
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
from hpo_explain.space.categories import CategoryIndex, category_index, index_of
from hpo_explain.space.ranges import Range


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
            problem = f"= {value!r} is not one of its choices {list(self.choices)!r}"
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
