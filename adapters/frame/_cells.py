"""Cells of a table: what one holds, and when two are equal."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np


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
    return isinstance(value, kinds)  # timestamps are dates, and pandas's durations timedeltas


# ISO 8601, and durations as pandas writes them. A bare "16:09" may be a ratio, so a time without
# a date needs its seconds.
_CLOCK = r"([01]\d|2[0-3]):[0-5]\d"
_SECONDS = r":[0-5]\d([.,]\d+)?"
_ZONE = r"( ?(Z|[+-]\d\d(:?\d\d)?))?"
_TIME_TEXT = re.compile(
    rf"\d{{4}}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]{_CLOCK}({_SECONDS})?{_ZONE})?"
    rf"|{_CLOCK}{_SECONDS}{_ZONE}"
    rf"|-?\d+ days?( [+-]?{_CLOCK}{_SECONDS})?"
)


def is_time_text(value: Any) -> bool:
    """Say whether a cell is the text of a date, a time or a duration.

    Examples
    --------
    >>> [is_time_text(text) for text in ("2026-01-31 08:30:00.5", "0 days 00:00:01.2", "16:09")]
    [True, True, False]
    """
    return isinstance(value, str) and _TIME_TEXT.fullmatch(value.strip()) is not None


_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def is_moment(value: Any) -> bool:
    """Say whether a cell is a date, alone or with a time, or the text of one."""
    if isinstance(value, str):
        return is_time_text(value) and _DATE.match(value.strip()) is not None
    return not is_empty(value) and isinstance(value, (date, np.datetime64))


def cell_key(value: Any) -> Hashable:
    """Return a key that only cells of the same type and content have (True is not 1)."""
    if is_empty(value):
        return None
    try:
        hash(value)
    except TypeError:  # a list cannot be looked up
        return type(value), repr(value)
    return type(value), value
