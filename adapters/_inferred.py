"""The search space of a table, inferred from what its columns hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import as_float, cell_key, is_empty, is_number, is_time
from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters._domain import Domain, parameter_of, scale_of
from hpo_explain.adapters._reading import only_left_out
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import join_names
from hpo_explain.space import (
    LARGEST_WHOLE,
    Array,
    Bools,
    CategoricalParameter,
    IntParameter,
    Ints,
    Parameter,
    SearchSpace,
    different,
)

if TYPE_CHECKING:
    import pandas as pd

_FEW = 10  # different numbers beside None that are choices, where each was tried twice
_FIRST = 10  # trials: as many do optimizers draw before they look at results


def infer_space(
    table: pd.DataFrame,
    kept: Ints,
    trials: Ints,
    *,
    given: Mapping[str, Parameter] | None = None,
    log: Mapping[str, bool] | None = None,
    set_to_none: Mapping[str, Bools] | None = None,
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
    given : mapping of str to Parameter, optional
        What single columns are known to be.
    log : mapping of str to bool, optional
        Whether the scale of columns is known to be logarithmic.
    set_to_none : mapping of str to ndarray of bool, optional
        For columns of which it is known: the rows in which an empty cell is a value.
    """
    notes: list[Fact] = []
    found: dict[str, Parameter] = {}
    columns: dict[str, Array] = {}
    given, known, scales = given or {}, set_to_none or {}, log or {}
    is_new = ~table.astype(str).duplicated()
    for name in table.columns:
        cells, none = table[name], known.get(name)
        parameter = given.get(name)
        if parameter is None and none is not None and _may_be_choices(cells, none):
            parameter = _with_none(cells)
        first = [c for c in cells.iloc[kept].tolist() if not is_empty(c)]
        parameter = parameter or _parameter(
            cells.infer_objects(), name, notes, first=first[:_FIRST], log=scales.get(name)
        )
        parameter = parameter if name in given else _listed(parameter, cells[is_new], notes)
        if parameter is None:
            continue
        kept_none = None if none is None else none[kept]
        values = _encoded(parameter, cells.iloc[kept].tolist(), kept_none)
        if len(kept) and np.isnan(values).all():
            notes.append(only_left_out([name]))
            continue
        found[name], columns[name] = parameter, values
    if not found:
        problem = "has no column left that could be a hyperparameter"
        remedy = ("Add one, or name it in ", Option("hyperparameters"), ".")
        raise InputError("frame", problem, list(table.columns), remedy)
    parameters, inferred = _with_conditions(found, columns, trials)
    changed = _unexplained(inferred, _marks(table)) - {*given}
    changed = {n for n in changed if _may_be_choices(table[n], _empty_ones(table[n]))}
    if changed:
        space, X = (SearchSpace(parameters), np.column_stack([*columns.values()]))
        for j, name in enumerate(columns):
            if name in changed:
                found[name], cells = (_with_none(table[name]), table[name].iloc[kept])
                none = _empty_ones(cells) & space.allowed(X, j)
                columns[name] = _encoded(found[name], cells.tolist(), none)
        parameters, inferred = _with_conditions(found, columns, trials)
        names = [name for name in columns if name in changed]
        notes.append(
            fact(
                f"{join_names(names)}: empty cells that no other hyperparameter explains are the "
                "value None; ",
                Option("space"),
                " may state another reason",
                names=names,
                role="check",
            )
        )
    X = np.column_stack([*columns.values()])
    gaps = np.isnan(X).sum(axis=0)
    if gaps.any():
        empty = ", ".join(f"{parameters[j].name} in {gaps[j]}" for j in np.flatnonzero(gaps))
        notes.append(
            fact(
                f"empty cells ({empty} of {len(X)} rows) mean inactive; when, is inferred below "
                "unless ",
                Option("space"),
                " states it",
                role="check",
            )
        )
    return SearchSpace(parameters), X, [*_grouped(notes), *inferred]


def _spread_evenly(names: Sequence[str], decades: str) -> Fact:
    return fact(
        f"{join_names(names)}: spread evenly over {decades} decades, so assumed to be on a "
        "logarithmic scale; ",
        Option("linear"),
        " changes it",
        kind="log_scale_guessed",
        names=names,
        role="check",
        decades=decades,
    )


def _grouped(notes: list[Fact]) -> list[Fact]:
    """Return notes of which those on lists are one, and those on as long a logarithmic scale."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    logs = [note for note in notes if note.kind == "log_scale_guessed"]
    for note in logs:
        names[note["decades"]] += note.names
    shared = {note: _spread_evenly(names[note["decades"]], note["decades"]) for note in logs}
    lists = [note for note in notes if note.kind == "listed"]
    listed = [name for note in lists for name in note.names]
    of_lists = fact(
        f"{join_names(listed)}: only values that occur are proposed, as of a list; ",
        Option("space"),
        " gives a range",
        names=listed,
        role="check",
    )
    shared |= dict.fromkeys(lists, of_lists)
    return [*dict.fromkeys(shared.get(note, note) for note in notes)]


def _encoded(parameter: Parameter, cells: list[Any], none: Bools | None = None) -> Array:
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


def _with_conditions(
    found: Mapping[str, Parameter], columns: Mapping[str, Array], trials: Ints
) -> tuple[list[Parameter], list[Fact]]:
    """Return the hyperparameters with conditions; one that was given with its own keeps that."""
    parameters = [*found.values()]
    X = np.column_stack([*columns.values()])
    bare = [replace(p, active_when=None, optional=1.0) for p in parameters]
    inferred, notes = infer_conditions(bare, X, trials.tolist())
    own = {p.name for p in parameters if p.active_when or p.optional < 1.0}
    kept = [p if p.name in own else other for p, other in zip(parameters, inferred, strict=True)]
    return kept, [note for note in notes if not {*note.names} <= own]


# ---------------------------------------------------------------------- None as a value


def _unexplained(inferred: list[Fact], marks: Collection[str]) -> set[str]:
    """Return the hyperparameters of which no other one explains when they are there.

    That they were added midway does, but not of those that are there or not and nothing else.
    """
    return {
        name
        for note in inferred
        if note.kind == "active_at_frequency"
        for name in note.names
        if name in marks or not note["midway"]
    }


def _marks(table: pd.DataFrame) -> set[str]:
    """Return the columns with one value and empty cells, as tables of ablations have."""
    return {
        str(name)
        for name in table.columns
        if len({*map(cell_key, table[name].tolist())} - {None}) == 1
    }


def _empty_ones(column: pd.Series[Any]) -> Bools:
    return np.array([is_empty(cell) for cell in column.tolist()])


def _may_be_choices(column: pd.Series[Any], none: Bools) -> bool:
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


def trials_of_ranges(space: SearchSpace, table: pd.DataFrame, trials: Ints) -> dict[str, list[int]]:
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
        encoded = _encoded(parameter, [cells[i] for i in full])
        if isinstance(parameter, CategoricalParameter):
            first = np.unique(encoded, return_index=True)[1]
        else:
            first = np.array([np.argmin(encoded), np.argmax(encoded)])
        found[parameter.name] = sorted({int(trials[full[i]]) for i in first})
    return found


def _parameter(
    column: pd.Series[Any], name: str, notes: list[Fact], *, first: list[Any], log: bool | None
) -> Parameter | None:
    """Return the hyperparameter that a column holds, or None and a note."""
    import pandas as pd
    from pandas.api import types

    present = column[[not is_empty(value) for value in column.tolist()]]
    if not len(present):
        text = f"{name}: left out, as the column is empty"
        notes.append(fact(text, names=[name], role="check"))
        return None
    cells = present.tolist()
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if not is_category and all(map(is_time, cells)):
        left_out = f"{name}: left out, as a time is not a hyperparameter; "
        notes.append(fact(left_out, Option("time"), " orders by it", names=[name], role="check"))
        return None
    gaps = len(present) < len(column)
    if types.is_object_dtype(column) and all(map(is_number, cells)):
        present = _as_numbers(present)
    if types.is_bool_dtype(present) or not types.is_numeric_dtype(present):
        choices = _distinct(cells)
        if len(choices) == len(present) > 2:
            notes.append(
                fact(
                    f"{name}: a different value in every row{' that has one' if gaps else ''}; if "
                    "it is not a hyperparameter, leave it out with ",
                    Option("ignore"),
                    names=[name],
                    role="check",
                )
            )
        return CategoricalParameter(name, choices)
    return _number(present, name, notes, gaps=gaps, first=first, log=log)


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


def _number(
    present: pd.Series[Any],
    name: str,
    notes: list[Fact],
    *,
    gaps: bool,
    first: list[Any],
    log: bool | None,
) -> Parameter:
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
        notes.append(fact(f"{name}: whole numbers, read as integers"))
    low, high = float(values.min()), float(values.max())
    if log is None:
        scale = scale_of(values, [as_float(cell) for cell in first])
        log = scale.log
        decades = f"{scale.decades:.1f}"
        if not scale.clear:
            assumed, other = ("logarithmic", "linear") if log else ("linear", "log")
            notes.append(
                fact(
                    f"{name}: spans {decades} decades, and its values do not tell whether its "
                    f"scale is linear or logarithmic; assumed to be {assumed}, unless ",
                    Option(other, [name]),
                    " is given",
                    names=[name],
                    role="check",
                )
            )
        elif log:
            notes.append(_spread_evenly([name], decades))
    elif log and low <= 0.0:
        problem = f"names {name!r}, which has the value {low:g}"
        remedy = "A logarithmic scale has positive values only."
        raise InputError("log", problem, low, remedy)
    if whole:  # exactly: floats skip large integers
        low, high = present.min(), present.max()
    parameter, of_domain = parameter_of(name, Domain(low, high, log, whole))
    notes += of_domain
    return parameter


def _listed(
    parameter: Parameter | None, column: pd.Series[Any], notes: list[Fact]
) -> Parameter | None:
    """Return a hyperparameter with its values where numbers were taken from a list, and a note.

    Of a list each value is in many different rows, or all are powers of two.
    """
    if parameter is None or parameter.is_category:
        return parameter
    values = np.array([as_float(cell) for cell in column.tolist() if not is_empty(cell)])
    listed, counts = np.unique(values, return_counts=True)
    whole = isinstance(parameter, IntParameter)
    if len(listed) < 2 or (whole and (np.diff(listed) == 1.0).all()):
        return parameter
    are_powers = (
        whole and len(listed) > 2 and listed[0] > 0.0 and (np.frexp(listed)[0] == 0.5).all()
    )
    are_repeated = len(listed) <= _FEW and counts.min() >= 2 and len(values) >= 3 * len(listed)
    if not (are_powers or are_repeated):
        return parameter
    notes.append(fact("of a list", kind="listed", names=[parameter.name]))
    if isinstance(parameter, IntParameter):
        return replace(parameter, values=[*map(int, listed)])
    return replace(parameter, values=listed.tolist())


def _distinct(values: list[Any]) -> list[Any]:
    """Return the choices that occur, in the order in which they first do."""
    first: dict[Hashable, Any] = {}
    for value in values:
        first.setdefault(cell_key(value), value)
    return different(first.values())
