"""What each column of a table is, by what it holds; its name is a hint that the cells confirm.

A hyperparameter is what was set: nothing else tells it. So every other kind has a sign of its own:

=============  ==================================================================================
kind           sign
=============  ==================================================================================
constant       one value in all rows
number         whole numbers, each once, that count the rows or are called a trial, an id, ...
status         words for what became of a trial
time           dates and times of any form; seconds since 1970
id             text that differs from row to row, numbers beyond all ranges
seed           a seed of its own in each row
duration       numbers called so
metric         numbers with a name of measurement, or in the range and order of the objective
copy           the objective in other digits or units
derived        follows from one or two other columns in every row
instance       folds, data sets, seeds: the same configurations stand in front of several of them
fidelity       a budget: the same configurations stand in front of several, fewer of the larger
=============  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hpo_explain.adapters.frame import _names as names_of
from hpo_explain.adapters.frame._cells import (
    as_float,
    cell_key,
    is_empty,
    is_number,
    is_number_text,
    is_time,
    is_time_text,
    texts_as_numbers,
)
from hpo_explain.adapters.frame._layouts import is_state_text
from hpo_explain.base.numbers import mean_ranks
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal[
    "constant",
    "number",
    "status",
    "time",
    "id",
    "seed",
    "duration",
    "metric",
    "copy",
    "derived",
    "instance",
    "fidelity",
]

_LEAST_ROWS = 10  # for anything that rests on a correlation
_ALSO_SET = ("objective", "metric", "score", "cost")  # names of a choice, too
SAME_ORDER = 0.9  # of the rank correlation with the objective
_RELATED = 0.3
_ALL_DIFFERENT = 0.9  # share of the rows with a value of their own
_NOT_EVEN = (
    0.01  # p-value below which values were not spread evenly over a range
)
_LARGEST_RANGE = 2**31
_EPOCH = (946_684_800.0, 2_208_988_800.0)  # the years 2000 to 2040, in seconds
_UNITS_OF_TIME = (1.0, 1e3, 1e6, 1e9)
_BITS = 10.0  # a coincidence rarer than 1 in 1000
_MOST_PARENTS = 20
_LOOK = 50
_DENSE = 3  # ids of a run, some of them left out: at most as many missing


@dataclass(frozen=True, eq=False)
class Column:
    """A column, in what its kind is told by.

    Attributes
    ----------
    name : str
        What it is called.
    cells, present : list
        Its cells, and those that are not empty.
    numbers : ndarray of shape (n,) or None
        Its numbers, NaN where a cell is empty; None where another cell is no number.
    codes : ndarray of int, shape (n,)
        The number of each cell among those that differ.
    """

    name: str
    cells: list[Any]
    present: list[Any]
    numbers: Array | None
    codes: Ints

    @classmethod
    def of(cls, table: pd.DataFrame, name: str) -> Column:
        """Return a column of a table."""
        column = texts_as_numbers(table[name])
        cells = column.tolist()
        plain = isinstance(column.dtype, np.dtype)
        if plain and column.dtype.kind in "if":  # as below, only faster
            numbers = column.to_numpy(dtype=float)
            present = column[~np.isnan(numbers)].tolist()
            codes = np.unique(numbers, return_inverse=True)[1]
            return cls(name, cells, present, numbers, codes)
        empty = [is_empty(cell) for cell in cells]
        present = [c for c, no in zip(cells, empty, strict=True) if not no]
        found = None
        if all(map(is_number, present)):
            found = np.array(
                [
                    np.nan if no else as_float(cell)
                    for cell, no in zip(cells, empty, strict=True)
                ]
            )
        return cls(name, cells, present, found, codes_of(map(cell_key, cells)))

    @property
    def n_different(self) -> int:
        """How many cells differ."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same cell, and none is empty."""
        return self.n_different == len(self.cells) == len(self.present)

    @property
    def is_fine(self) -> bool:
        """Whether it has numbers, nearly each row one of its own, and not only whole ones."""
        if self.numbers is None:
            return False
        known = self.numbers[np.isfinite(self.numbers)]
        return (
            len(known) > 2
            and len(np.unique(known)) >= _ALL_DIFFERENT * len(known)
            and not is_whole(known)
        )


def codes_of(keys: Any) -> Ints:
    """Return for each key its number, in the order in which keys first occur."""
    known: dict[Any, int] = {}
    return np.array(
        [known.setdefault(key, len(known)) for key in keys], dtype=np.int64
    )


def joint_codes(columns: Sequence[Column], n: int) -> Ints:
    """Return for each of n rows the number of its combination of cells."""
    return (
        codes_of(zip(*(c.codes.tolist() for c in columns), strict=True))
        if (columns)
        else np.zeros(n, dtype=np.int64)
    )


def is_whole(values: Array) -> bool:
    """Say whether all finite values are whole numbers."""
    known = values[np.isfinite(values)]
    return bool((known == np.round(known)).all())


def rank_correlation(column: Array, objective: Array) -> float:
    """Return the rank correlation where both are known; 0 where that is in few rows."""
    both = np.isfinite(column) & np.isfinite(objective)
    if both.sum() < _LEAST_ROWS:
        return 0.0
    first, second = column[both], objective[both]
    if min(np.ptp(first), np.ptp(second)) == 0.0:
        return 0.0
    return float(np.corrcoef(mean_ranks(first), mean_ranks(second))[0, 1])


# ---------------------------------------------------------------------- kinds by a column alone


def kind_alone(column: Column, objective: Array) -> Kind | None:
    """Return the kind of a column that it shows by itself; None for a hyperparameter."""
    if column.n_different < 2:
        return "constant"
    for kind, has_sign in _SIGNS:
        if has_sign(column):
            return kind
    is_measured = _is_called_measured(column, objective)
    if is_measured or _is_best_so_far(column, objective):
        return "metric"
    return None


def _is_status(column: Column) -> bool:
    """Say whether all cells are words for what became of a trial; yes and no need a name for it."""
    is_called = names_of.is_called_state(column.name)
    return bool(column.present) and all(
        is_state_text(cell, plain=not is_called) for cell in column.present
    )


def _is_time(column: Column) -> bool:
    cells = column.present
    if all(map(is_time, cells)) or all(map(is_time_text, cells)):
        return True
    if column.numbers is None or len(cells) < 3:
        return False
    known = column.numbers[np.isfinite(column.numbers)]
    if names_of.is_called_stamp(column.name):
        return True
    is_called = names_of.is_called_time(column.name)
    for unit in _UNITS_OF_TIME:
        seconds = known / unit
        if _EPOCH[0] <= seconds.min() and seconds.max() <= _EPOCH[1]:
            return is_called or _is_steady(known)
    # the time since the start of the run
    return is_called and _is_steady(known) and not is_whole(known)


def _is_steady(values: Array) -> bool:
    """Say whether values rise, or fall, from row to row."""
    steps = np.diff(values)
    return bool((steps >= 0.0).all() or (steps <= 0.0).all())


def _is_number(column: Column) -> bool:
    """Say whether a column numbers the rows, or what they belong to."""
    if column.numbers is None or np.isnan(column.numbers).any():
        return False
    values = column.numbers
    if not is_whole(values) or len(values) < 3:
        return False
    if names_of.is_called_number(column.name):
        dense = np.ptp(values) < _DENSE * len(values)
        if column.is_unique:
            return bool(dense) or _is_steady(values)
        return _counts_in_blocks(values)
    starts = (
        (0, 1) if names_of.is_called_number(column.name, maybe=True) else (0,)
    )
    counts = any(
        np.array_equal(values, np.arange(len(values)) + start)
        for start in starts
    )
    is_written_whole = all(isinstance(cell, int) for cell in column.cells)
    return counts and is_written_whole and len(values) >= _LEAST_ROWS


def _counts_in_blocks(values: Array) -> bool:
    """Say whether values count up, with several rows each, or start again as for a further run."""
    steps = np.diff(values)
    again = np.flatnonzero(steps < 0.0) + 1
    forward = steps[steps >= 0.0]
    return bool(
        (values[again] == values[0]).all()
        and len(np.unique(forward[forward > 0.0])) <= 1
        and len(again) < len(values) / 3
    )


def _is_id(column: Column) -> bool:
    if column.numbers is not None:
        large = np.nanmax(np.abs(column.numbers)) > _LARGEST_RANGE
        is_called = names_of.is_called_id(column.name)
        many = len(column.cells) >= _LEAST_ROWS
        unique = large and many and column.is_unique
        return is_whole(column.numbers) and (is_called or unique)
    texts = column.present
    if not all(isinstance(cell, str) for cell in texts):
        return False
    if names_of.is_called_id(column.name) or names_of.is_called_place(
        column.name
    ):
        return True
    if any(map(is_number_text, texts)):
        return False
    few = len(texts) < _LEAST_ROWS
    least = len(texts) if few else _ALL_DIFFERENT * len(texts)
    return len(texts) > 2 and len({*texts}) >= least


def _is_duration(column: Column) -> bool:
    if column.numbers is None or not names_of.is_called_duration(column.name):
        return False
    return not (is_whole(column.numbers) and column.n_different <= 5)


def _is_seed(column: Column) -> bool:
    values = column.numbers
    if values is None or not names_of.is_called_seed(column.name):
        return False
    # numbers far beyond their count are those of a generator
    far = float(np.nanmax(values)) > 100.0 * len(values)
    one_each = column.is_unique and is_whole(values)
    return one_each and (far or _is_steady(values))


_SIGNS: tuple[tuple[Kind, Any], ...] = (
    ("status", _is_status),
    ("time", _is_time),
    ("number", _is_number),
    ("seed", _is_seed),
    ("id", _is_id),
    ("duration", _is_duration),
)


# ---------------------------------------------------------------------- what was measured


def _is_called_measured(column: Column, objective: Array) -> bool:
    """Say whether numbers were measured: their name says it, and their values do not deny it."""
    values = column.numbers
    if values is None:
        return False
    related = abs(rank_correlation(values, objective))
    if column.name in _ALSO_SET and _is_evenly_spread(values):
        return False
    is_called = names_of.is_called_measured(column.name)
    if is_called or names_of.came_out(column.name):
        is_many = column.n_different > max(2.0, _RELATED * len(values))
        is_rounded = column.n_different > 4 and related >= 0.5
        is_coarse = is_whole(values) and column.n_different <= _LEAST_ROWS
        return (is_many and not is_coarse) or is_rounded
    if not column.is_fine or not names_of.mentions_measurement(column.name):
        return False
    return related >= _RELATED or overlap(values, objective) >= 0.5


def _is_best_so_far(column: Column, objective: Array) -> bool:
    """Say whether numbers are the best of the objective up to each row."""
    if column.numbers is None or column.n_different < 3:
        return False
    if np.array_equal(column.numbers, objective):
        return False
    return any(
        np.array_equal(column.numbers, best.accumulate(objective))
        for best in (np.fmin, np.fmax)
    )


def results_among(
    columns: Sequence[Column], objective: Array
) -> dict[str, Kind]:
    """Return the columns in the order of the objective that are no hyperparameters.

    A hyperparameter may decide the objective alone. But it is spread as a design spreads it, and
    follows from no other one; what came out is not, and in the objective's range or its copy.
    """
    in_order = [
        column
        for column in columns
        if column.is_fine
        and column.numbers is not None
        and abs(rank_correlation(column.numbers, objective)) >= SAME_ORDER
    ]
    others = [column for column in columns if column not in in_order]
    found: dict[str, Kind] = {}
    for column in in_order:
        values: Any = column.numbers
        is_copy = _is_copy(values, objective)
        if not is_copy and overlap(values, objective) < 0.5:
            continue
        if not _is_evenly_spread(values) or _follow_from(others, values):
            found[column.name] = "copy" if is_copy else "metric"
    return found


def _follow_from(others: Sequence[Column], values: Array) -> bool:
    """Say whether others explain half of the variance of values, by ranks and their squares."""
    known = np.isfinite(values)
    terms = [np.ones(int(known.sum()))]
    for column in others[:_MOST_PARENTS]:
        if column.numbers is None:
            levels = np.unique(column.codes)[1:_LEAST_ROWS]
            terms += [(column.codes[known] == level) * 1.0 for level in levels]
            continue
        ranks = mean_ranks(np.nan_to_num(column.numbers[known]))
        line = 2.0 * ranks / len(ranks) - 1.0
        terms += [line, line**2]
    n_terms, n = len(terms), len(terms[0])
    if n_terms < 2 or n < 3 * n_terms:
        return False
    target = mean_ranks(values[known])
    target -= target.mean()
    design = np.column_stack(terms)
    rest = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    unexplained = (rest @ rest / (n - n_terms)) / (target @ target / (n - 1))
    return bool(unexplained <= 0.5)


def overlap(column: Array, objective: Array) -> float:
    """Return which part of the joint range both have, from the 5 % to the 95 % quantile of each."""
    first = np.nanquantile(column, (0.05, 0.95))
    known = objective[np.isfinite(objective)]
    if not len(known):
        return 0.0
    second = np.quantile(known, (0.05, 0.95))
    joint = max(first[1], second[1]) - min(first[0], second[0])
    shared = min(first[1], second[1]) - max(first[0], second[0])
    return float(shared / joint) if joint > 0.0 else 0.0


def _is_evenly_spread(values: Array) -> bool:
    """Say whether numbers are spread as a design spreads them, on a linear or logarithmic scale."""
    from scipy.stats import kstest

    known = values[np.isfinite(values)]
    scales = [known, np.log(known)] if known.min() > 0.0 else [known]
    for positions in scales:
        line = (positions - positions.min()) / np.ptp(positions)
        if kstest(line, "uniform").pvalue >= _NOT_EVEN:
            return True
    return False


def _is_copy(values: Array, objective: Array) -> bool:
    both = np.isfinite(values) & np.isfinite(objective)
    return bool(
        abs(np.corrcoef(values[both], objective[both])[0, 1]) > 1.0 - 1e-6
    )


# ---------------------------------------------------------------------- what follows from others


def derived(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """Return the columns that follow from one or two others in every row, and from which.

    The first of several that say the same stays. One that follows from two others has more values
    than each of them, as a size has: in a fractional design all have as many.
    """
    found: dict[str, tuple[str, ...]] = {}
    filled = [c for c in columns if len(c.present) == len(c.cells)]
    if not filled:
        return found
    rows = _different_configurations(filled)
    codes = {
        c.name: np.unique(rows[:, j], return_inverse=True)[1]
        for j, c in enumerate(filled)
    }
    levels = {name: int(own.max()) + 1 for name, own in codes.items()}
    several = [c.name for c in filled if 2 * levels[c.name] <= len(rows)]
    parents = several[:_MOST_PARENTS]
    for j, column in enumerate(filled):
        name, own = column.name, codes[column.name]
        twin = next(
            (
                other.name
                for other in filled[:j]
                if other.name not in found
                and _tell_the_same(column, other, own, codes[other.name])
            ),
            "",
        )
        if twin:
            found[name] = (twin,)
            continue
        fewer = [
            parent
            for parent in parents
            if parent not in found and levels[parent] < levels[name]
        ]
        if column.numbers is None:
            continue
        for first, second in combinations(fewer, 2):
            if levels[first] * levels[second] > len(rows):
                continue
            pair = codes[first] * levels[second] + codes[second]
            if _follows(own, pair):
                found[name] = (first, second)
                break
    return found


def _tell_the_same(
    column: Column, other: Column, own: Ints, others: Ints
) -> bool:
    """Say whether two columns tell the same, row by row, as in words or in other units."""
    if column.n_different != other.n_different:
        return False
    if _follows(own, others):
        return True
    if column.numbers is None or other.numbers is None:
        return False
    if not (column.is_fine and other.is_fine):
        return False
    order = rank_correlation(column.numbers, other.numbers)
    return column.n_different >= _LEAST_ROWS and abs(order) > 1.0 - 1e-9


def _follows(own: Ints, other: Ints) -> bool:
    """Say whether a column is a function of another, by more than coincidence."""
    value_of = np.zeros(int(other.max()) + 1, dtype=np.int64)
    for rows in (slice(_LOOK), slice(None)):  # most differ at once
        value_of[other[rows]] = own[rows]
        if (value_of[other[rows]] != own[rows]).any():
            return False
    # one configuration that was repeated often is no evidence
    counts = np.bincount(other)
    counts = counts[counts > 0]
    if (counts > 1).mean() < 0.5:
        return False
    evidence = (len(own) - len(counts)) * float(np.log2(own.max() + 1))
    return evidence >= _BITS


def _has_many_digits(column: Column) -> bool:
    """Say whether most numbers have more than six digits: drawn, not from a list."""
    if column.numbers is None:
        return False
    texts = [f"{value:.6g}" for value in column.numbers.tolist()]
    long = np.array([float(text) for text in texts]) != column.numbers
    return bool(long.mean() > 0.5) and not is_whole(column.numbers)


def _different_configurations(columns: Sequence[Column]) -> Ints:
    """Return the rows of codes that differ in more than what configurations are repeated on.

    These are seeds and folds by their names. And where all else is repeated equally often, or a
    number with many digits is, rows differ in what came out only.
    """
    codes = np.column_stack([column.codes for column in columns])
    is_set = np.array(
        [
            not names_of.is_called_seed(column.name)
            and not names_of.is_called_instance(column.name)
            and not names_of.is_called_budget(column.name, also_set=False)
            for column in columns
        ]
    )
    coarse = is_set & np.array([not column.is_fine for column in columns])
    for chosen in (coarse, is_set):
        if not chosen.any():
            continue
        _, first, counts = np.unique(
            codes[:, chosen], axis=0, return_index=True, return_counts=True
        )
        drawn = [c for c, own in zip(columns, chosen, strict=True) if own]
        are_repeats = counts.min() == counts.max() or any(
            map(_has_many_digits, drawn)
        )
        if chosen is is_set or are_repeats:
            return codes[np.sort(first)]
    return codes


# ---------------------------------------------------------------------- instances and budgets


def is_instance(column: Column, settings: Sequence[Column]) -> bool:
    """Say whether a column holds folds, data sets or seeds of the same configurations."""
    is_called = names_of.is_called_instance(
        column.name
    ) or names_of.is_called_seed(column.name)
    if not is_called or column.is_fine:
        return False
    return _share_of_repeated(column, settings) >= 0.5


def is_budget(column: Column, settings: Sequence[Column]) -> bool:
    """Say whether a column holds the budgets of the same configurations.

    A budget whose name is that of a hyperparameter, too (epochs), must have fewer configurations at
    its larger levels, as a halving search has; in a grid each level has as many.
    """
    name, values = column.name, column.numbers
    if values is None or np.isnan(values).any():
        return False
    if not names_of.is_called_budget(name, also_set=True):
        return False
    if _share_of_repeated(column, settings) < _RELATED:
        return False
    if names_of.is_called_budget(name, also_set=False):
        return True
    counts = np.unique(values, return_counts=True)[1]
    return bool((np.diff(counts) <= 0).all() and counts[0] >= 1.5 * counts[-1])


def _share_of_repeated(column: Column, settings: Sequence[Column]) -> float:
    """Return the share of rows whose configuration has several values of a column."""
    others = [c for c in settings if c.name != column.name]
    if not others:
        return 0.0
    groups = joint_codes(others, len(column.cells))
    pairs = np.unique(np.column_stack([groups, column.codes]), axis=0)
    n_values = np.bincount(pairs[:, 0], minlength=int(groups.max()) + 1)
    return float((n_values[groups] > 1).mean())
