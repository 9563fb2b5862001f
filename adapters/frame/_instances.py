"""The rows of a table as evaluations: of which configuration, and on which instance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters._reading import INSTANCES_MISSING, MEAN_OVER_INSTANCES, not_finite
from hpo_explain.adapters.frame._cells import cell_key, is_empty
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.text import declared_fact
from hpo_explain.run import Instances
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_NOT_FINITE = declared_fact(
    "not_finite_on_instance",
    "its {objective} is {value} where {column} is {instance}",
    objective=lambda fact: fact.names[0],
    column=lambda fact: fact.names[1],
)


@dataclass(frozen=True, eq=False)
class Evaluations:
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

    first: npt.NDArray[np.int64]
    configuration: npt.NDArray[np.int64]
    instance: npt.NDArray[np.int64]
    names: tuple[Any, ...]
    column: str

    def earliest(self, times: Array) -> Array:
        """Return the earliest known time of each configuration."""
        earliest = np.full(len(self.first), np.nan)
        np.fmin.at(earliest, self.configuration, times)
        return earliest

    def latest(self, times: Array) -> Array:
        """Return the latest time of each configuration, NaN where one of them is unknown."""
        latest = np.full(len(self.first), np.nan)
        np.fmax.at(latest, self.configuration, times)
        latest[self.configuration[np.isnan(times)]] = np.nan
        return latest

    def total(self, values: Array) -> Array:
        """Return each configuration's sum over its rows, NaN where one of them is unknown."""
        return np.asarray(np.bincount(self.configuration, values, len(self.first)), dtype=float)

    def mean(self, objective: Array) -> Array:
        """Return each configuration's mean over its instances (over repetitions before that)."""
        counts = self._counts()
        cell = self.configuration * len(self.names) + self.instance
        finite = np.where(np.isfinite(objective), objective, np.nan)
        sums = np.bincount(cell, finite, counts.size).reshape(counts.shape)
        means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        return np.asarray(means.sum(axis=1) / (counts > 0).sum(axis=1))

    def _counts(self) -> npt.NDArray[np.int64]:
        """Return how often each configuration was evaluated on each instance, (g, k)."""
        shape = len(self.first), len(self.names)
        cell = self.configuration * len(self.names) + self.instance
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def not_finite(
        self, objective: Array, trials: npt.NDArray[np.int64], name: str
    ) -> dict[int, Fact]:
        """Return the trials whose objective is NaN or infinite on an instance, with the first."""
        if not self.column:
            return not_finite(objective, trials, name)
        reasons: dict[int, Fact] = {}
        for i in np.flatnonzero(~np.isfinite(objective)).tolist():
            instance = self.names[self.instance[i]]
            reason = _NOT_FINITE(
                names=[name, self.column],
                value=str(objective[i]),
                instance=instance,
            )
            reasons.setdefault(int(trials[self.configuration[i]]), reason)
        return reasons

    def of(self, configurations: npt.NDArray[np.int64], X: Array, objective: Array) -> Instances:
        """Return the evaluations of some configurations, whose encoded rows are `X`."""
        position = np.full(len(self.first), -1)
        position[configurations] = np.arange(len(configurations))
        rows = np.flatnonzero(position[self.configuration] >= 0)
        at = position[self.configuration[rows]]
        return Instances(self.names, X[at], self.instance[rows], objective[rows])

    def notes(self, trials: npt.NDArray[np.int64], name: str) -> list[Fact]:
        """Return what was averaged over, and what is missing."""
        if not self.column:
            return []
        counts = self._counts()
        notes = [MEAN_OVER_INSTANCES(names=[name, self.column], instances=self.names)]
        partly = (counts == 0).any(axis=1)
        if len(self.names) > 1 and ((counts > 0).sum(axis=1) == 1).all():
            notes.append(fact("instances_not_shared", names=[self.column]))
        elif partly.any():
            notes.append(INSTANCES_MISSING(trials=trials[partly]))
        repeated = int(np.maximum(counts - 1, 0).sum())
        if repeated:
            notes.append(fact("instances_repeated", count=repeated))
        return notes


def one_each(n: int) -> Evaluations:
    """Return n rows that each evaluate a configuration of their own, on no instance."""
    rows = np.arange(n)
    return Evaluations(rows, rows, np.zeros(n, dtype=np.int64), (None,), "")


def read_evaluations(
    table: pd.DataFrame,
    column: str,
    hyperparameters: Sequence[str],
    numbers: npt.NDArray[np.int64] | None,
) -> Evaluations:
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
    return Evaluations(first, configuration, instance, names, column)


def _check_one_configuration(
    table: pd.DataFrame,
    hyperparameters: Sequence[str],
    numbers: npt.NDArray[np.int64],
    keys: Sequence[tuple[Hashable, ...]],
    first: npt.NDArray[np.int64],
) -> None:
    for i, key in enumerate(keys):
        if key == keys[first[i]]:
            continue
        pairs = zip(key, keys[first[i]], hyperparameters, strict=True)
        name = next(name for one, other, name in pairs if one != other)
        cells = table[name].tolist()
        raise InputError(
            "frame",
            f"has {name} = {cells[first[i]]!r} in row {first[i]} of trial {numbers[i]}, but "
            f"{cells[i]!r} in row {i}",
            cells[i],
            (
                "All rows of a trial must have the same hyperparameters; without ",
                Option("trial"),
                " equal rows are taken together.",
            ),
        )


def _codes(keys: Sequence[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return for each key the number of its kind, and where each kind occurs first."""
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)
    return codes, np.unique(codes, return_index=True)[1].astype(np.int64)
