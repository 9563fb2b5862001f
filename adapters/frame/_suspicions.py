"""Signs that a column of a table is no hyperparameter. None settles it: they only ask.

Each sign is a function of a column, of the other columns that may be hyperparameters, and of the
objective; it returns in words what is suspicious.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import (
    cell_key,
    is_empty,
    is_number,
    read_numbers,
    texts_as_numbers,
)
from hpo_explain.adapters.frame._names import called
from hpo_explain.base.numbers import mean_ranks
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

_LEAST_ROWS = 10  # with fewer, all this is by chance
_SAME_ORDER = 0.9  # of the rank correlation with the objective
_FEW = 10  # whole numbers that are set, whatever they are called: precision = 16 or 32
_ALL_DIFFERENT = 0.9  # share of the rows with a value of their own


@dataclass(frozen=True, eq=False)
class Column:
    """A column: its cells that are there, its numbers (NaN for others), a code for each cell."""

    name: str
    present: list[Any]
    numbers: Array
    codes: Ints

    @classmethod
    def of(cls, table: pd.DataFrame, name: str) -> Column:
        """Return a column of a table."""
        cells = texts_as_numbers(table[name]).tolist()
        known: dict[Any, int] = {}
        codes = [known.setdefault(cell_key(c), len(known)) for c in cells]
        present = [cell for cell in cells if not is_empty(cell)]
        return cls(name, present, read_numbers(table[name]), np.array(codes))

    def at(self, rows: Ints) -> Column:
        """Return some rows of it; what is there is not told then."""
        codes = np.unique(self.codes[rows], return_inverse=True)[1]
        return replace(self, numbers=self.numbers[rows], codes=codes)

    @property
    def is_filled(self) -> bool:
        """Whether no cell is empty."""
        return len(self.present) == len(self.codes)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all cells are numbers, but for empty ones."""
        return bool(self.present) and all(map(is_number, self.present))

    @cached_property
    def n_levels(self) -> int:
        """How many cells differ."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def is_repeated(self) -> bool:
        """Whether each cell stands in two rows or more, on average."""
        return 2 * self.n_levels <= len(self.codes)

    @property
    def differs(self) -> bool:
        """Whether nearly each row has a cell of its own."""
        return self.n_levels >= max(3, _ALL_DIFFERENT * len(self.codes))


def rank_correlation(column: Array, objective: Array) -> float:
    """Return the rank correlation where both are known; 0 where that is in few rows."""
    both = np.isfinite(column) & np.isfinite(objective)
    first, second = column[both], objective[both]
    if len(first) < _LEAST_ROWS or not (np.ptp(first) and np.ptp(second)):
        return 0.0
    return float(np.corrcoef(mean_ranks(first), mean_ranks(second))[0, 1])


def is_grid(columns: Sequence[Column]) -> bool:
    """Say whether each combination of the cells of some columns is there, each equally often."""
    if not columns or len(columns[0].codes) < _LEAST_ROWS:
        return False
    codes = np.column_stack([column.codes for column in columns])
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    size = np.prod([float(column.n_levels) for column in columns])
    return len(counts) == size and counts.min() == counts.max()


def _is_called(column: Column, *_: Any) -> str:
    what = called(column.name)
    if what != "a metric":
        return what and f"called as {what} is"
    values = column.numbers[np.isfinite(column.numbers)]
    is_set = (values % 1.0 == 0.0).all() and column.n_levels <= _FEW
    return "" if is_set or not column.is_numeric else "called as a metric is"


def _counts_rows(column: Column, *_: Any) -> str:
    steps = {*np.diff(column.numbers).tolist()}
    counts = len(column.codes) > _LEAST_ROWS and steps in ({1.0}, {-1.0})
    return "numbers the rows" if counts else ""


def _holds_lists(column: Column, *_: Any) -> str:
    first = [str(cell).strip() for cell in column.present[:1]]
    return "holds lists" if first and first[0].startswith(("[", "(")) else ""


def _names_rows(column: Column, *_: Any) -> str:
    is_text = not column.is_numeric and len(column.codes) >= _LEAST_ROWS
    return "other text in each row" if is_text and column.differs else ""


def _differs_in_a_grid(column: Column, others: Sequence[Column], _: Array) -> str:
    levels = [other for other in others if other.is_repeated]
    is_one = column.differs and len(levels) > 1 and is_grid(levels)
    return "other numbers in each row of a grid" if is_one else ""


def _follows(column: Column, others: Sequence[Column], _: Array) -> str:
    # what is there under a condition only may seem to
    filled = [other for other in others if other.is_filled]
    if not column.is_filled:
        return ""
    rows = _different_settings([*filled, column])
    child = column.at(rows)
    for other in filled:
        parent = other.at(rows)
        several = len(rows) >= _LEAST_ROWS and parent.is_repeated
        pairs = parent.codes * (child.codes.max(initial=0) + 1) + child.codes
        told = several and len(np.unique(pairs)) == parent.n_levels
        if told or _is_scaled(column, other):
            return f"follows from {other.name}"
    return ""


def _different_settings(columns: Sequence[Column]) -> Ints:
    """Return the first rows of settings that differ: they may be repeated on folds or seeds."""
    repeated = [column.codes for column in columns if column.is_repeated]
    if not repeated:
        return np.arange(len(columns[0].codes))
    return np.unique(np.column_stack(repeated), axis=0, return_index=True)[1]


def _is_scaled(column: Column, other: Column) -> bool:
    differ = column.differs and other.differs
    if not (differ and column.is_numeric and other.is_numeric):
        return False
    return abs(rank_correlation(column.numbers, other.numbers)) > 1.0 - 1e-9


def _orders_like_objective(column: Column, _: Sequence[Column], objective: Array) -> str:
    order = rank_correlation(column.numbers, objective)
    return "orders the trials as the objective does" * (abs(order) > _SAME_ORDER)


_SIGNS: tuple[Callable[[Column, Sequence[Column], Array], str], ...] = (
    _is_called,
    _counts_rows,
    _holds_lists,
    _names_rows,
    _differs_in_a_grid,
    _follows,
    _orders_like_objective,
)


def suspicions(columns: Sequence[Column], objective: Array) -> tuple[dict[str, str], list[str]]:
    """Return what is suspicious of columns, by name, and which are hyperparameters most likely.

    Parameters
    ----------
    columns : sequence of Column
        Columns that vary.
    objective : ndarray of shape (n,)
        The objective; NaN where there is none.
    """
    found: dict[str, str] = {}
    for sign in _SIGNS:
        for column in columns:
            if column.name not in found:
                others = _before(column, columns, found)
                what = sign(column, others, objective)
                found |= {column.name: what} if what else {}
    proposed = [
        column.name
        for column in columns
        if column.name not in found or _is_set(column, columns, found)
    ]
    if len(columns) == 1:  # there is nothing to choose from
        return {}, [column.name for column in columns]
    return found, proposed or [column.name for column in columns]


def _before(column: Column, columns: Sequence[Column], found: Mapping[str, str]) -> list[Column]:
    """Return other columns of which nothing is suspicious: of two that say the same the first."""
    place = columns.index(column)
    return [
        other
        for i, other in enumerate(columns)
        if other.name not in found
        and other is not column
        and (i < place or other.n_levels != column.n_levels)
    ]


def _is_set(column: Column, columns: Sequence[Column], found: Mapping[str, str]) -> bool:
    """Say whether a suspicious column is set all the same, as one whose levels are of a grid is."""
    what = found[column.name]
    others = [other for other in columns if other.name not in found]
    if what.startswith("orders"):  # it may decide all
        return True
    if not column.is_repeated:
        return False
    is_name = what in ("called as an id is", "called as a counter is")
    return is_name and is_grid([*others, column])
