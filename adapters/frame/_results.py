"""What came out of each row of a table, what its steps reported, and which rows a model chose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._reading import (
    fits_conditions,
    level_of,
    positions,
    state_of,
)
from hpo_explain.adapters._sentinels import Sentinels
from hpo_explain.adapters.frame._cells import (
    is_empty,
    read_numbers,
    read_objective,
)
from hpo_explain.adapters.frame._columns import Roles, check_column
from hpo_explain.adapters.frame._layouts import Layout, read_status
from hpo_explain.adapters.frame._trials import Trials
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.options import State
from hpo_explain.base.text import declared_fact
from hpo_explain.run import Curves, WithoutResult
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    import pandas as pd

_YES, _NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0", "")

_UNKNOWN = declared_fact(
    "proposals_unknown",
    "proposals: a table does not say who chose its trials, so none counts as a proposal; "
    "{optimizer=}, {initial=} or {proposed=} tell",
)


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

    def excluded(self, trials: Trials, name: str) -> dict[int, Fact]:
        """Return why trials without a result are left out, by their numbers."""
        return {
            **trials.evaluations.not_finite(
                self.objective, trials.numbers, name
            ),
            **trials.of_rows(self.compared),
            **trials.of_rows(self.stopped),
        }


def read_results(
    table: pd.DataFrame,
    layout: Layout | None,
    roles: Roles,
    objective: Array,
    *,
    hyperparameters: Collection[str],
    level: float | None,
    asked: Sentinels,
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
    asked : Sentinels
        Which results stand for a failure.

    Raises
    ------
    InputError
        If a status is not known, or no row has the level.
    """
    stopped: dict[int, Fact] = {}
    if roles.status:
        stopped = read_status(table[roles.status], roles.status)
    elif layout is not None and layout.state not in [
        *roles.columns,
        *hyperparameters,
    ]:
        stopped = dict(layout.stopped)
    counted = objective.copy()
    counted[list(stopped)] = np.nan
    compared: dict[int, Fact] = {}
    notes: list[Fact] = []
    rows = np.arange(len(table))
    if roles.fidelity:
        fidelity = read_numbers(table[roles.fidelity])
        at = level_of(roles.fidelity, fidelity, np.isfinite(counted), level)
        compared, notes = at.reasons(rows), at.notes()
        counted[list(compared)] = np.nan
    failed = asked.excluded(counted, rows.tolist())
    counted[list(failed)] = np.nan
    return Results(counted, stopped | failed, compared, tuple(notes))


# ---------------------------------------------------------------------- learning curves


def last_of_each(
    table: pd.DataFrame, trial: str, fidelity: str, level: float | None
) -> pd.DataFrame:
    """Return one row for each trial (and instance) of a table of learning curves.

    That at the level, or where the trial did not reach it, its last one.
    """
    check_column("trial", trial, table)
    check_column("fidelity", fidelity, table)
    at = read_numbers(table[fidelity])
    wanted = np.nanmax(at) if level is None else level
    keys = table[trial].map(str)
    reached = {
        key for key, value in zip(keys, at, strict=True) if value == wanted
    }
    below = np.where(at > wanted, -np.inf, at)
    highest: dict[str, float] = {}
    for key, value in zip(keys, below.tolist(), strict=True):
        highest[key] = max(value, highest.get(key, -np.inf))
    last = [
        value == (wanted if key in reached else highest[key])
        for key, value in zip(keys, at.tolist(), strict=True)
    ]
    return table[last].reset_index(drop=True)


def read_curves(
    table: pd.DataFrame,
    roles: Roles,
    numbers: Mapping[str, int],
    encoded: Mapping[int, Array],
    level: float | None,
) -> Curves | None:
    """Return the learning curves of a table, if trials reported any.

    Parameters
    ----------
    table : pandas.DataFrame
        The table, with a row for each step.
    roles : Roles
        The columns that have a role.
    numbers : mapping of str to int
        The number of each trial, by what stands in its column.
    encoded : mapping of int to ndarray of shape (d,)
        The encoded configurations, by these numbers.
    level : float or None
        The step up to which they go; None for all.
    """
    found: dict[int, dict[float, float]] = {}
    columns = (
        table[roles.trial].map(str).tolist(),
        read_numbers(table[roles.fidelity]).tolist(),
        read_objective(table, roles.objective).tolist(),
    )
    for key, step, value in zip(*columns, strict=True):
        if (
            key in numbers
            and not np.isnan(step)
            and (level is None or step <= level)
        ):
            found.setdefault(numbers[key], {})[step] = value
    return Curves.of(found, encoded, step_name=roles.fidelity)


def encoded_of(
    space: SearchSpace, cells: pd.DataFrame, trials: Iterable[int]
) -> dict[int, Array]:
    """Return the encoded configurations of some trials, without those outside the space."""
    found = {}
    for trial in trials:
        try:
            found[trial] = space.encode(cells.loc[[trial]])[0]
        except ValueError:
            continue
    return found


# ---------------------------------------------------------------------- trials without a result


def read_without_result(
    configs: pd.DataFrame,
    reasons: Mapping[int, Fact],
    space: SearchSpace,
    by_model: Collection[int],
    *,
    known: bool,
    reported: Collection[int] = (),
) -> dict[int, WithoutResult]:
    """Return the trials that gave no result, those with a value outside the space left out.

    Parameters
    ----------
    configs : pandas.DataFrame
        Their hyperparameters, indexed by the trials' numbers.
    reasons : mapping of int to Fact
        Why trials are left out.
    space : SearchSpace
        The run's search space.
    by_model : collection of int
        Trials that a model chose.
    known : bool
        Whether it is known which these are.
    reported : collection of int
        Trials that have a value, though it does not count.
    """
    states = {trial: state_of(why) for trial, why in reasons.items()}
    without = {
        trial: state for trial, state in states.items() if state is not None
    }
    rows = configs.loc[list(without)]
    X = np.full((len(rows), len(space)), np.nan)
    fits = np.ones(len(rows), dtype=bool)
    for j, parameter in enumerate(space):
        cells = rows[parameter.name].tolist()
        full = [i for i, cell in enumerate(cells) if not is_empty(cell)]
        found, _ = positions(parameter, [cells[i] for i in full])
        X[full, j], fits[full] = found, fits[full] & ~np.isnan(found)
    fits &= fits_conditions(space, X)
    return {
        trial: WithoutResult(
            state,
            x,
            _origin(state, by_model=trial in by_model, known=known),
            trial in by_model and state != "waiting",
            trial in reported,
        )
        for (trial, state), x, fitting in zip(
            without.items(), X, fits.tolist(), strict=True
        )
        if fitting
    }


def _origin(state: State, *, by_model: bool, known: bool) -> Origin:
    """Return who chose a trial without a result."""
    if state == "waiting":
        return Origin.ENQUEUED
    if by_model:
        return Origin.MODEL
    return Origin.INITIAL if known else Origin.UNKNOWN


# ---------------------------------------------------------------------- proposals


def read_proposed(
    table: pd.DataFrame,
    layout: Layout | None,
    trials: Trials,
    *,
    initial: int | None,
    proposed: object,
    optimizer: str | None,
) -> tuple[set[int], bool, list[Fact]]:
    """Return the numbers of the trials that a model chose, whether that is known, and notes.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    layout : Layout or None
        What a framework says about it.
    trials : Trials
        Its trials.
    initial : int or None
        How many came first and were chosen by no model: the others were.
    proposed : str, bool, sequence of int or None
        A column that says so, whether all were, or the numbers of those that were.
    optimizer : str or None
        The optimizer, which chose all of them where nothing else is said.

    Raises
    ------
    InputError
        If there are fewer trials than `initial`, a trial does not exist, or a cell says neither
        yes nor no.
    """
    numbers, first = trials.numbers, trials.evaluations.first
    ordered = numbers[trials.order].tolist()
    if initial is not None and proposed is not None:
        problem = "cannot be given together with proposed"
        raise InputError("initial", problem, initial, "Choose one.")
    if initial is not None and initial > len(ordered):
        problem = f"is {initial}, but frame has {len(ordered)} trials"
        raise InputError("initial", problem, initial, "Lower it.")
    if isinstance(proposed, str):
        cells = table[proposed].iloc[first].tolist()
        chosen = {
            int(n)
            for n, cell in zip(numbers, cells, strict=True)
            if _is_yes(cell, proposed)
        }
        return chosen, True, []
    if isinstance(proposed, (bool, np.bool_)):
        return {*ordered} if proposed else set(), True, []
    if proposed is not None:
        return _named(proposed, ordered), True, []
    if initial is not None or optimizer is not None:
        return {*ordered[initial or 0 :]}, True, []
    if layout is not None and layout.proposed is not None:
        rows = np.array(layout.proposed)[first]
        return {*numbers[rows].tolist()}, True, []
    return set(), False, [_UNKNOWN()]


def _is_yes(cell: Any, column: str) -> bool:
    text = "" if is_empty(cell) else str(cell).strip().lower()
    if text not in (*_YES, *_NO):
        problem = f"{column!r} must say True or False, but has {cell!r}"
        raise InputError(
            "proposed", problem, cell, "Name another column, or the trials."
        )
    return text in _YES


def _named(proposed: object, ordered: list[int]) -> set[int]:
    if not isinstance(proposed, Iterable):
        problem = f"must be a column, True, or numbers of trials, but was {proposed!r}"
        raise InputError("proposed", problem, proposed)
    found = {int(number) for number in proposed}
    for number in sorted(found - {*ordered}):
        raise unknown_name("proposed", number, ordered, "trial")
    return found
