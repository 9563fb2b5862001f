"""Cells of a table: what one holds, when two are equal, and columns of numbers and of times."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Hashable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base.errors import InputError
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_WRAPPED = re.compile(r"(?:OrderedDict|Configuration)\((?:values=)?(.*?),?\s*\)", re.DOTALL)
# NumPy 2 writes np.float64(0.1) inside of a dictionary; a literal has no name for no number
_NUMPY = re.compile(r"\b(?:np|numpy)\.\w+\(([^()]*)\)")
_NAN = re.compile(r"(?<=[\s:,\[(])nan(?=[\s,\])}])")
_WHOLE = re.compile(r"[+-]?\d+")
_WRITTEN = re.compile(
    r"[+-]?(\d{1,3}(,\d{3})+(\.\d+)?|\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)"
)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_NO_RESULT = word_set(
    "- -- – — / ? n/a na nan #n/a inf +inf -inf oom diverged crash crashed failed fail timeout f"
)


def is_empty(value: Any) -> bool:
    """Say whether a cell is None, NaN, NA or NaT."""
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def is_number(value: Any) -> bool:
    """Say whether a cell is a real number of any type; True and False are not."""
    return isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_))


def as_float(value: Any) -> float:
    """Return a number as a float, infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_time(value: Any) -> bool:
    """Say whether a cell is a date, a time, a period or a duration."""
    import pandas as pd

    kinds = (date, time, timedelta, pd.Period, np.datetime64, np.timedelta64)
    # timestamps are dates, and pandas's durations timedeltas
    return isinstance(value, kinds)


def cell_key(value: Any) -> Hashable:
    """Return a key that only cells of the same type and content have (True is not 1)."""
    if is_empty(value):
        return None
    try:
        hash(value)
    except TypeError:  # a list cannot be looked up
        return type(value), repr(value)
    return type(value), value


# ---------------------------------------------------------------------- columns


def is_no_result(text: str) -> bool:
    """Say whether people write a text in place of a number that they do not have.

    Examples
    --------
    >>> [is_no_result(text) for text in ("-", "N/A", "OOM", " ", "auto")]
    [True, True, True, True, False]
    """
    word = text.strip().lower()
    # DeepHyper writes F_ and why
    return not word or word in _NO_RESULT or text.startswith("F_")


def texts_as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of numbers written as text, such as "1e-3", as numbers; else itself.

    So a data frame is read as a CSV file is. A sign of percent counts for nothing. What stands in
    place of a number, such as "OOM", is None. Categories are left as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> texts_as_numbers(pd.Series(["1", None, "30", "-"])).tolist()
    [1, None, 30, None]
    >>> texts_as_numbers(pd.Series(["85.5%", "1,024"])).tolist()
    [85.5, 1024.0]
    """
    import pandas as pd

    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if is_category or pd.api.types.is_numeric_dtype(column.dtype):
        return column
    cells = column.tolist()
    texts = {cell for cell in cells if isinstance(cell, str)}
    others = [c for c in cells if not isinstance(c, str) and not is_empty(c)]
    written = {text for text in texts if not is_no_result(text)}
    if not texts or not all(map(is_number, others)):
        return column
    if bool(others) == bool(written):  # no number at all, or of two kinds
        return column
    digits = {text: text.strip().removesuffix("%") for text in written}
    if not all(map(_WRITTEN.fullmatch, digits.values())):
        return column
    digits = {t: found.replace(",", "") for t, found in digits.items()}
    read = int if all(map(_WHOLE.fullmatch, digits.values())) else float
    values = {text: read(found) for text, found in digits.items()}
    numbers = [values.get(cell) if isinstance(cell, str) else cell for cell in cells]
    numbers = [None if is_empty(number) else number for number in numbers]
    return pd.Series(numbers, index=column.index, dtype=object)


def read_numbers(column: pd.Series[Any]) -> Array:
    """Return a column of numbers; NaN where a cell is empty or is none."""
    cells = texts_as_numbers(column).tolist()
    return np.array(
        [as_float(cell) if is_number(cell) and not is_empty(cell) else np.nan for cell in cells]
    )


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
            problem = f"{name!r} must be numeric, but is {value!r} in row {i}"
            remedy = "Choose another column, or convert it with pandas.to_numeric."
            raise InputError("objective", problem, value, remedy)
    return values


def read_seconds(column: pd.Series[Any], name: str) -> Array:
    """Return times in seconds (since the epoch for timestamps); empty ones are NaN.

    Raises
    ------
    InputError
        If they are neither numbers nor ISO 8601 timestamps, but durations for example.
    """
    import pandas as pd
    from pandas.api import types

    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return np.asarray(column.to_numpy(dtype=float, na_value=np.nan), dtype=float)
    present = column.dropna().tolist()
    if present and all(map(_is_duration, present)):
        problem = f"{name!r} must hold moments, but holds durations such as {present[0]}"
        raise InputError(
            "time",
            problem,
            present[0],
            "Where they count from the start of the whole run, give their seconds: "
            f"pandas.to_timedelta(frame[{name!r}]).dt.total_seconds(). Where they say how long a "
            "trial took, add them to its start, which gives the finish.",
        )
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    if all(map(is_number, present)):  # a column of any type may hold nothing but numbers
        return np.array([np.nan if is_empty(cell) else as_float(cell) for cell in column])
    # ISO 8601 only: in any other form day and month may be guessed the wrong way round
    stamps = pd.to_datetime(column, utc=True, format="ISO8601", errors="coerce")
    wrong = np.flatnonzero((column.notna() & stamps.isna()).to_numpy())
    if len(wrong):
        i = int(wrong[0])
        cell = column.iloc[i]
        problem = f"{name!r} must hold seconds or ISO 8601 timestamps, but is {cell!r} in row {i}"
        raise InputError("time", problem, cell, "Convert it with pandas.to_datetime.")
    seconds = (stamps - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return np.asarray(seconds.to_numpy(dtype=float), dtype=float)


def _is_duration(cell: Any) -> bool:
    """Say whether a cell is a duration, or the text that pandas writes for one in a file."""
    if isinstance(cell, str):
        return bool(re.match(r"-?\d+ days?\b", cell))
    return isinstance(cell, (timedelta, np.timedelta64))


def read_durations(column: pd.Series[Any], name: str) -> Array:
    """Return durations in seconds, NaN where a cell is empty; a number counts as seconds.

    Raises
    ------
    InputError
        If a cell is neither a number nor a duration as pandas writes it, or is negative.
    """
    import pandas as pd

    found = np.full(len(column), np.nan)
    for row, cell in enumerate(texts_as_numbers(column).tolist()):
        if is_empty(cell) or not str(cell).strip():
            continue
        try:
            number = is_number(cell)
            found[row] = as_float(cell) if number else pd.Timedelta(cell).total_seconds()
        except (TypeError, ValueError):
            raise _wrong(name, cell, row) from None
        if not found[row] >= 0.0:
            raise _wrong(name, cell, row)
    return found


def _wrong(name: str, cell: Any, row: int) -> InputError:
    problem = f"{name!r} must hold seconds or durations of at least 0, but is {cell!r} in row {row}"
    remedy = "Choose another column, or convert it with pandas.to_timedelta."
    return InputError("duration", problem, cell, remedy)


def literal(text: str) -> Any:
    """Return the value of what Python or NumPy write, without running anything; else the text."""
    plain = _NAN.sub("None", _NUMPY.sub(r"\1", text.strip()))
    whole = _WRAPPED.fullmatch(plain)
    try:
        return ast.literal_eval(whole[1] if whole else plain)
    except (SyntaxError, ValueError):
        return text


def different_columns(
    table: pd.DataFrame, names: Sequence[str], argument: str, whose: str = ""
) -> list[int]:
    """Return the places of a table's columns; of equal ones with one name the first.

    Raises
    ------
    InputError
        If columns that differ have the same name; it is about the argument, and says whose they
        are.
    """
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        earlier = first.setdefault(name, place)
        if not name or earlier == place:
            continue
        if table.iloc[:, earlier].equals(table.iloc[:, place]):
            continue
        problem = f"{whose}has the column {name} more than once, with other values"
        raise InputError(argument, problem, name, "Rename one.")
    return [place for place, name in enumerate(names) if not name or first[name] == place]
