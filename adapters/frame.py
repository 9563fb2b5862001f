"""A table of trials, turned into a Run: one row per trial, one column per hyperparameter."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_count, check_direction, unknown_name
from hpo_explain.adapters._reading import not_finite
from hpo_explain.run import Run
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    category_index,
)

if TYPE_CHECKING:
    import pandas as pd

LOG_FROM = 1000.0
"""Highest over lowest value from which a logarithmic scale is guessed: three decades."""


def from_frame(
    frame: pd.DataFrame,
    objective: str,
    direction: str = "minimize",
    space: SearchSpace | None = None,
    *,
    hyperparameters: Sequence[str] | None = None,
    initial: int = 0,
    trial: str | None = None,
    time: str | tuple[str, str] | None = None,
) -> Run:
    """Read a table with one row per trial: an export of W&B, Ray or MLflow, or a CSV file.

    Without `space` it is inferred. Text, booleans and categories become categorical
    hyperparameters with the choices that occur, numbers get the range that occurs, on a
    logarithmic scale where they are positive and span three decades or more. Where a cell is
    empty the hyperparameter was inactive: it is then active for no known reason, at the
    frequency that occurs. The run's notes say what was inferred.

    Parameters
    ----------
    frame : pandas.DataFrame
        The trials.
    objective : str
        Column of the objective; rows in which it is NaN or infinite are left out.
    direction : {"minimize", "maximize"}, default "minimize"
        Which way is better.
    space : SearchSpace, optional
        The search space, whose names are columns.
    hyperparameters : sequence of str, optional
        Columns of the hyperparameters; by default, and without `space`, every other column.
    initial : int, default 0
        How many rows came first without being chosen by a model. All others are proposals.
    trial : str, optional
        Column of the trial numbers, which also order the rows; by default rows are numbered
        from 0.
    time : str or tuple of two str, optional
        Column of a time that orders the rows, or columns of start and finish, by which what was
        known when a trial was proposed is decided. Seconds, or timestamps as dates or ISO 8601.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    ValueError
        If a column is missing, the objective is not numeric, or a row is outside `space`.

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
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise ValueError(
            f"frame must be a pandas.DataFrame, but was a {type(frame).__name__}. "
            "Make one with pandas.DataFrame(...) or pandas.read_csv(...)."
        )
    check_direction(direction)
    table = _with_text_names(frame)
    check_count("initial", initial, minimum=0)
    if len(table) == 0:
        raise ValueError("frame has no row. Give at least one trial.")
    if initial > len(table):
        raise ValueError(f"initial is {initial}, but frame has {len(table)} rows. Lower it.")
    values = _objective(table, str(objective))
    times = [time] if isinstance(time, str) else list(time or ())
    if len(times) > 2:
        raise ValueError(f"time must name one column, or start and finish, but was {time!r}.")
    if trial is not None:
        _check_column("trial", trial, table)
    for name in times:
        _check_column("time", name, table)
    others = [str(objective), *([trial] if trial is not None else []), *times]
    notes: list[str] = []
    if space is not None:
        if hyperparameters is not None:
            raise ValueError("hyperparameters and space were both given. Leave one out.")
        for name in space.names:
            _check_column("space", name, table)
    else:
        names = _chosen(table, hyperparameters, others, notes)
        space = _infer(table[names], notes)

    clocks = [_seconds(table[name], name) for name in times]
    numbers = np.arange(len(table)) if trial is None else _numbers(table[trial], trial)
    order = _order(numbers, clocks, trial, times)
    if len(clocks) == 1 and trial is None:
        notes.append(f"trials: numbered in the order of {times[0]}")
        numbers = np.argsort(order)
    excluded = not_finite(values, numbers, str(objective))
    kept = order[np.isfinite(values[order])]
    proposals = set(numbers[order[initial:]].tolist())
    return Run(
        space,
        space.encode(table[list(space.names)].iloc[kept]),
        values[kept],
        direction,
        trials=numbers[kept],
        proposals=[t for t in numbers[kept].tolist() if t in proposals],
        excluded=excluded,
        notes=notes,
        started=clocks[0][kept] if len(clocks) == 2 else None,
        finished=clocks[1][kept] if len(clocks) == 2 else None,
        objective_name=str(objective),
    )


def _with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    names = [str(column) for column in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"frame has the column {', '.join(twice)} more than once. Rename one.")
    table = frame.reset_index(drop=True)
    table.columns = names  # of the new frame: reset_index copied it
    return table


def _check_column(argument: str, name: str, table: pd.DataFrame) -> None:
    if name not in table.columns:
        raise ValueError(f"{argument}: {unknown_name('column', name, table.columns)}")


def _objective(table: pd.DataFrame, name: str) -> Array:
    _check_column("objective", name, table)
    values = np.empty(len(table))
    for i, value in enumerate(table[name].tolist()):
        if _is_empty(value):
            values[i] = np.nan
        elif isinstance(value, (int, float, np.number)):
            values[i] = float(value)
        else:
            raise ValueError(
                f"objective {name!r} must be numeric, but is {value!r} in row {i}. Choose another "
                "column, or convert it with pandas.to_numeric."
            )
    return values


def _is_empty(value: Any) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _chosen(
    table: pd.DataFrame, hyperparameters: Sequence[str] | None, others: list[str], notes: list[str]
) -> list[str]:
    """Return the columns of the hyperparameters."""
    if hyperparameters is not None:
        if isinstance(hyperparameters, str):
            raise ValueError(
                f"hyperparameters must be a list of columns, but was {hyperparameters!r}. "
                f"Write [{hyperparameters!r}]."
            )
        names = [str(name) for name in hyperparameters]
        for name in names:
            _check_column("hyperparameters", name, table)
            if name in others:
                raise ValueError(f"hyperparameters names {name!r}, which has another role here.")
        return names
    names = [name for name in table.columns if name not in others]
    notes.append(
        f"hyperparameters: every other column ({', '.join(names)}); hyperparameters= chooses"
    )
    return names


# ---------------------------------------------------------------------- the space


def _infer(table: pd.DataFrame, notes: list[str]) -> SearchSpace:
    parameters = []
    for name in table.columns:
        parameter = _parameter(table[name].infer_objects(), name, notes)
        if parameter is not None:
            parameters.append(parameter)
    if not parameters:
        raise ValueError(
            "frame has no column left that could be a hyperparameter. "
            "Add one, or name it in hyperparameters=."
        )
    return SearchSpace(parameters)


def _parameter(column: pd.Series[Any], name: str, notes: list[str]) -> Parameter | None:
    """Return the hyperparameter that a column holds, or None and a note."""
    from pandas.api import types

    present = column[[not _is_empty(value) for value in column.tolist()]]
    if not len(present):
        notes.append(f"{name}: left out, the column is empty")
        return None
    if types.is_datetime64_any_dtype(column) or types.is_timedelta64_dtype(column):
        notes.append(f"{name}: left out, a time is no hyperparameter")
        return None
    optional = len(present) / len(column) if len(present) < len(column) else None
    if optional is not None:
        notes.append(
            f"{name}: empty in {len(column) - len(present)} of {len(column)} rows, where it "
            f"counts as inactive; taken to be active at that frequency ({optional:.2g}) whatever "
            "the others are, unless space= states the condition"
        )
    if types.is_bool_dtype(column) or not types.is_numeric_dtype(column):
        choices = _distinct(present.tolist())
        if len(choices) == len(column) > 2 and all(isinstance(c, str) for c in choices):
            notes.append(
                f"{name}: a different text in every row; if it is no hyperparameter, leave it "
                "out with hyperparameters="
            )
        return CategoricalParameter(name, choices, optional=optional)
    return _number(present, name, optional, notes)


def _number(
    present: pd.Series[Any], name: str, optional: float | None, notes: list[str]
) -> Parameter:
    from pandas.api import types

    values = present.to_numpy(dtype=float)
    infinite = np.flatnonzero(~np.isfinite(values))
    if len(infinite):
        raise ValueError(
            f"column {name!r} is {values[infinite[0]]} in row {present.index[infinite[0]]}. "
            "Correct it, or name the columns to read in hyperparameters=."
        )
    whole = types.is_integer_dtype(present)
    if not whole and optional is not None and (values == np.round(values)).all():
        # a column of integers with an empty cell comes as floats
        whole = True
        notes.append(f"{name}: whole numbers, read as integers")
    low, high = float(values.min()), float(values.max())
    log = low > 0 and high >= LOG_FROM * low
    if log:
        notes.append(
            f"{name}: spans {np.log10(high / low):.1f} decades, so its scale is taken to be "
            "logarithmic"
        )
    if whole:
        return IntParameter(name, int(present.min()), int(present.max()), log, optional=optional)
    return FloatParameter(name, low, high, log, optional=optional)


def _distinct(values: list[Any]) -> list[Any]:
    """Return the choices that occur, in the order in which they first do."""
    seen: dict[tuple[type, Hashable], None] = {}
    choices: list[Any] = []
    for value in values:
        try:
            key = (type(value), value)
            new = key not in seen
            seen[key] = None
        except TypeError:  # a list cannot be looked up
            new = True
        if new and category_index(choices, value) is None:
            choices.append(value)
    return choices


# ---------------------------------------------------------------------- order


def _numbers(column: pd.Series[Any], name: str) -> npt.NDArray[np.int64]:
    values = column.tolist()
    whole = [_is_whole(value) for value in values]
    if not all(whole):
        i = whole.index(False)
        raise ValueError(
            f"trial {name!r} must hold whole numbers, but is {values[i]!r} in row {i}. "
            "Leave trial out: rows are then numbered from 0."
        )
    numbers = np.array([int(v) for v in values], dtype=np.int64)
    found, counts = np.unique(numbers, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"trial {name!r} has the number {found[counts > 1][0]} more than once. "
            "Leave trial out: rows are then numbered from 0."
        )
    return numbers


def _is_whole(value: Any) -> bool:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return number and bool(np.isfinite(value)) and value == int(value)


def _seconds(column: pd.Series[Any], name: str) -> Array:
    """Return times in seconds (since the epoch for timestamps); empty ones are NaN."""
    import pandas as pd
    from pandas.api import types

    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return np.asarray(column.to_numpy(dtype=float, na_value=np.nan), dtype=float)
    try:
        # ISO 8601 only: in any other form day and month may be guessed the wrong way round
        stamps = pd.to_datetime(column, utc=True, format="ISO8601")
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"time {name!r} must hold seconds or ISO 8601 timestamps: {error}. "
            "Convert it with pandas.to_datetime."
        ) from error
    seconds = (stamps - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return np.asarray(seconds.to_numpy(dtype=float), dtype=float)


def _order(
    numbers: npt.NDArray[np.int64], clocks: list[Array], trial: str | None, times: list[str]
) -> npt.NDArray[np.int64]:
    """Return the rows in the order in which they were proposed."""
    if not clocks:
        return np.argsort(numbers, kind="stable")
    order = np.argsort(clocks[0], kind="stable")  # empty ones come last
    if len(clocks) == 1 and trial is not None and (np.diff(numbers[order]) < 0).any():
        raise ValueError(
            f"trial {trial!r} and time {times[0]!r} put the rows in different orders. Leave one "
            "out, or give time=(start, finish)."
        )
    return order
