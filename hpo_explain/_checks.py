"""Messages for bad input: every one names the argument, what it was, and the remedy."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Collection, Iterable
from typing import Any


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


def check_fraction(name: str, value: float) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name} must lie between 0 and 1 (exclusive), but was {value!r}.")
    return float(value)


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
