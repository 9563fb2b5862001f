"""A table of trials, turned into a Run: one row per trial, one column per hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count, check_direction
from hpo_explain.adapters._fidelity import level_of
from hpo_explain.adapters._folds import instances_of
from hpo_explain.adapters._reading import nothing_left, repeated
from hpo_explain.adapters.frame._cells import as_float, is_empty, is_number
from hpo_explain.adapters.frame._columns import Chosen, choose_columns, configurations
from hpo_explain.adapters.frame._instances import Evaluations, one_each, read_evaluations
from hpo_explain.adapters.frame._leaks import sounds_like_gain
from hpo_explain.adapters.frame._number_text import texts_as_numbers
from hpo_explain.adapters.frame._order import (
    check_finishes,
    order_of,
    read_seconds,
    trial_numbers,
    unsorted_time,
)
from hpo_explain.adapters.frame._pending import read_without_result
from hpo_explain.adapters.frame._proposed import read_proposed
from hpo_explain.adapters.frame._roles import Roles, check_column, read_roles
from hpo_explain.adapters.frame._row_numbers import without_row_numbers
from hpo_explain.adapters.frame._space import infer_space, switch_of, trials_of_ranges
from hpo_explain.adapters.frame._status import read_durations, read_status
from hpo_explain.adapters.frame._sweep import read_sweep
from hpo_explain.adapters.frame.layouts import Layout, expanded, layout_of
from hpo_explain.errors import InputError, NothingToExplain
from hpo_explain.facts import Fact, Origin, fact
from hpo_explain.options import Direction
from hpo_explain.run import Curves, Run
from hpo_explain.space import Array, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


def from_frame(
    frame: pd.DataFrame,
    objective: str | None = None,
    direction: Direction | None = None,
    space: SearchSpace | Sequence[Parameter] | Mapping[str, Any] | None = None,
    *,
    hyperparameters: Sequence[str] | None = None,
    initial: int | None = None,
    proposed: str | bool | Sequence[int] | None = None,
    optimizer: str | None = None,
    trial: str | None = None,
    time: str | tuple[str, str] | None = None,
    instance: str | None = None,
    fidelity: str | bool | None = None,
    level: float | None = None,
    duration: str | None = None,
    status: str | None = None,
) -> Run:
    """Read a table with one row per trial: an export of W&B, Ray or MLflow, or a CSV file.

    The tables of Optuna (``trials_dataframe()``), scikit-learn (``cv_results_``), Ray Tune
    (``get_dataframe()``), MLflow (``search_runs()``), W&B and Ax (``summarize()``) are recognized
    by their columns, and only those of hyperparameters are read as such, without their prefix. Rows
    that failed, were pruned, run or wait are left out. In other tables every column is a
    hyperparameter that has no other role, except for text that differs in every row, times, and
    columns that were measured with the objective: numbers with a name like train_loss, or in its
    order. The run's notes name what was left out.

    Without `space` it is inferred. Text, booleans and categories become categorical hyperparameters
    with the choices that occur; numbers, also those written as text, get the range that occurs, on
    the scale on which they spread evenly. Where a cell is empty the hyperparameter was inactive if
    another one explains that; else None is one of its choices, or where it is a range of numbers,
    another hyperparameter says whether it "is set".

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials. A column that a number or tuple names is given by it, and read as its text.
    objective : str, optional
        Column of the objective; rows in which it is NaN or infinite are left out. May be left out
        for a table of scikit-learn or Optuna with a single one.
    direction : {"minimize", "maximize"}, optional
        Which way is better; by default "minimize", and of scores of scikit-learn "maximize".
    space : SearchSpace, sequence of hyperparameters or dict, optional
        The search space, whose names are columns; a list of some hyperparameters, which says
        what single columns are, while the others are inferred; or the configuration of a sweep of
        W&B, whose parameters alone are the hyperparameters, and whose metric is the objective.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters, which are then read whatever they hold.
    initial : int, optional
        How many trials came first and were not chosen by a model, whereas all others were.
    proposed : str, bool or sequence of int, optional
        Which trials a model chose: a column that says so, True for all, or their numbers. A table
        alone does not tell them from a grid or random draws; so by default none is explained as a
        proposal, except for those that Ax's table names.
    optimizer : str, optional
        What ran the optimization; without `initial` and `proposed` it chose all trials.
    trial : str, optional
        Column of the trial numbers, which also order the rows, or of their names; by default rows
        are numbered from 0, of the tables of Optuna and Ax by their own column.
    time : str or tuple of two str, optional
        Column of a time that orders the rows, or columns of start and finish, by which what was
        known when a trial was proposed is decided: seconds, or timestamps as dates or ISO 8601, but
        not durations. A trial without finish and objective counts as still running. By default
        those of MLflow and W&B, and any column of dates in whose order the rows are not.
    instance : str, optional
        Column of the fold, data set or seed, where a trial has one row for each of them: rows of
        the same number (`trial`), or else of the same configuration. The objective of the trial
        is then the mean over its instances, and the run's `instances` holds every value.
    fidelity : str or False, optional
        Column of the samples, epochs or other budget of a result. Only results of the same budget
        are comparable: by default those of the highest count. With `trial`, rows of the same trial
        are its learning curve (``run.curves``). The resources of a halving search
        and the iterations of Ray Tune are known; False takes them for comparable.
    level : float, optional
        The fidelity that counts in place of the highest.
    duration : str, optional
        Column of how long a trial took: seconds, or durations as pandas writes them. By default
        that of Optuna, scikit-learn, W&B or Ray Tune, else the time from start to finish.
    status : str, optional
        Column that says what became of a trial, in words such as "finished", "failed", "timeout"
        or "pruned"; of failed and pruned ones the objective does not count.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InputError
        If a column is missing, the objective is not numeric, a row is outside `space`, a trial
        finishes before it starts, no row has the `level`, or a status is not known.
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
    if initial is not None:
        check_count("initial", initial, minimum=0)
    table = expanded(_with_text_names(frame))
    if len(table) == 0:
        raise NothingToExplain(fact("table_empty"))
    about_sweep: list[Fact] = []
    if isinstance(space, Mapping):
        tried = {str(name).removeprefix("config."): table[name].tolist() for name in table.columns}
        sweep = read_sweep(space, tried)
        space, about_sweep = [*sweep.parameters], [*sweep.notes]
        hyperparameters = hyperparameters or [p.name for p in sweep.parameters]
        objective = sweep.objective if objective is None else objective
        direction = direction or (sweep.direction if objective == sweep.objective else None)
    # columns may be named by numbers and tuples, hyperparameters by text only
    mentioned = _mentioned(hyperparameters, space)
    asked = (objective, trial, time, instance, fidelity, proposed, duration, status)
    others = [str(name) for name in asked]
    table, notes = without_row_numbers(table, [*mentioned, *others])
    if trial is not None and isinstance(fidelity, str):
        every_step, table = table, _last_of_each(table, str(trial), fidelity, level)
    else:
        every_step = None
    layout = layout_of(table)
    roles = read_roles(
        table,
        layout,
        mentioned,
        objective=objective,
        trial=trial,
        time=time,
        instance=instance,
        fidelity=fidelity,
        proposed=proposed,
        duration=duration,
        status=status,
    )
    direction, about_direction = _direction(direction, layout, roles.objective)
    values = _objective(table, roles.objective)
    chosen = choose_columns(table, layout, roles, hyperparameters, space, values)
    notes += about_sweep + chosen.notes + about_direction
    roles, chosen, about_order = _in_order(table, roles, chosen, layout)
    configs, set_to_none = configurations(table, chosen, layout)

    stopped: dict[int, Fact] = {}
    if roles.status:
        stopped = read_status(table[roles.status], roles.status)
    elif layout is not None and layout.state not in [*roles.columns, *chosen.names]:
        stopped = dict(layout.stopped)
    values[list(stopped)] = np.nan
    compared: dict[int, Fact] = {}
    if roles.fidelity:
        at = level_of(roles.fidelity, _numbers(table[roles.fidelity]), np.isfinite(values), level)
        compared = at.reasons(np.arange(len(table)))
        notes += at.notes()
        values[list(compared)] = np.nan
    evaluations = one_each(len(table))
    numbers = None
    if roles.trial:
        numbers, about_names = trial_numbers(
            table[roles.trial], roles.trial, several=bool(roles.instance)
        )
        notes += about_names
    if roles.instance:
        evaluations = read_evaluations(table, roles.instance, [*chosen.names], numbers)
    rows = evaluations.first
    ordered_by_name = numbers is not None
    numbers = np.arange(len(rows)) if numbers is None else numbers[rows]
    times = list(roles.times)
    clocks = [read_seconds(table[name], name) for name in times]
    if len(clocks) == 2:
        check_finishes(clocks, table, times, numbers[evaluations.configuration].tolist())
    starts = [evaluations.earliest(clock) for clock in clocks[:1]]
    finishes = [evaluations.latest(clock) for clock in clocks[1:]]
    order = order_of(numbers, [*starts, *finishes], roles.trial or None, times)
    if times and not ordered_by_name and (len(times) == 1 or time is None):
        notes += about_order or [fact("numbered_by_time", names=times[:1])]
        numbers = np.argsort(order)
    means = evaluations.mean(values)
    notes += evaluations.notes(numbers, roles.objective)
    excluded = evaluations.not_finite(values, numbers, roles.objective)
    ended = {
        int(numbers[evaluations.configuration[row]]): reason for row, reason in stopped.items()
    }
    excluded |= {
        int(numbers[evaluations.configuration[row]]): why for row, why in compared.items()
    } | ended
    kept = order[np.isfinite(means[order])]
    if not len(kept):
        raise nothing_left("frame", excluded)
    ranges_from: dict[str, list[int]] = {}
    cells = configs.iloc[rows]
    if isinstance(space, SearchSpace):
        X = space.encode(cells.iloc[kept])
    else:
        space, X, inferred = infer_space(
            cells,
            kept,
            numbers[kept],
            sure=chosen.sure,
            given=chosen.given,
            set_to_none={name: none[rows] for name, none in set_to_none.items()},
        )
        notes = [
            replace(note, names=tuple(n for n in space.names if n in cells))
            if note is chosen.about
            else note
            for note in notes
        ]
        notes += inferred
        cells = _with_switches(cells, space)
        ranges_from = trials_of_ranges(space, cells.iloc[order], numbers[order])
        ranges_from = {n: trials for n, trials in ranges_from.items() if n not in chosen.given}
    by_model, known, about_proposals = read_proposed(
        table,
        layout,
        evaluations,
        numbers,
        order,
        initial=initial,
        proposed=proposed,
        optimizer=optimizer,
    )
    notes += about_proposals
    instances = None
    if roles.instance:
        instances = evaluations.of(kept, X, values)
    elif layout is not None and layout.folds(roles.objective):
        scores = [_objective(table, name) for name in layout.folds(roles.objective)]
        instances = instances_of(X, np.column_stack(scores)[kept])
    curves = None
    if every_step is not None and not roles.instance:
        keys = table[roles.trial].map(str).iloc[rows].tolist()
        encoded = dict(zip(numbers[kept].tolist(), X, strict=True))
        encoded |= _encoded(space, cells.set_axis(numbers), {*numbers.tolist()} - {*encoded})
        curves = Curves.of(
            _reported(every_step, roles, dict(zip(keys, numbers.tolist(), strict=True)), level),
            encoded,
            step_name=roles.fidelity,
        )
    return Run(
        space,
        X,
        means[kept],
        direction,
        trials=numbers[kept],
        proposals=[t for t in numbers[kept].tolist() if t in by_model],
        origins={} if known else dict.fromkeys(numbers.tolist(), Origin.UNKNOWN),
        excluded=excluded,
        notes=notes + repeated(X),
        started=starts[0][kept] if finishes else None,
        finished=finishes[0][kept] if finishes else None,
        durations=_durations(table, roles, layout, evaluations)[kept],
        excluded_times=_excluded_times(numbers, means, *starts, *finishes) if finishes else {},
        without_result=read_without_result(
            cells.set_axis(numbers), ended, space, by_model, known=known
        )
        if not roles.instance
        else {},
        objective_name=roles.objective,
        optimizer=optimizer or (layout.optimizer if layout is not None else "") or "the optimizer",
        instances=instances,
        curves=curves,
        ranges_from=ranges_from,
    )


def _durations(
    table: pd.DataFrame, roles: Roles, layout: Layout | None, evaluations: Evaluations
) -> Array:
    """Return how long trials took, all their evaluations together; NaN where it is unknown."""
    column = roles.duration or (layout.duration if layout is not None else "")
    if column not in table.columns:
        return np.full(len(evaluations.first), np.nan)
    return evaluations.total(read_durations(table[column], column))


def _direction(
    given: Direction | None, layout: Layout | None, objective: str
) -> tuple[Direction, list[Fact]]:
    """Return which way is better, and what was assumed."""
    if given is not None:
        return check_direction(given), []
    known = None if layout is None else layout.direction(objective)
    if layout is not None and known is not None:
        note = fact("direction_of_layout", names=[objective], source=layout.source, direction=known)
        return known, [note]
    if sounds_like_gain(objective):
        return "minimize", [fact("direction_doubtful", names=[objective])]
    return "minimize", []


def _mentioned(hyperparameters: object, space: object) -> list[str]:
    """Return the names of columns that the user gave as hyperparameters."""
    given = space if hyperparameters is None else hyperparameters
    if isinstance(given, str) or not isinstance(given, Iterable):
        return []
    return [str(getattr(entry, "name", entry)) for entry in given]


def _in_order(
    table: pd.DataFrame, roles: Roles, chosen: Chosen, layout: Layout | None
) -> tuple[Roles, Chosen, list[Fact]]:
    """Return a time that orders the rows as a role, where they are not in its order."""
    if layout is not None or roles.trial or roles.instance or roles.times:
        return roles, chosen, []
    taken = [*roles.columns, *(chosen.names if chosen.sure else ())]
    name = unsorted_time(table, [column for column in table.columns if column not in taken])
    if name is None:
        return roles, chosen, []
    names = {column: short for column, short in chosen.names.items() if column != name}
    note = fact("rows_out_of_order", names=[name])
    return replace(roles, times=(name,)), replace(chosen, names=names), [note]


def _with_switches(cells: pd.DataFrame, space: SearchSpace) -> pd.DataFrame:
    """Return the cells of hyperparameters with those that say whether a number is set."""
    found = cells.copy()
    for name in cells.columns:
        switch = switch_of(str(name))
        if switch in space.names and switch not in cells:
            found[switch] = [None if is_empty(cell) else True for cell in cells[name].tolist()]
    return found


def _last_of_each(
    table: pd.DataFrame, trial: str, fidelity: str, level: float | None
) -> pd.DataFrame:
    """Return one row for each trial (and instance) of a table of learning curves.

    That at the level, or where the trial did not reach it, its last one.
    """
    check_column("trial", trial, table)
    check_column("fidelity", fidelity, table)
    at = _numbers(table[fidelity])
    wanted = np.nanmax(at) if level is None else level
    keys = table[trial].map(str)
    reached = {key for key, value in zip(keys, at, strict=True) if value == wanted}
    below = np.where(at > wanted, -np.inf, at)
    highest: dict[str, float] = {}
    for key, value in zip(keys, below.tolist(), strict=True):
        highest[key] = max(value, highest.get(key, -np.inf))
    last = [
        value == (wanted if key in reached else highest[key])
        for key, value in zip(keys, at.tolist(), strict=True)
    ]
    return table[last].reset_index(drop=True)


def _reported(
    table: pd.DataFrame, roles: Roles, numbers: Mapping[str, int], level: float | None
) -> dict[int, dict[float, float]]:
    """Return the objective of each trial at each step up to the level."""
    found: dict[int, dict[float, float]] = {}
    columns = (
        table[roles.trial].map(str).tolist(),
        _numbers(table[roles.fidelity]).tolist(),
        _objective(table, roles.objective).tolist(),
    )
    for key, step, value in zip(*columns, strict=True):
        if key in numbers and not np.isnan(step) and (level is None or step <= level):
            found.setdefault(numbers[key], {})[step] = value
    return found


def _encoded(space: SearchSpace, cells: pd.DataFrame, trials: Iterable[int]) -> dict[int, Array]:
    """Return the encoded configurations of some trials, without those outside the space."""
    found = {}
    for trial in trials:
        try:
            found[trial] = space.encode(cells.loc[[trial]])[0]
        except ValueError:
            continue
    return found


def _numbers(column: pd.Series[Any]) -> Array:
    """Return a column of numbers; NaN where a cell is empty or is none."""
    cells = texts_as_numbers(column).tolist()
    return np.array(
        [as_float(cell) if is_number(cell) and not is_empty(cell) else np.nan for cell in cells]
    )


def _with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    names = [str(column) for column in frame.columns]
    if isinstance(frame.columns, pd.MultiIndex) and ("number", "") in frame.columns:
        # Optuna's trials_dataframe(multi_index=True)
        names = ["_".join(str(part) for part in parts if part != "") for parts in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problem = f"has the column {', '.join(twice)} more than once"
        raise InputError("frame", problem, twice, "Rename one.")
    table = frame.reset_index(drop=True)
    table.columns = names  # of the new frame: reset_index copied it
    return table


def _objective(table: pd.DataFrame, name: str) -> Array:
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
