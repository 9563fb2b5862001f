"""The search space of a table, inferred from what its columns hold."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._reading import whole_numbers
from hpo_explain.adapters.frame._cells import (
    as_float,
    cell_key,
    is_empty,
    is_number,
    is_time,
    is_time_text,
)
from hpo_explain.adapters.frame._number_text import number_texts
from hpo_explain.errors import InputError, Option
from hpo_explain.facts import Fact, fact
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    FloatParameter,
    Parameter,
    SearchSpace,
    category_index,
)

if TYPE_CHECKING:
    import pandas as pd

LOG_FROM = 1000.0
"""Highest over lowest value from which a logarithmic scale is guessed: three decades."""


def infer_space(
    table: pd.DataFrame,
    kept: npt.NDArray[np.int64],
    trials: npt.NDArray[np.int64],
    *,
    chosen: bool = False,
) -> tuple[SearchSpace, Array, list[Fact]]:
    """Return the space of a table's columns, its encoded rows, and what was assumed.

    Ranges and choices come from all rows, conditions from those that are kept.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns of the hyperparameters, one row per configuration.
    kept : ndarray of int, shape (n,)
        The rows that count, in the order of the trials.
    trials : ndarray of int, shape (n,)
        Their numbers.
    chosen : bool, default False
        Whether the user named the columns: text that reads like times is then kept.
    """
    notes: list[Fact] = []
    parameters, columns = [], []
    for name in table.columns:
        parameter = _parameter(table[name].infer_objects(), name, notes, chosen=chosen)
        if parameter is None:
            continue
        cells = table[name].iloc[kept].tolist()
        full = [i for i, cell in enumerate(cells) if not is_empty(cell)]
        if len(kept) and not full:
            notes.append(fact("only_left_out", names=[name]))
            continue
        column = np.full(len(kept), np.nan)
        column[full] = parameter.encode([cells[i] for i in full])
        parameters.append(parameter)
        columns.append(column)
    if not parameters:
        raise InputError(
            "frame",
            "has no column left that could be a hyperparameter",
            list(table.columns),
            ("Add one, or name it in ", Option("hyperparameters"), "."),
        )
    X = np.column_stack(columns)
    gaps = np.isnan(X).sum(axis=0)
    if gaps.any():
        notes.append(
            fact(
                "empty_cells",
                names=[parameters[j].name for j in np.flatnonzero(gaps)],
                counts=tuple(gaps[gaps > 0].tolist()),
                rows=len(X),
            )
        )
    parameters, inferred = infer_conditions(parameters, X, trials.tolist())
    return SearchSpace(parameters), X, notes + inferred


def trials_of_ranges(
    space: SearchSpace, table: pd.DataFrame, trials: npt.NDArray[np.int64]
) -> dict[str, list[int]]:
    """Return for each hyperparameter the first trials with its ends, or with each of its choices.

    Parameters
    ----------
    space : SearchSpace
        The inferred space.
    table : pandas.DataFrame
        The columns of the hyperparameters, one row per configuration in the order of the trials.
    trials : ndarray of int, shape (n,)
        Their numbers.
    """
    found: dict[str, list[int]] = {}
    for parameter in space:
        cells = table[parameter.name].tolist()
        full = [i for i, cell in enumerate(cells) if not is_empty(cell)]
        encoded = parameter.encode([cells[i] for i in full])
        if isinstance(parameter, CategoricalParameter):
            first = np.unique(encoded, return_index=True)[1]
        else:
            first = np.array([np.argmin(encoded), np.argmax(encoded)])
        found[parameter.name] = sorted({int(trials[full[i]]) for i in first})
    return found


def _parameter(
    column: pd.Series[Any], name: str, notes: list[Fact], *, chosen: bool
) -> Parameter | None:
    """Return the hyperparameter that a column holds, or None and a note."""
    import pandas as pd
    from pandas.api import types

    present = column[[not is_empty(value) for value in column.tolist()]]
    if not len(present):
        notes.append(fact("column_empty", names=[name]))
        return None
    cells = present.tolist()
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if not is_category and all(map(is_time, cells)):
        notes.append(fact("column_of_times", names=[name]))
        return None
    if not is_category and not chosen and all(map(is_time_text, cells)):
        notes.append(fact("column_of_time_texts", names=[name], example=cells[0]))
        return None
    if types.is_object_dtype(column) and all(map(is_number, cells)):
        present = _as_numbers(present)
    if types.is_bool_dtype(present) or not types.is_numeric_dtype(present):
        choices = _distinct(cells)
        if len(choices) == len(present) > 2:
            notes.append(
                fact(
                    "different_in_every_row",
                    names=[name],
                    text=all(isinstance(choice, str) for choice in choices),
                    gaps=len(present) < len(column),
                )
            )
        if not is_category:
            notes += number_texts(name, choices)
        return CategoricalParameter(name, choices)
    return _number(present, name, len(present) < len(column), notes)


def _as_numbers(present: pd.Series[Any]) -> pd.Series[Any]:
    """Return Decimals and other numbers as integers if all are written as such, else as floats."""
    cells = present.tolist()
    if all(map(_is_written_whole, cells)):
        return present.map(int).astype(np.int64)
    return present.map(as_float).astype(float)


def _is_written_whole(value: Any) -> bool:
    if isinstance(value, Decimal):  # 3 is whole, 3.0 is not
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and exponent >= 0 and abs(value) <= LARGEST_WHOLE
    return isinstance(value, Integral) and abs(int(value)) <= LARGEST_WHOLE


def _number(present: pd.Series[Any], name: str, gaps: bool, notes: list[Fact]) -> Parameter:
    from pandas.api import types

    values = present.to_numpy(dtype=float)
    infinite = np.flatnonzero(~np.isfinite(values))
    if len(infinite):
        value = float(values[infinite[0]])
        raise InputError(
            "frame",
            f"has the value {value} in row {present.index[infinite[0]]} of column {name!r}",
            value,
            ("Correct it, or name the columns to read in ", Option("hyperparameters"), "."),
        )
    whole = types.is_integer_dtype(present)
    if not whole and gaps and (values == np.round(values)).all():
        # a column of integers with an empty cell comes as floats
        whole = True
        notes.append(fact("read_as_integers", names=[name]))
    low, high = float(values.min()), float(values.max())
    log = low > 0 and high >= LOG_FROM * low
    if log:
        notes.append(fact("log_scale_guessed", names=[name], decades=float(np.log10(high / low))))
    if whole:
        parameter, about = whole_numbers(name, int(present.min()), int(present.max()), log=log)
        notes += about
        return parameter
    return FloatParameter(name, low, high, log)


def _distinct(values: list[Any]) -> list[Any]:
    """Return the choices that occur, in the order in which they first do."""
    first: dict[Hashable, Any] = {}
    for value in values:
        first.setdefault(cell_key(value), value)
    choices: list[Any] = []
    for value in first.values():
        if category_index(choices, value) is None:
            choices.append(value)
    return choices
