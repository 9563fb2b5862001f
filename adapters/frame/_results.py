"""What came out of each row of a table: its objective, and why it does not count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._reading import level_of
from hpo_explain.adapters.frame._cells import as_float, is_empty, is_number
from hpo_explain.adapters.frame._number_text import texts_as_numbers
from hpo_explain.adapters.frame._roles import Roles
from hpo_explain.adapters.frame._status import read_status
from hpo_explain.adapters.frame._trials import Trials
from hpo_explain.adapters.frame.layouts import Layout
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Results:
    """What came out of n rows.

    Attributes
    ----------
    objective : ndarray of shape (n,)
        The objective; NaN where it does not count.
    stopped : mapping of int to Fact
        The rows that failed, were pruned, run or wait, and which of these.
    compared : mapping of int to Fact
        The rows of another fidelity than the one that counts.
    notes : tuple of Fact
        Which fidelity counts.
    """

    objective: Array
    stopped: Mapping[int, Fact]
    compared: Mapping[int, Fact]
    notes: tuple[Fact, ...]

    def ended(self, trials: Trials) -> dict[int, Fact]:
        """Return the trials that failed, were pruned, run or wait, by their numbers."""
        return trials.of_rows(self.stopped)

    def excluded(self, trials: Trials, name: str) -> dict[int, Fact]:
        """Return why trials without a result are left out, by their numbers."""
        return {
            **trials.evaluations.not_finite(self.objective, trials.numbers, name),
            **trials.of_rows(self.compared),
            **self.ended(trials),
        }


def read_results(
    table: pd.DataFrame,
    layout: Layout | None,
    roles: Roles,
    objective: Array,
    *,
    hyperparameters: Collection[str],
    level: float | None,
) -> Results:
    """Return what came out of the rows of a table.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    layout : Layout or None
        What is known of a framework's table.
    roles : Roles
        The columns that have a role.
    objective : ndarray of shape (n,)
        What stands in the objective's column.
    hyperparameters : collection of str
        The columns of the hyperparameters.
    level : float or None
        The fidelity that counts; None for the highest with a result.

    Raises
    ------
    InputError
        If a status is not known, or no row has the level.
    """
    stopped: dict[int, Fact] = {}
    if roles.status:
        stopped = read_status(table[roles.status], roles.status)
    elif layout is not None and layout.state not in [*roles.columns, *hyperparameters]:
        stopped = dict(layout.stopped)
    counted = objective.copy()
    counted[list(stopped)] = np.nan
    if not roles.fidelity:
        return Results(counted, stopped, {}, ())
    fidelity = read_numbers(table[roles.fidelity])
    at = level_of(roles.fidelity, fidelity, np.isfinite(counted), level)
    compared = at.reasons(np.arange(len(table)))
    counted[list(compared)] = np.nan
    return Results(counted, stopped, compared, tuple(at.notes()))


def read_objective(table: pd.DataFrame, name: str) -> Array:
    """Return a column of objectives; NaN where a cell is empty.

    Raises
    ------
    InputError
        If a cell is no number.
    """
    values = np.empty(len(table))
    for i, value in enumerate(texts_as_numbers(table[name]).tolist()):
        if is_empty(value):
            values[i] = np.nan
        elif is_number(value) or isinstance(value, (bool, np.bool_)):
            values[i] = as_float(value)
        else:
            raise InputError(
                "objective",
                f"{name!r} must be numeric, but is {value!r} in row {i}",
                value,
                "Choose another column, or convert it with pandas.to_numeric.",
            )
    return values


def read_numbers(column: pd.Series[Any]) -> Array:
    """Return a column of numbers; NaN where a cell is empty or is none."""
    cells = texts_as_numbers(column).tolist()
    return np.array(
        [as_float(cell) if is_number(cell) and not is_empty(cell) else np.nan for cell in cells]
    )
