"""The search space of a table, inferred from what its columns hold."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._domain import Domain, parameter_of, scale_of
from hpo_explain.adapters._reading import ONLY_LEFT_OUT
from hpo_explain.adapters.frame._cells import (
    as_float,
    cell_key,
    is_empty,
    is_number,
    is_time,
    is_time_text,
)
from hpo_explain.adapters.frame._number_text import as_plain_number, number_texts
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    CategoricalParameter,
    Parameter,
    SearchSpace,
    different,
)

if TYPE_CHECKING:
    import pandas as pd

_FEW = 10  # different numbers beside None that are choices, where each was tried twice
_MIDWAY = ("added_midway", "dropped_midway")


@dataclass(frozen=True, eq=False)
class _Column:
    """A hyperparameter and its encoded values, NaN where it has none."""

    parameter: Parameter
    values: Array


def infer_space(
    table: pd.DataFrame,
    kept: npt.NDArray[np.int64],
    trials: npt.NDArray[np.int64],
    *,
    sure: bool = False,
    given: Mapping[str, Parameter] | None = None,
    set_to_none: Mapping[str, npt.NDArray[np.bool_]] | None = None,
) -> tuple[SearchSpace, Array, list[Fact]]:
    """Return the space of a table's columns, its encoded rows, and what was assumed.

    Ranges and choices come from all rows, conditions from those that are kept. Where a cell is
    empty and no other hyperparameter explains that, None is one of the choices.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns of the hyperparameters, one row per configuration.
    kept : ndarray of int, shape (n,)
        The rows that count, in the order of the trials.
    trials : ndarray of int, shape (n,)
        Their numbers.
    sure : bool, default False
        Whether the columns are known to be hyperparameters: text that reads like times, or differs
        in every row, is then kept.
    given : mapping of str to Parameter, optional
        What single columns are known to be.
    set_to_none : mapping of str to ndarray of bool, optional
        For columns of which it is known: the rows in which an empty cell is a value.
    """
    notes: list[Fact] = []
    found: dict[str, _Column] = {}
    known = set_to_none or {}
    for name in table.columns:
        described = (given or {}).get(name)
        cells = table[name]
        none = known.get(name)
        if described is None and none is not None and _may_be_choices(cells, none):
            described = _with_none(cells)
        parameter = described or _parameter(cells.infer_objects(), name, notes, sure=sure)
        if parameter is None:
            continue
        values = _encoded(
            parameter, cells.iloc[kept].tolist(), None if none is None else none[kept]
        )
        if len(kept) and np.isnan(values).all():
            notes.append(ONLY_LEFT_OUT(names=[name]))
            continue
        found[name] = _Column(parameter, values)
    if not found:
        raise InputError(
            "frame",
            "has no column left that could be a hyperparameter",
            list(table.columns),
            ("Add one, or name it in ", Option("hyperparameters"), "."),
        )
    parameters, inferred = _conditions(found, trials)
    changed = _none_where_unexplained(found, parameters, inferred, table, kept, given or {})
    if changed:
        found |= changed
        parameters, inferred = _conditions(found, trials)
        notes.append(fact("none_is_a_value", names=changed))
    found, about = _with_switches(found, parameters, inferred, given or {})
    if about:
        notes += about
        parameters, inferred = _conditions(found, trials)
    X = np.column_stack([column.values for column in found.values()])
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
    return SearchSpace(parameters), X, notes + inferred


def _encoded(
    parameter: Parameter, cells: list[Any], none: npt.NDArray[np.bool_] | None = None
) -> Array:
    """Return the positions of cells: NaN where one is empty, unless that is a choice there."""
    choice = isinstance(parameter, CategoricalParameter) and None in parameter.choices
    values = np.full(len(cells), np.nan)
    full = [
        i
        for i, cell in enumerate(cells)
        if not is_empty(cell) or (choice and none is not None and none[i])
    ]
    values[full] = parameter.encode([None if is_empty(cells[i]) else cells[i] for i in full])
    return values


def _conditions(
    found: Mapping[str, _Column], trials: npt.NDArray[np.int64]
) -> tuple[list[Parameter], list[Fact]]:
    """Return the hyperparameters with conditions; one that was given with its own keeps that."""
    parameters = [column.parameter for column in found.values()]
    X = np.column_stack([column.values for column in found.values()])
    bare = [replace(p, active_when=None, optional=None) for p in parameters]
    inferred, notes = infer_conditions(bare, X, trials.tolist())
    own = {p.name for p in parameters if p.active_when or p.optional is not None}
    kept = [p if p.name in own else other for p, other in zip(parameters, inferred, strict=True)]
    return kept, [note for note in notes if not {*note.names} <= own]


# ---------------------------------------------------------------------- None as a value


def switch_of(name: str) -> str:
    """Return what the hyperparameter is called that says whether a number is set."""
    return f"{name} is set"


def _with_switches(
    found: dict[str, _Column],
    parameters: Sequence[Parameter],
    inferred: Sequence[Fact],
    given: Mapping[str, Parameter],
) -> tuple[dict[str, _Column], list[Fact]]:
    """Return the columns, and before numbers that are not set in some rows whether they are.

    Whether a number is set may matter more than its value: so it is a hyperparameter of its own,
    where no other one explains it.
    """
    of_name = {parameter.name: parameter for parameter in parameters}
    result: dict[str, _Column] = {}
    switches: dict[str, str] = {}
    for note in inferred:
        midway = note.kind == "active_at_frequency" and note["why"].kind in _MIDWAY
        if note.kind == "active_at_frequency" and not midway and not {*note.names} & {*given}:
            switches |= dict.fromkeys(note.names, switch_of(note.names[0]))
    X = np.column_stack([column.values for column in found.values()])
    space = SearchSpace(parameters)
    for j, (name, column) in enumerate(found.items()):
        switch = switches.get(name)
        if switch is None or switch in found:
            result[name] = column
            continue
        if switch not in result:
            positions = np.where(np.isnan(X[:, j]), 1.0, 0.0)
            positions[~space.allowed(X, j)] = np.nan
            condition = of_name[name].active_when or None
            parameter = CategoricalParameter(switch, [True, False], active_when=condition)
            result[switch] = _Column(parameter, positions)
        active = replace(column.parameter, active_when={switch: [True]})
        result[name] = _Column(active, column.values)
    groups: dict[str, list[str]] = {}
    for name, switch in switches.items():
        groups.setdefault(switch, []).append(name)
    return result, [
        fact("set_or_not", names=names, switch=switch) for switch, names in groups.items()
    ]


def _none_where_unexplained(
    found: Mapping[str, _Column],
    parameters: Sequence[Parameter],
    inferred: Sequence[Fact],
    table: pd.DataFrame,
    kept: npt.NDArray[np.int64],
    given: Mapping[str, Parameter],
) -> dict[str, _Column]:
    """Return the columns whose empty cells nothing explains, with None as one of the choices."""
    midway = {
        name
        for note in inferred
        if note.kind == "active_at_frequency" and note["why"].kind in _MIDWAY
        for name in note.names
    }
    unexplained = {
        name
        for note in inferred
        if note.kind == "active_at_frequency"
        for name in note.names
        if name not in midway and name not in given
    }
    X = np.column_stack([column.values for column in found.values()])
    space = SearchSpace(parameters)
    changed = {}
    for j, name in enumerate(found):
        cells = table[name].iloc[kept].tolist()
        if name not in unexplained:
            continue
        empty = np.array([is_empty(cell) for cell in cells]) & space.allowed(X, j)
        if not _may_be_choices(table[name], np.array([is_empty(c) for c in table[name].tolist()])):
            continue
        parameter = _with_none(table[name])
        changed[name] = _Column(parameter, _encoded(parameter, cells, empty))
    return changed


def _may_be_choices(column: pd.Series[Any], none: npt.NDArray[np.bool_]) -> bool:
    """Say whether the values of a column beside None are choices: words, or a few numbers."""
    cells = [cell for cell in column.tolist() if not is_empty(cell)]
    if not none.any() or not cells:
        return False
    if not all(map(is_number, cells)):
        return True
    different = len({float(cell) for cell in cells})
    return different <= _FEW and len(cells) >= 2 * different


def _with_none(column: pd.Series[Any]) -> CategoricalParameter:
    """Return the choices of a column, with None among them."""
    cells = [cell for cell in column.tolist() if not is_empty(cell)]
    if all(map(is_number, cells)):
        whole = all(float(cell).is_integer() for cell in cells)
        cells = sorted(int(cell) if whole else float(cell) for cell in cells)
    return CategoricalParameter(str(column.name), [*_distinct(cells), None])


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
        if parameter.name not in table:  # whether a number is set
            continue
        cells = table[parameter.name].tolist()
        full = [i for i, cell in enumerate(cells) if not is_empty(cell)]
        encoded = _encoded(parameter, [cells[i] for i in full])
        if isinstance(parameter, CategoricalParameter):
            first = np.unique(encoded, return_index=True)[1]
        else:
            first = np.array([np.argmin(encoded), np.argmax(encoded)])
        found[parameter.name] = sorted({int(trials[full[i]]) for i in first})
    return found


def _parameter(
    column: pd.Series[Any], name: str, notes: list[Fact], *, sure: bool
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
    if not is_category and not sure and all(map(is_time_text, cells)):
        notes.append(fact("column_of_time_texts", names=[name], example=cells[0]))
        return None
    if types.is_object_dtype(column) and all(map(is_number, cells)):
        present = _as_numbers(present)
    if types.is_bool_dtype(present) or not types.is_numeric_dtype(present):
        choices = _distinct(cells)
        if len(choices) == len(present) > 2:
            text = all(isinstance(choice, str) for choice in choices)
            left_out = text and not sure and all(as_plain_number(c) is None for c in choices)
            notes.append(
                fact(
                    "different_in_every_row",
                    names=[name],
                    text=text,
                    gaps=len(present) < len(column),
                    left_out=left_out,
                )
            )
            if left_out:
                return None
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

    if types.is_complex_dtype(present):
        problem = f"has complex numbers in column {name!r}, which have no order"
        raise InputError("frame", problem, present.iloc[0], "Split them into columns of their own.")
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
    scale = scale_of(values)
    log = scale.log
    if not scale.clear:
        notes.append(fact("scale_unclear", names=[name], decades=scale.decades, log=log))
    elif log:
        notes.append(fact("log_scale_guessed", names=[name], decades=scale.decades))
    ends = (present.min(), present.max()) if whole else (low, high)
    parameter, about = parameter_of(name, Domain(*ends, log=log, whole=whole))
    notes += about
    return parameter


def _distinct(values: list[Any]) -> list[Any]:
    """Return the choices that occur, in the order in which they first do."""
    first: dict[Hashable, Any] = {}
    for value in values:
        first.setdefault(cell_key(value), value)
    return different(first.values())
