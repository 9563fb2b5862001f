"""Cells of a table: what one holds, when two are equal, and columns of numbers and of times."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters.frame._names import word_set
from hpo_explain.base.errors import InputError
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = re.compile(r"[+-]?\d+")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# and what people write around a number: a currency, a unit, a standard deviation, bold type
_SPREAD = r"( *(±|\+/?-) *[\d.,e-]+ *%?| *\( *(±|\+/?-)? *[\d.,e-]+ *%?\))?"
_THOUSANDS = r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"
_WITH_COMMA = r"[+-]?(\d{1,3}([. \u00a0\u202f]\d{3})+|\d+)(,\d+)?"
_UNIT = r"[ \u00a0\u202f]*(?P<unit>[%€$£]|°?[^\W\d_]+(/[^\W\d_]+)?)"
_WRITTEN = re.compile(
    rf"\s*\**[€$£]?(?P<number>{_THOUSANDS}|{_PLAIN.pattern})({_UNIT})?{_SPREAD}[*†‡]*\s*"
)
# where most of Europe writes; without a unit "64,32" may be two numbers
_WRITTEN_WITH_COMMA = re.compile(
    rf"\s*\**(?P<number>{_WITH_COMMA}){_UNIT}{_SPREAD}[*†‡]*\s*"
)
_NOTATIONS = (
    (_WRITTEN, str.maketrans("", "", ",")),
    (_WRITTEN_WITH_COMMA, str.maketrans(",", ".", ". \u00a0\u202f")),
)
_FACTORS = {"": 1, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}
_NO_RESULT = word_set(
    "- -- – — / ? n/a na nan #n/a inf +inf -inf oom diverged crash crashed failed fail timeout"
)


def is_empty(value: Any) -> bool:
    """Say whether a cell is None, NaN, NA or NaT."""
    import pandas as pd

    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def is_number(value: Any) -> bool:
    """Say whether a cell is a real number of any type; True and False are not."""
    return isinstance(value, (Real, Decimal)) and not isinstance(
        value, (bool, np.bool_)
    )


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


# ISO 8601 and what people write in its place, and durations. A bare "16:09" may be a ratio, so a
# time without a date needs its seconds.
_CLOCK = r"([01]?\d|2[0-3]):[0-5]\d"
_SECONDS = r":[0-5]\d([.,]\d+)?"
_ZONE = r"( ?(Z|UTC|[+-]\d\d(:?\d\d)?))?"
_DAY = r"(0?[1-9]|[12]\d|3[01])"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])",
    rf"\d{{4}}[/.]{_DAY}[/.]{_DAY}",
    rf"{_DAY}[/.]{_DAY}[/.]\d{{2}}(\d\d)?",
    rf"{_DAY}[ -]{_MONTH}[ -]\d{{4}}",
    rf"([a-z]{{3}},? )?{_MONTH} {_DAY},? \d{{4}}",
)
_TIME_TEXT = re.compile(
    rf"({'|'.join(_DATES)})([T ,]+{_CLOCK}({_SECONDS})?( ?[ap]m)?{_ZONE})?"
    rf"|[a-z]{{3}} {_MONTH} +{_DAY} {_CLOCK}{_SECONDS} \d{{4}}"  # of C's ctime
    r"|20\d\d-?[01]\d-?[0-3]\d[_T -][0-2]\d[-:]?[0-5]\d([-:]?[0-5]\d)?"  # in names of files
    rf"|{_CLOCK}{_SECONDS}{_ZONE}"
    rf"|-?\d+ days?( [+-]?{_CLOCK}{_SECONDS})?"
    r"|(\d+h ?)?(\d+ ?m(in)? ?)?\d+(\.\d+)? ?(ms|s|sec|min|h)",
    re.IGNORECASE,
)


def is_time_text(value: Any) -> bool:
    """Say whether a cell is the text of a date, a time or a duration.

    Examples
    --------
    >>> [is_time_text(text) for text in ("2026-01-31 08:30:00.5", "0 days 00:00:01.2", "16:09")]
    [True, True, False]
    """
    return (
        isinstance(value, str)
        and _TIME_TEXT.fullmatch(value.strip()) is not None
    )


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


def is_number_text(text: str) -> bool:
    """Say whether people read a text as a number: 5.3%, 4,000, 0,5, $3."""
    return _PLAIN.fullmatch(text.strip("%€$£ ").replace(",", "")) is not None


def is_no_result(text: str) -> bool:
    """Say whether people write a text in place of a number that they do not have.

    Examples
    --------
    >>> [is_no_result(text) for text in ("-", "N/A", "OOM", " ", "auto")]
    [True, True, True, True, False]
    """
    word = text.strip().lower()
    return not word or word in _NO_RESULT


def texts_as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of numbers written as text, such as "1e-3", as numbers; else itself.

    So a data frame is read as a CSV file is. A sign of percent counts for nothing, nor does a unit
    that all cells have, or the standard deviation of a mean. What stands in place of a number, such
    as "OOM", is None. Categories are left as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> texts_as_numbers(pd.Series(["1", None, "30", "-"])).tolist()
    [1, None, 30, None]
    >>> texts_as_numbers(pd.Series(["85.5%", "0.8 ± 0.1", "0.9 (0.02)"])).tolist()
    [85.5, 0.8, 0.9]
    >>> texts_as_numbers(pd.Series(["32 MB", "1,024 MB"])).tolist()
    [32, 1024]
    >>> texts_as_numbers(pd.Series(["0,5 с", "1.024,25 с"])).tolist()
    [0.5, 1024.25]
    """
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    cells = column.tolist()
    texts = {cell for cell in cells if isinstance(cell, str)}
    others = [c for c in cells if not isinstance(c, str) and not is_empty(c)]
    written = {text for text in texts if not is_no_result(text)}
    if not texts or not all(map(is_number, others)):
        return column
    if bool(others) == bool(written):  # no number at all, or of two kinds
        return column
    values: dict[str, Any] = {}
    if written:
        found = _numbers_of(written)
        if found is None:
            return column
        values = found
    numbers = [
        values.get(cell) if isinstance(cell, str) else cell for cell in cells
    ]
    numbers = [None if is_empty(number) else number for number in numbers]
    return pd.Series(numbers, index=column.index, dtype=object)


def _numbers_of(texts: Collection[str]) -> dict[str, Any] | None:
    """Return the number that each text is, all of one unit; None where one is none."""
    if all(map(is_time_text, texts)):
        return None
    parts = _parts_of(texts)
    if parts is None:
        return None
    units = {unit for _, unit in parts.values()} - {"%"}
    if len(units) > 1:
        if not units <= {*_FACTORS}:
            return None
        return {
            text: float(number) * _FACTORS[unit]
            for text, (number, unit) in parts.items()
        }
    whole = all(_WHOLE.fullmatch(number) for number, _ in parts.values())
    read = int if whole else float
    return {text: read(number) for text, (number, _) in parts.items()}


def _parts_of(texts: Collection[str]) -> dict[str, tuple[str, str]] | None:
    """Return the digits and the unit of each text, in the notation that all are written in."""
    for written, marks in _NOTATIONS:
        matches = [written.fullmatch(text) for text in texts]
        parts = {
            match[0]: (
                match["number"].translate(marks),
                (match["unit"] or "").lower(),
            )
            for match in matches
            if match is not None
        }
        if len(parts) == len(texts):
            return parts
    return None


def read_numbers(column: pd.Series[Any]) -> Array:
    """Return a column of numbers; NaN where a cell is empty or is none."""
    cells = texts_as_numbers(column).tolist()
    return np.array(
        [
            as_float(cell)
            if is_number(cell) and not is_empty(cell)
            else np.nan
            for cell in cells
        ]
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
            remedy = (
                "Choose another column, or convert it with pandas.to_numeric."
            )
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
        return np.asarray(
            column.to_numpy(dtype=float, na_value=np.nan), dtype=float
        )
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
    if all(
        map(is_number, present)
    ):  # a column of any type may hold nothing but numbers
        return np.array(
            [np.nan if is_empty(cell) else as_float(cell) for cell in column]
        )
    # ISO 8601 only: in any other form day and month may be guessed the wrong way round
    stamps = pd.to_datetime(
        column, utc=True, format="ISO8601", errors="coerce"
    )
    wrong = np.flatnonzero((column.notna() & stamps.isna()).to_numpy())
    if len(wrong):
        i = int(wrong[0])
        cell = column.iloc[i]
        problem = f"{name!r} must hold seconds or ISO 8601 timestamps, but is {cell!r} in row {i}"
        raise InputError(
            "time", problem, cell, "Convert it with pandas.to_datetime."
        )
    seconds = (stamps - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return np.asarray(seconds.to_numpy(dtype=float), dtype=float)


def _is_duration(cell: Any) -> bool:
    """Say whether a cell is a duration, or the text that pandas writes for one in a file."""
    if isinstance(cell, str):
        return re.match(r"-?\d+ days?\b", cell) is not None
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
            found[row] = (
                as_float(cell)
                if number
                else pd.Timedelta(cell).total_seconds()
            )
        except (TypeError, ValueError):
            raise _wrong(name, cell, row) from None
        if not found[row] >= 0.0:
            raise _wrong(name, cell, row)
    return found


def _wrong(name: str, cell: Any, row: int) -> InputError:
    problem = f"{name!r} must hold seconds or durations of at least 0, but is {cell!r} in row {row}"
    remedy = "Choose another column, or convert it with pandas.to_timedelta."
    return InputError("duration", problem, cell, remedy)
