"""The columns of a table that number and time its trials."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.frame._cells import (
    as_float,
    cell_key,
    is_empty,
    is_moment,
    is_number,
)
from hpo_explain.adapters.frame._number_text import texts_as_numbers
from hpo_explain.base.errors import InputError, Option, Text
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


LARGEST_NUMBER = 2**53
"""Largest number of a trial: a Run takes numbers as floats, which are exact up to here."""


def read_numbers(column: pd.Series[Any], name: str, *, unique: bool) -> npt.NDArray[np.int64]:
    """Return the numbers of trials.

    Raises
    ------
    InputError
        If one is not a whole number, is too large, or occurs twice though they should be unique.
    """
    values = column.tolist()
    remedy = ("Leave ", Option("trial"), " out: rows are then numbered from 0.")
    for i, value in enumerate(values):
        if not _is_whole(value):
            problem = f"{name!r} must hold whole numbers, but is {value!r} in row {i}"
            raise InputError("trial", problem, value, remedy)
        if abs(value) > LARGEST_NUMBER:
            problem = (
                f"{name!r} must hold whole numbers of at most 2**53, but is {value!r} in row {i}"
            )
            raise InputError("trial", problem, value, remedy)
    numbers = np.array([int(v) for v in values], dtype=np.int64)
    found, counts = np.unique(numbers, return_counts=True)
    if unique and (counts > 1).any():
        number = int(found[counts > 1][0])
        several = (
            " Where a trial has one row per fold or data set, name that column in ",
            Option("instance"),
            ".",
        )
        problem = f"{name!r} has the number {number} more than once"
        raise InputError("trial", problem, number, (*remedy, *several))
    return numbers


def are_names(column: pd.Series[Any]) -> bool:
    """Say whether a column holds names of trials: text, and not only that of numbers."""
    present = [cell for cell in column.tolist() if not is_empty(cell)]
    texts = bool(present) and all(isinstance(cell, str) for cell in present)
    return texts and not any(is_number(cell) for cell in texts_as_numbers(column).tolist())


def trial_numbers(
    column: pd.Series[Any], name: str, *, several: bool
) -> tuple[npt.NDArray[np.int64], list[Fact]]:
    """Return the numbers of trials, or where they have names numbers in the order of the rows.

    Parameters
    ----------
    column : pandas.Series
        The numbers or names.
    name : str
        What the column is called.
    several : bool
        Whether a trial has several rows.

    Raises
    ------
    InputError
        As of :func:`read_numbers`.
    """
    if not are_names(column):
        return read_numbers(texts_as_numbers(column), name, unique=not several), []
    known: dict[Any, int] = {}
    keys = [cell_key(cell) if several else i for i, cell in enumerate(column.tolist())]
    numbers = [known.setdefault(key, len(known)) for key in keys]
    return np.array(numbers, dtype=np.int64), [fact("names_of_trials", names=[name])]


def unsorted_time(table: pd.DataFrame, columns: Sequence[str]) -> str | None:
    """Return the first column of moments in which some row is earlier than the one before it.

    Columns of durations or clock times say nothing about the order, nor do those with empty cells.
    """
    for name in columns:
        cells = table[name].tolist()
        if not all(is_moment(cell) for cell in cells):
            continue
        if (np.diff(read_seconds(table[name], name)) < 0).any():
            return name
    return None


def _is_whole(value: Any) -> bool:
    return is_number(value) and math.isfinite(as_float(value)) and value == int(value)


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
        raise InputError(
            "time",
            f"{name!r} must hold moments, but holds durations such as {present[0]}",
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
        raise InputError(
            "time",
            f"{name!r} must hold seconds or ISO 8601 timestamps, but is {column.iloc[i]!r} in row "
            f"{i}",
            column.iloc[i],
            "Convert it with pandas.to_datetime.",
        )
    seconds = (stamps - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return np.asarray(seconds.to_numpy(dtype=float), dtype=float)


def _is_duration(cell: Any) -> bool:
    """Say whether a cell is a duration, or the text that pandas writes for one in a file."""
    if isinstance(cell, str):
        return re.match(r"-?\d+ days?\b", cell) is not None
    return isinstance(cell, (timedelta, np.timedelta64))


def check_finishes(
    clocks: list[Array], table: pd.DataFrame, names: list[str], trials: Sequence[int]
) -> None:
    """Raise InputError if a row finishes before it starts; `trials` are the rows' numbers."""
    start, finish = clocks
    early = finish < start  # False where one of them is empty
    if not early.any():
        return
    i = int(np.flatnonzero(early)[0])
    first, last = (table[name].iloc[i] for name in names)
    remedy: Text = "Correct the row, or leave it out."
    if early.sum() == (~np.isnan(finish - start)).sum():
        remedy = ("If the two were swapped, give ", Option("time", (names[1], names[0])), ".")
    raise InputError(
        "time",
        f"must be (start, finish), but trial {trials[i]} (row {i}) finishes before it starts: "
        f"{names[0]!r} is {first} and {names[1]!r} is {last}",
        (first, last),
        remedy,
    )


def order_of(
    numbers: npt.NDArray[np.int64], clocks: list[Array], trial: str | None, times: list[str]
) -> npt.NDArray[np.int64]:
    """Return the positions of trials in the order in which they were proposed.

    Raises
    ------
    InputError
        If numbers and a single time contradict each other.
    """
    if not clocks:
        return np.argsort(numbers, kind="stable")
    order = np.argsort(clocks[0], kind="stable")  # empty ones come last
    if len(clocks) == 1 and trial is not None and (np.diff(numbers[order]) < 0).any():
        raise InputError(
            "trial",
            f"{trial!r} and time {times[0]!r} put the rows in different orders",
            trial,
            ("Leave one out, or name both start and finish in ", Option("time"), "."),
        )
    return order
