"""Messages for bad input: every one names the argument, what it was, and the remedy."""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt


def check_option(name: str, value: object, allowed: Collection[str]) -> str:
    """Return `value` if it is one of the allowed words, else raise ValueError."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be one of {options}, but was {value!r}.")
    return value


def check_count(name: str, value: object, *, minimum: int = 1) -> int:
    """Return `value` as an int if it is a whole number of at least `minimum`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{name} must be a whole number, but was {value!r}.") from None
    if count < minimum:
        raise ValueError(f"{name} must be at least {minimum}, but was {count}.")
    return count


def check_sequence(name: str, value: object, what: str) -> list[Any]:
    """Return `value` as a list if it holds several things, such as "numbers of trials"."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ValueError(f"{name} must be a list of {what}, but was {value!r}.")
    return list(value)


def check_number(name: str, value: object) -> float:
    """Return `value` as a float if it is a finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        raise ValueError(f"{name} must be a number, but was {value!r}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, but was {value!r}.")
    return number


def check_fraction(name: str, value: object) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    number = check_number(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must lie between 0 and 1 (exclusive), but was {value!r}.")
    return number


def check_array(name: str, value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return `value` as a float array if it holds numbers only."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}.") from None


def check_direction(value: object) -> str:
    """Return the direction of an objective: "minimize" or "maximize"."""
    return check_option("direction", value, ("minimize", "maximize"))


def unknown_name(kind: str, name: object, known: Iterable[Any]) -> str:
    """Say that a name is unknown, which one was probably meant, and which there are."""
    names = [str(entry) for entry in known]
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    return f"unknown {kind} {name!r}.{hint} There are: {shown}."
