"""A table of trials, turned into a Run: one row per trial, one column per hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count, check_direction, unknown_name
from hpo_explain.adapters._reading import nothing_left, repeated
from hpo_explain.adapters.frame._cells import as_float, is_empty, is_number
from hpo_explain.adapters.frame._instances import one_each, read_evaluations
from hpo_explain.adapters.frame._optuna_table import (
    NUMBER,
    PREFIX,
    STATE,
    is_optuna_table,
    unfinished,
)
from hpo_explain.adapters.frame._order import check_finishes, order_of, read_numbers, read_seconds
from hpo_explain.adapters.frame._pending import read_without_result
from hpo_explain.adapters.frame._space import infer_space, trials_of_ranges
from hpo_explain.errors import InputError, NothingToExplain
from hpo_explain.facts import Fact, fact
from hpo_explain.options import Direction
from hpo_explain.run import Run
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


def from_frame(
    frame: pd.DataFrame,
    objective: str,
    direction: Direction = "minimize",
    space: SearchSpace | None = None,
    *,
    hyperparameters: Sequence[str] | None = None,
    initial: int = 0,
    trial: str | None = None,
    time: str | tuple[str, str] | None = None,
    instance: str | None = None,
) -> Run:
    """Read a table with one row per trial: an export of W&B, Ray or MLflow, or a CSV file.

    Without `space` it is inferred. Text, booleans and categories become categorical hyperparameters
    with the choices that occur, numbers get the range that occurs, on a logarithmic scale where
    they are positive and span three decades or more. Columns of dates, times and durations are left
    out, those written as text (ISO 8601, or as pandas writes durations) unless `hyperparameters`
    names them. Where a cell is empty the hyperparameter was inactive: the condition is inferred
    from which rows have it, and where no other hyperparameter explains that, it counts as active at
    the frequency that occurs. The run's notes say what was inferred.

    The table that Optuna's ``study.trials_dataframe()`` returns is recognized by its columns
    `number`, `state` and `params_...`: the last ones are the hyperparameters, `number` numbers the
    trials unless another column orders them, and rows whose `state` is not COMPLETE are left out
    (``run.without_result`` holds their configurations).

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials. A column that a number or tuple names is given by it, and read as its text.
    objective : str
        Column of the objective; rows in which it is NaN or infinite are left out.
    direction : {"minimize", "maximize"}, default "minimize"
        Which way is better.
    space : SearchSpace, optional
        The search space, whose names are columns.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters; by default, and without `space`, every other column.
        Of Optuna's own table those that start with ``params_``.
    initial : int, default 0
        How many trials came first and were not chosen by a model. All others are proposals.
    trial : str, optional
        Column of the trial numbers, which also order the rows; by default rows are numbered
        from 0. Of Optuna's own table `number`.
    time : str or tuple of two str, optional
        Column of a time that orders the rows, or columns of start and finish, by which what was
        known when a trial was proposed is decided: seconds, or timestamps as dates or ISO 8601, but
        not durations. A trial without finish and objective counts as still running.
    instance : str, optional
        Column of the fold, data set or seed, where a trial has one row for each of them: rows of
        the same number (`trial`), or else of the same configuration. The objective of the trial
        is then the mean over its instances, and the run's `instances` holds every value.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If a column is missing, the objective is not numeric, a row is outside `space`, or a trial
        finishes before it starts.
    NothingToExplain
        If there is no row with a finite objective.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame(
    ...     {"lr": [1e-4, 1e-2, 0.3], "booster": ["dart", "gbtree", "dart"], "auc": [0.7, 0.9, 0.8]}
    ... )
    >>> run = hx.from_frame(table, objective="auc", direction="maximize")
    >>> run.space["lr"].log, run.incumbent
    (True, {'lr': 0.01, 'booster': 'gbtree'})

    One row per configuration and fold:

    >>> table = pd.DataFrame(
    ...     {"lr": [0.1, 0.1, 0.2, 0.2], "fold": [1, 2, 1, 2], "loss": [4.0, 2.0, 1.0, 2.0]}
    ... )
    >>> run = hx.from_frame(table, objective="loss", instance="fold")
    >>> run.objective.tolist(), run.instances.names, run.instances.objective.tolist()
    ([3.0, 1.5], (1, 2), [4.0, 2.0, 1.0, 2.0])
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InputError(
            "frame",
            f"must be a pandas.DataFrame, but was a {type(frame).__name__}",
            type(frame).__name__,
            "Make one with pandas.DataFrame(...) or pandas.read_csv(...).",
        )
    check_direction(direction)
    check_count("initial", initial, minimum=0)
    table = _with_text_names(frame)
    if len(table) == 0:
        raise NothingToExplain(fact("table_empty"))
    # columns may be named by numbers and tuples, hyperparameters by text only
    objective = str(objective)
    trial = None if trial is None else str(trial)
    instance = None if instance is None else str(instance)
    times = _times(table, time)
    from_study = is_optuna_table(table)
    roles = _roles(table, objective, trial, times, instance)
    names, notes = _hyperparameters(table, hyperparameters, space, roles, from_study=from_study)
    if from_study and len(roles) == 1 and NUMBER not in [*roles, *names]:
        # rows of several studies have the same numbers
        trial = NUMBER if table[NUMBER].is_unique else None

    values = _objective(table, objective)
    stopped: dict[int, Fact] = {}
    if from_study and STATE not in [*roles, *names]:
        stopped = unfinished(table)
        values[list(stopped)] = np.nan
    evaluations = one_each(len(table))
    numbers = None
    if trial is not None:
        numbers = read_numbers(table[trial], trial, unique=instance is None)
    if instance is not None:
        evaluations = read_evaluations(table, instance, names, numbers)
    rows = evaluations.first
    numbers = np.arange(len(rows)) if numbers is None else numbers[rows]
    clocks = [read_seconds(table[name], name) for name in times]
    if len(clocks) == 2:
        check_finishes(clocks, table, times, numbers[evaluations.configuration].tolist())
    starts = [evaluations.earliest(clock) for clock in clocks[:1]]
    finishes = [evaluations.latest(clock) for clock in clocks[1:]]
    order = order_of(numbers, [*starts, *finishes], trial, times)
    if len(times) == 1 and trial is None:
        notes.append(fact("numbered_by_time", names=times))
        numbers = np.argsort(order)
    means = evaluations.mean(values)
    notes += evaluations.notes(numbers, objective)
    excluded = evaluations.not_finite(values, numbers, objective)
    ended = {
        int(numbers[evaluations.configuration[row]]): reason for row, reason in stopped.items()
    }
    excluded |= ended
    kept = order[np.isfinite(means[order])]
    if not len(kept):
        raise nothing_left("frame", excluded)
    ranges_from: dict[str, list[int]] = {}
    if space is None:
        configs = table[names].iloc[rows]
        space, X, inferred = infer_space(
            configs, kept, numbers[kept], chosen=hyperparameters is not None
        )
        notes += inferred
        ranges_from = trials_of_ranges(space, configs.iloc[order], numbers[order])
    else:
        X = space.encode(table[names].iloc[rows[kept]])
    return Run(
        space,
        X,
        means[kept],
        direction,
        trials=numbers[kept],
        proposals=_proposals(numbers[order], numbers[kept], initial),
        excluded=excluded,
        notes=notes + repeated(X),
        started=starts[0][kept] if finishes else None,
        finished=finishes[0][kept] if finishes else None,
        excluded_times=_excluded_times(numbers, means, *starts, *finishes) if finishes else {},
        without_result=read_without_result(
            table[names].iloc[rows].set_axis(numbers), ended, space, numbers[order][:initial]
        )
        if instance is None
        else {},
        objective_name=objective,
        instances=None if instance is None else evaluations.of(kept, X, values),
        ranges_from=ranges_from,
    )


def _roles(
    table: pd.DataFrame, objective: str, trial: str | None, times: list[str], instance: str | None
) -> list[str]:
    """Return the columns with another role than that of a hyperparameter: one role each."""
    given = [("objective", objective), ("trial", trial)]
    given += [*(("time", name) for name in times), ("instance", instance)]
    roles: dict[str, str] = {}
    for argument, name in given:
        if name is None:
            continue
        _check_column(argument, name, table)
        if name in roles:
            problem = f"names {name!r}, which {roles[name]} does already"
            raise InputError(argument, problem, name, "Choose another column.")
        roles[name] = argument
    return list(roles)


def _times(table: pd.DataFrame, time: object) -> list[str]:
    """Return the columns of the times: none, one, or start and finish."""
    if time is None:
        return []
    # a tuple may be the name of one column
    if not isinstance(time, (list, tuple)) or str(time) in table.columns:
        return [str(time)]
    if len(time) > 2:
        raise InputError(
            "time", f"must name one column, or start and finish, but was {time!r}", time
        )
    return [str(name) for name in time]


def _with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    names = [str(column) for column in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problem = f"has the column {', '.join(twice)} more than once"
        raise InputError("frame", problem, twice, "Rename one.")
    table = frame.reset_index(drop=True)
    table.columns = names  # of the new frame: reset_index copied it
    return table


def _check_column(argument: str, name: str, table: pd.DataFrame) -> None:
    if name not in table.columns:
        raise unknown_name(argument, name, table.columns, "column")


def _objective(table: pd.DataFrame, name: str) -> Array:
    _check_column("objective", name, table)
    values = np.empty(len(table))
    for i, value in enumerate(table[name].tolist()):
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


def _hyperparameters(
    table: pd.DataFrame,
    hyperparameters: Sequence[str] | None,
    space: SearchSpace | None,
    roles: list[str],
    *,
    from_study: bool,
) -> tuple[list[str], list[Fact]]:
    """Return the columns of the hyperparameters, and what was assumed."""
    if space is not None:
        if not isinstance(space, SearchSpace):
            raise InputError(
                "space",
                f"must be a SearchSpace, but was {space!r}",
                space,
                'Make one like SearchSpace([FloatParameter("lr", 0.0, 1.0)]), or leave it out: it '
                "is then inferred.",
            )
        if hyperparameters is not None:
            problem = "cannot be given together with space"
            raise InputError("hyperparameters", problem, hyperparameters, "Leave one out.")
        for name in space.names:
            _check_column("space", name, table)
        return list(space.names), []
    if hyperparameters is not None:
        return _chosen(table, hyperparameters, roles), []
    names = [name for name in table.columns if name not in roles]
    if not from_study:
        return names, [fact("every_other_column", names=names)]
    names = [name for name in names if name.startswith(PREFIX)]
    others = [name for name in table.columns if name not in [*names, *roles, STATE]]
    return names, [fact("columns_of_optuna", names=names, left_out=tuple(others))]


def _chosen(table: pd.DataFrame, hyperparameters: Sequence[str], roles: list[str]) -> list[str]:
    """Return the columns that the user named as hyperparameters."""
    one = isinstance(hyperparameters, str) or str(hyperparameters) in table.columns
    if one or not isinstance(hyperparameters, Iterable):
        raise InputError(
            "hyperparameters",
            f"must be a list of columns, but was {hyperparameters!r}",
            hyperparameters,
            f"Write [{hyperparameters!r}].",
        )
    names = [str(name) for name in hyperparameters]
    for name in names:
        _check_column("hyperparameters", name, table)
        if name in roles:
            problem = f"names {name!r}, which has another role here"
            raise InputError("hyperparameters", problem, name, "Leave it out.")
        if names.count(name) > 1:
            problem = f"must name different columns, but was {names}: {name!r} is given twice"
            raise InputError("hyperparameters", problem, names, "Name it once.")
    return names


def _proposals(
    ordered: npt.NDArray[np.int64], kept: npt.NDArray[np.int64], initial: int
) -> list[int]:
    if initial > len(ordered):
        problem = f"is {initial}, but frame has {len(ordered)} trials"
        raise InputError("initial", problem, initial, "Lower it.")
    chosen = set(ordered[initial:].tolist())
    return [number for number in kept.tolist() if number in chosen]


def _excluded_times(
    numbers: npt.NDArray[np.int64], objective: Array, started: Array, finished: Array
) -> dict[int, tuple[float, float]]:
    """Return start and finish of the trials that are left out, where the start is known."""
    running = np.isnan(objective) & np.isnan(finished)
    ends = np.where(running, np.inf, finished)
    return {
        int(numbers[i]): (float(started[i]), float(ends[i]))
        for i in np.flatnonzero(~np.isfinite(objective) & ~np.isnan(started)).tolist()
    }
