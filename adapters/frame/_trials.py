"""The trials of a table: which rows each one has, its number, its place in the order, its times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.frame._instances import Evaluations, one_each, read_evaluations
from hpo_explain.adapters.frame._order import (
    check_finishes,
    order_of,
    read_seconds,
    trial_numbers,
)
from hpo_explain.adapters.frame._roles import Roles
from hpo_explain.base.facts import Fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Trials:
    """The g trials of a table.

    Attributes
    ----------
    evaluations : Evaluations
        The rows, each as an evaluation of a trial.
    numbers : ndarray of int, shape (g,)
        Their numbers.
    order : ndarray of int, shape (g,)
        Their places, in the order in which they were proposed.
    started, finished : ndarray of shape (g,) or None
        When they started and finished, in seconds, NaN where it is unknown; None without columns
        of both.
    notes : tuple of Fact
        What numbers them.
    """

    evaluations: Evaluations
    numbers: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    started: Array | None
    finished: Array | None
    notes: tuple[Fact, ...]

    def of_rows(self, facts: Mapping[int, Fact]) -> dict[int, Fact]:
        """Return facts about rows as facts about trials, by their numbers."""
        numbers = self.numbers[self.evaluations.configuration]
        return {int(numbers[row]): reason for row, reason in facts.items()}

    def times_without(self, objective: Array) -> dict[int, tuple[float, float]]:
        """Return start and finish of the trials without an objective, where the start is known."""
        if self.started is None or self.finished is None:
            return {}
        running = np.isnan(objective) & np.isnan(self.finished)
        ends = np.where(running, np.inf, self.finished)
        return {
            int(self.numbers[i]): (float(self.started[i]), float(ends[i]))
            for i in np.flatnonzero(~np.isfinite(objective) & ~np.isnan(self.started)).tolist()
        }


def read_trials(
    table: pd.DataFrame, roles: Roles, hyperparameters: Sequence[str], *, by_time: Fact | None
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
    by_time : Fact or None
        That trials without a number are numbered in the order of their times; None for that of
        the rows.

    Raises
    ------
    InputError
        If numbers or times cannot be read, or contradict each other, or rows of one trial differ.
    """
    evaluations, numbers = one_each(len(table)), None
    notes: list[Fact] = []
    if roles.trial:
        column = table[roles.trial]
        numbers, notes = trial_numbers(column, roles.trial, several=bool(roles.instance))
    if roles.instance:
        evaluations = read_evaluations(table, roles.instance, hyperparameters, numbers)
    rows = evaluations.first
    given = numbers is not None
    numbers = np.arange(len(rows)) if numbers is None else numbers[rows]
    times = list(roles.times)
    clocks = [read_seconds(table[name], name) for name in times]
    if len(clocks) == 2:
        check_finishes(clocks, table, times, numbers[evaluations.configuration].tolist())
    started = [evaluations.earliest(clock) for clock in clocks[:1]]
    finished = [evaluations.latest(clock) for clock in clocks[1:]]
    order = order_of(numbers, [*started, *finished], roles.trial or None, times)
    if by_time is not None and not given:
        notes = [*notes, by_time]
        numbers = np.argsort(order)
    return Trials(
        evaluations,
        numbers,
        order,
        started[0] if finished else None,
        finished[0] if finished else None,
        tuple(notes),
    )
