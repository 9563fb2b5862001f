"""The trials of a table: which rows each one has, its number, its place in the order, its times."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import (
    as_float,
    cell_key,
    is_empty,
    is_number,
    read_seconds,
    texts_as_numbers,
)
from hpo_explain.adapters._reading import failed_as, mean_over_instances
from hpo_explain.adapters.frame._columns import Roles
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, Text, fact
from hpo_explain.base.numbers import format_value
from hpo_explain.run import Instances
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd

# a Run takes numbers as floats, which are exact up to here
_LARGEST_NUMBER = 2**53


@dataclass(frozen=True, eq=False)
class Grouped:
    """n rows that evaluate g configurations on k instances.

    Attributes
    ----------
    first : ndarray of int, shape (g,)
        The first row of each configuration.
    configuration : ndarray of int, shape (n,)
        The configuration of each row, as an index into `first`.
    instance : ndarray of int, shape (n,)
        The instance of each row, as an index into `names`.
    names : tuple
        The instances, in the order in which they first occur.
    column : str
        The column that names them; empty where every row is a configuration of its own.
    """

    first: Ints
    configuration: Ints
    instance: Ints
    names: tuple[Any, ...]
    column: str

    def joined(self, values: Array, join: np.ufunc, start: float) -> Array:
        """Return what a function of two numbers makes of the rows of each configuration."""
        found = np.full(len(self.first), start)
        with np.errstate(invalid="ignore"):  # NaN is what is not known
            join.at(found, self.configuration, values)
        return found

    def mean(self, objective: Array) -> Array:
        """Return each configuration's mean over its instances (over repetitions before that)."""
        if not self.column:
            return objective
        counts = self._counts()
        cell = self.configuration * len(self.names) + self.instance
        finite = np.where(np.isfinite(objective), objective, np.nan)
        sums = np.bincount(cell, finite, counts.size).reshape(counts.shape)
        means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        return means.sum(axis=1) / (counts > 0).sum(axis=1)

    def _counts(self) -> Ints:
        """Return how often each configuration was evaluated on each instance, (g, k)."""
        shape = len(self.first), len(self.names)
        cell = self.configuration * len(self.names) + self.instance
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def not_finite(self, objective: Array, trials: Ints, name: str) -> dict[int, Fact]:
        """Return the trials whose objective is NaN or infinite on an instance, with the first."""
        if not self.column:
            return {}
        reasons: dict[int, Fact] = {}
        for i in np.flatnonzero(~np.isfinite(objective)).tolist():
            where = f"{self.column} is {format_value(self.names[self.instance[i]])}"
            reason = failed_as(f"its {name} is {objective[i]} where {where}")
            reasons.setdefault(int(trials[self.configuration[i]]), reason)
        return reasons

    def of(self, configurations: Ints, X: Array, objective: Array) -> Instances:
        """Return the evaluations of some configurations, whose encoded rows are `X`."""
        position = np.full(len(self.first), -1)
        position[configurations] = np.arange(len(configurations))
        rows = np.flatnonzero(position[self.configuration] >= 0)
        at = position[self.configuration[rows]]
        return Instances(self.names, X[at], self.instance[rows], objective[rows])

    def notes(self, name: str) -> list[Fact]:
        """Return what was averaged over, and whether it is no instance or was repeated."""
        if not self.column:
            return []
        counts = self._counts()
        notes = [mean_over_instances(name, self.column, self.names)]
        if len(self.names) > 1 and ((counts > 0).sum(axis=1) == 1).all():
            not_shared = (
                "instances: no configuration was evaluated on more than one; if a column is not a "
                "hyperparameter, name those that are in "
            )
            notes.append(fact(not_shared, Option("hyperparameters"), role="check"))
        repeated = int(np.maximum(counts - 1, 0).sum())
        if repeated:
            again = "instances: rows that evaluate a configuration on the same instance again"
            notes.append(fact(f"{again}: {repeated}; their mean counts"))
        return notes


def _one_each(n: int) -> Grouped:
    """Return n rows that each evaluate a configuration of their own, on no instance."""
    rows = np.arange(n)
    return Grouped(rows, rows, np.zeros(n, dtype=np.int64), (None,), "")


def _grouped(
    table: pd.DataFrame, column: str, hyperparameters: Sequence[str], numbers: Ints | None
) -> Grouped:
    """Return the rows as evaluations: of equal trials, or without their numbers of equal cells.

    Raises
    ------
    InputError
        If a row has no instance, or the rows of one trial differ in a hyperparameter.
    """
    cells = table[column].tolist()
    for i, cell in enumerate(cells):
        if is_empty(cell):
            problem = f"{column!r} is empty in row {i}"
            raise InputError("instance", problem, cell, "Fill it in, or leave the row out.")
    instance, first_of_instance = _codes([cell_key(cell) for cell in cells])
    columns = [list(map(cell_key, table[name].tolist())) for name in hyperparameters]
    keys = [tuple(column[i] for column in columns) for i in range(len(table))]
    configuration, first = _codes(keys if numbers is None else numbers.tolist())
    if numbers is not None:
        _check_one_configuration(table, hyperparameters, numbers, keys, first[configuration])
    names = tuple(cells[i] for i in first_of_instance)
    return Grouped(first, configuration, instance, names, column)


def _check_one_configuration(
    table: pd.DataFrame,
    hyperparameters: Sequence[str],
    numbers: Ints,
    keys: Sequence[tuple[Hashable, ...]],
    first: Ints,
) -> None:
    for i, key in enumerate(keys):
        if key == keys[first[i]]:
            continue
        pairs = zip(key, keys[first[i]], hyperparameters, strict=True)
        name = next(name for one, other, name in pairs if one != other)
        cells = table[name].tolist()
        problem = (
            f"has {name} = {cells[first[i]]!r} in row {first[i]} of trial {numbers[i]}, but "
            f"{cells[i]!r} in row {i}"
        )
        same = "All rows of a trial must have the same hyperparameters; without "
        remedy = (same, Option("trial"), " equal rows are taken together.")
        raise InputError("frame", problem, cells[i], remedy)


def _codes(keys: Sequence[Any]) -> tuple[Ints, Ints]:
    """Return for each key the number of its kind, and where each kind occurs first."""
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
    return codes, np.unique(codes, return_index=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Trials:
    """The g trials of a table.

    Attributes
    ----------
    rows : Grouped
        Which rows are of which trial.
    numbers : ndarray of int, shape (g,)
        Their numbers.
    order : ndarray of int, shape (g,)
        Their places, in the order in which they were proposed.
    started, finished : ndarray of shape (g,)
        When they started and finished, in seconds, NaN where it is unknown, as without columns of
        both.
    notes : tuple of Fact
        What numbers them.
    """

    rows: Grouped
    numbers: Ints
    order: Ints
    started: Array
    finished: Array
    notes: tuple[Fact, ...]


def read_trials(
    table: pd.DataFrame, roles: Roles, hyperparameters: Sequence[str], *, by_time: bool
) -> Trials:
    """Return the trials of a table.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    roles : Roles
        The columns that have a role.
    hyperparameters : sequence of str
        The columns of the hyperparameters, which rows of the same trial have in common.
    by_time : bool
        Whether trials without a number are numbered in the order of their times, not of the rows.

    Raises
    ------
    InputError
        If numbers or times cannot be read, or contradict each other, or rows of one trial differ.
    """
    grouped, numbers = _one_each(len(table)), None
    notes: list[Fact] = []
    if roles.trial:
        column = table[roles.trial]
        numbers, notes = _trial_numbers(column, roles.trial, several=bool(roles.instance))
    if roles.instance:
        grouped = _grouped(table, roles.instance, hyperparameters, numbers)
    rows = grouped.first
    given = numbers is not None
    numbers = np.arange(len(rows)) if numbers is None else numbers[rows]
    times = list(roles.times)
    clocks = [read_seconds(table[name], name) for name in times]
    if len(clocks) == 2:
        _check_finishes(clocks, table, times, numbers[grouped.configuration].tolist())
    # as soon as one row is known to have started, until all are known to have finished
    started = [grouped.joined(clock, np.fmin, np.nan) for clock in clocks[:1]]
    finished = [grouped.joined(clock, np.maximum, -np.inf) for clock in clocks[1:]]
    order = _order_of(numbers, [*started, *finished], roles.trial, times)
    if by_time and not given:
        notes = [*notes, fact(f"trials: numbered in the order of {times[0]}")]
        numbers = np.argsort(order)
    unknown = np.full(len(rows), np.nan)
    start, finish = (started[0], finished[0]) if finished else (unknown, unknown)
    return Trials(grouped, numbers, order, start, finish, tuple(notes))


# ---------------------------------------------------------------------- numbers and order


def _trial_numbers(column: pd.Series[Any], name: str, *, several: bool) -> tuple[Ints, list[Fact]]:
    """Return the numbers of trials, or where they have names numbers in the order of the rows.

    Parameters
    ----------
    column : pandas.Series
        The numbers or names.
    name : str
        What the column is called.
    several : bool
        Whether a trial has several rows.

    Raises
    ------
    InputError
        If one is not a whole number, is too large, or occurs twice though they should be unique.
    """
    if not _are_names(column):
        return _read_numbers(texts_as_numbers(column), name, unique=not several), []
    known: dict[Any, int] = {}
    keys = [cell_key(cell) if several else i for i, cell in enumerate(column.tolist())]
    numbers = [known.setdefault(key, len(known)) for key in keys]
    text = f"trials: {name} names them; they are numbered in the order of their rows"
    return np.array(numbers, dtype=np.int64), [fact(text)]


def _read_numbers(column: pd.Series[Any], name: str, *, unique: bool) -> Ints:
    """Return the numbers of trials.

    Raises
    ------
    InputError
        If one is not a whole number, is too large, or occurs twice though they should be unique.
    """
    values = column.tolist()
    remedy = ("Leave ", Option("trial"), " out: rows are then numbered from 0.")
    for i, value in enumerate(values):
        if not _is_whole(value) or abs(value) > _LARGEST_NUMBER:
            most = " of at most 2**53" if _is_whole(value) else ""
            problem = f"{name!r} must hold whole numbers{most}, but is {value!r} in row {i}"
            raise InputError("trial", problem, value, remedy)
    numbers = np.array([int(v) for v in values], dtype=np.int64)
    found, counts = np.unique(numbers, return_counts=True)
    if unique and (counts > 1).any():
        number = int(found[counts > 1][0])
        row_per = " Where a trial has one row per fold or data set, name that column in "
        several = (row_per, Option("instance"), ".")
        problem = f"{name!r} has the number {number} more than once"
        raise InputError("trial", problem, number, (*remedy, *several))
    return numbers


def _are_names(column: pd.Series[Any]) -> bool:
    """Say whether a column holds names of trials: text, and not only that of numbers."""
    present = [cell for cell in column.tolist() if not is_empty(cell)]
    texts = bool(present) and all(isinstance(cell, str) for cell in present)
    return texts and not any(is_number(cell) for cell in texts_as_numbers(column).tolist())


def _is_whole(value: Any) -> bool:
    return is_number(value) and math.isfinite(as_float(value)) and value == int(value)


def _check_finishes(
    clocks: list[Array], table: pd.DataFrame, names: list[str], trials: Sequence[int]
) -> None:
    """Raise InputError if a row finishes before it starts; `trials` are the rows' numbers."""
    start, finish = clocks
    early = finish < start  # False where one of them is empty
    if not early.any():
        return
    i = int(np.flatnonzero(early)[0])
    first, last = (table[name].iloc[i] for name in names)
    remedy: Text = "Correct the row, or leave it out."
    if early.sum() == (~np.isnan(finish - start)).sum():
        remedy = ("If the two were swapped, give ", Option("time", (names[1], names[0])), ".")
    problem = (
        f"must be (start, finish), but trial {trials[i]} (row {i}) finishes before it starts: "
        f"{names[0]!r} is {first} and {names[1]!r} is {last}"
    )
    raise InputError("time", problem, (first, last), remedy)


def _order_of(numbers: Ints, clocks: list[Array], trial: str, times: list[str]) -> Ints:
    """Return the positions of trials in the order in which they were proposed.

    Raises
    ------
    InputError
        If numbers and a single time contradict each other.
    """
    if not clocks:
        return np.argsort(numbers, kind="stable")
    order = np.argsort(clocks[0], kind="stable")  # empty ones come last
    if len(clocks) == 1 and trial and (np.diff(numbers[order]) < 0).any():
        problem = f"{trial!r} and time {times[0]!r} put the rows in different orders"
        remedy = ("Leave one out, or name both start and finish in ", Option("time"), ".")
        raise InputError("trial", problem, trial, remedy)
    return order
