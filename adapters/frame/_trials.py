"""The trials of a table: which rows each one has, its number, its place in the order, its times."""

from __future__ import annotations

from collections.abc import Sequence
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
        counts = self._counts()
        of_cells = objective / counts[self.configuration, self.instance]
        return self.joined(of_cells, np.add, 0.0) / (counts > 0).sum(axis=1)

    def _counts(self) -> Ints:
        """Return how often each configuration was evaluated on each instance, (g, k)."""
        shape = len(self.first), len(self.names)
        cell = self.configuration * len(self.names) + self.instance
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def not_finite(self, objective: Array, trials: Sequence[int], name: str) -> dict[int, Fact]:
        """Return the trials whose objective is NaN or infinite on an instance, with the first."""
        reasons: dict[int, Fact] = {}
        for i in np.flatnonzero(~np.isfinite(objective)).tolist():
            where = f"{self.column} is {format_value(self.names[self.instance[i]])}"
            reasons.setdefault(trials[i], failed_as(f"its {name} is {objective[i]} where {where}"))
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
            text = f"instances: evaluated on the same instance again: {repeated}; their mean counts"
            notes.append(fact(text))
        return notes


def _grouped(
    table: pd.DataFrame, column: str, hyperparameters: Sequence[str], numbers: Ints | None
) -> Grouped:
    """Return the rows as evaluations: of equal trials, or without their numbers of equal cells.

    Raises
    ------
    InputError
        If a row has no instance.
    """
    cells = table[column].tolist()
    for i, cell in enumerate(cells):
        if is_empty(cell):
            problem = f"{column!r} is empty in row {i}"
            raise InputError("instance", problem, cell, "Fill it in, or leave the row out.")
    instance, first_of_instance = _codes([cell_key(cell) for cell in cells])
    columns = [list(map(cell_key, table[name].tolist())) for name in hyperparameters]
    of_trial = [] if numbers is None else [numbers.tolist()]
    configuration, first = _codes([*zip(*of_trial, *columns, strict=True)])
    names = tuple(cells[i] for i in first_of_instance)
    return Grouped(first, configuration, instance, names, column)


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


def read_trials(table: pd.DataFrame, roles: Roles, hyperparameters: Sequence[str]) -> Trials:
    """Return the trials of a table.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    roles : Roles
        The columns that have a role.
    hyperparameters : sequence of str
        The columns of the hyperparameters, which rows of the same trial have in common.

    Raises
    ------
    InputError
        If numbers or times cannot be read, or contradict each other.
    """
    every = np.arange(len(table))
    grouped, numbers = Grouped(every, every, np.zeros_like(every), (None,), ""), None
    notes: list[Fact] = []
    if roles.trial:
        numbers, notes = _trial_numbers(table[roles.trial], roles)
    if roles.instance:
        grouped = _grouped(table, roles.instance, hyperparameters, numbers)
    rows = grouped.first
    given = numbers is not None
    numbers = np.arange(len(rows)) if numbers is None else numbers[rows]
    _check_unique(numbers, roles.trial)
    times = list(roles.times)
    clocks = [read_seconds(table[name], name) for name in times]
    if len(clocks) == 2:
        _check_finishes(clocks, table, times, numbers[grouped.configuration].tolist())
    # as soon as one row is known to have started, until all are known to have finished
    started = [grouped.joined(clock, np.fmin, np.nan) for clock in clocks[:1]]
    finished = [grouped.joined(clock, np.maximum, -np.inf) for clock in clocks[1:]]
    order = np.argsort([*started, *finished, numbers][0], kind="stable")  # empty ones come last
    if times and not given:
        notes = [*notes, fact(f"trials: numbered in the order of {times[0]}")]
        numbers = np.argsort(order)
    unknown = np.full(len(rows), np.nan)
    start, finish = (started[0], finished[0]) if finished else (unknown, unknown)
    return Trials(grouped, numbers, order, start, finish, tuple(notes))


# ---------------------------------------------------------------------- numbers and order


def _trial_numbers(column: pd.Series[Any], roles: Roles) -> tuple[Ints, list[Fact]]:
    """Return the numbers of trials, or where they have names numbers in the order of the rows."""
    cells = texts_as_numbers(column).tolist()
    if all(map(_is_number_of_trial, cells)):
        return np.array([int(cell) for cell in cells], dtype=np.int64), []
    text = f"trials: {roles.trial} names them; they are numbered in the order of their rows"
    names = [cell_key(cell) if roles.instance else i for i, cell in enumerate(column.tolist())]
    return _codes(names)[0], [fact(text)]


def _check_unique(numbers: Ints, name: str) -> None:
    """Raise InputError if two trials have the same number."""
    found, counts = np.unique(numbers, return_counts=True)
    if (counts > 1).any():
        number = int(found[counts > 1][0])
        problem = f"{name!r} has the number {number} for more than one configuration or row"
        remedy: Text = (
            "Leave ",
            Option("trial"),
            " out: rows are then numbered from 0. Where a trial has one row per fold or data set, "
            "name that column in ",
            Option("instance"),
            ".",
        )
        raise InputError("trial", problem, number, remedy)


def _is_number_of_trial(cell: Any) -> bool:
    return is_number(cell) and abs(as_float(cell)) <= _LARGEST_NUMBER and cell == int(cell)


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
    problem = (
        f"must be (start, finish), but trial {trials[i]} (row {i}) finishes before it starts: "
        f"{names[0]!r} is {first} and {names[1]!r} is {last}"
    )
    raise InputError("time", problem, (first, last), "Correct the row, or swap the columns.")
