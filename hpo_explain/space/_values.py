"""What every kind of hyperparameter shares: values, what is checked when it is declared, scales."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hpo_explain.base import InputError, check_fraction, set_fields
from hpo_explain.space.ranges import Range

Array: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Config: TypeAlias = Mapping[str, Any]

POSITION_TOLERANCE = 1e-9
"""Positions, or values as shares of a range, that differ by less are the same but for rounding."""
ON_GRID = 1e-6  # of a step: values that storages and tables round are still on their grid
MOST_LISTED = 1_000_000  # values of a hyperparameter that are ever listed


def plain(value: Any) -> Any:
    """Return the Python value of a numpy scalar, and a list for an array, also inside of lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return value


def check_name(name: object) -> None:
    """Raise InputError unless the name is a text."""
    if not isinstance(name, str) or not name:
        problem = f"of a hyperparameter must be a non-empty text, but was {name!r}"
        raise InputError("name", problem, name)


def check_range(name: str, low: float, high: float, log: bool) -> None:
    """Raise InputError unless the range is one, and positive on a log scale."""
    where = f"low of {name!r}"
    if low > high:
        problem = f"must not be above high, but was [{low!r}, {high!r}]"
        raise InputError(where, problem, low, "Swap them.")
    if log and low <= 0:
        problem = f"must be above 0 on a log scale, but was {low!r}"
        raise InputError(where, problem, low, "Raise low, or set log=False.")


def check_activity(parameter: Any) -> None:
    """Check `optional` and `active_when`, and keep the values of each parent as a tuple."""
    name = parameter.name
    if parameter.optional != 1.0:
        check_fraction(f"optional of {name!r}", parameter.optional)
    conditions = _conditions(name, parameter.active_when)
    set_fields(parameter, active_when=conditions)


def _conditions(
    name: str, active_when: Mapping[str, Iterable[Any] | Range] | None
) -> dict[str, tuple[Any, ...] | Range]:
    where = f"active_when of {name!r}"
    if not isinstance(active_when, Mapping | None):
        problem = f"must map parents to lists of values, but was {active_when!r}"
        raise InputError(where, problem, active_when, "Write {parent: [value, ...]}.")
    clean: dict[str, tuple[Any, ...] | Range] = {}
    for parent, values in (active_when or {}).items():
        if isinstance(values, Range):
            clean[parent] = values
            continue
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            problem = f"must give a list of values of {parent!r}, but was {values!r}"
            raise InputError(where, problem, values, f"Write {{{parent!r}: [{values!r}]}}.")
        clean[parent] = tuple(values)
        if not clean[parent]:
            problem = f"lists no value of {parent!r}, so that {name!r} would never be active"
            raise InputError(where, problem, clean[parent], "List at least one value.")
    return clean


# ---------------------------------------------------------------------- the scale


def to_position(values: Array, low: float, high: float, log: bool) -> Array:
    """Return the positions of values on a linear or a log scale; 0 in a range of one value."""
    if low == high:
        return np.zeros_like(values)
    if log:
        low = math.log(low)
        high = math.log(high)
        values = np.log(values)
    return (values - low) / (high - low)


def to_value(positions: Array, low: float, high: float, log: bool) -> Array:
    """Return the values at positions on a linear or a log scale."""
    if log:
        return np.exp(math.log(low) + positions * (math.log(high) - math.log(low)))
    return low + positions * (high - low)


def to_digits(values: Array, digits: int = 15) -> Array:
    """Return positive numbers rounded to so many significant digits; extreme ones are left.

    Examples
    --------
    >>> to_digits(np.array([0.10000000000000002, 99.99999999999999])).tolist()
    [0.1, 100.0]
    """
    with np.errstate(all="ignore"):
        scale = 10.0 ** (digits - 1 - np.floor(np.log10(values)))
        rounded = np.round(values * scale) / scale
    return np.where(np.isfinite(rounded) & (rounded > 0.0), rounded, values)


# ---------------------------------------------------------------------- counted values


def counted(u: Array, size: int) -> npt.NDArray[np.int64]:
    """Return which of `size` equally weighted values latent values lead to."""
    return np.minimum((u * size).astype(np.int64), size - 1)


def counted_share(positions: Array, size: int) -> Array:
    """Return the share of `size` equally weighted values that lie up to positions."""
    index = np.floor(positions * max(size - 1, 1) + POSITION_TOLERANCE)
    return np.clip(index + 1.0, 0.0, size) / size


def counted_interval(low: float, high: float, size: int) -> tuple[float, float]:
    """Return the latent interval of those of `size` values whose positions are in [low, high]."""
    first = math.ceil((max(low, 0.0) - POSITION_TOLERANCE) * (size - 1))
    last = math.floor((min(high, 1.0) + POSITION_TOLERANCE) * (size - 1))
    return first / size, (last + 1) / size


# ---------------------------------------------------------------------- encoding


def to_positions(
    name: str, values: Iterable[Any], low: float, high: float, *, log: bool, step: float | None
) -> Array:
    """Return the positions of a hyperparameter's values; one that was only rounded is corrected.

    Raises
    ------
    InputError
        If one is not a number, outside the range, or off the grid.
    """
    values = list(values)
    # millions of values are most often real numbers already
    if set(map(type, values)) <= {float}:
        numbers = np.array(values, dtype=float)
    else:
        numbers = np.array([_number(name, v, low, high) for v in values])
    below, above = _slack(low, high, log, step)
    outside = ~((numbers >= low - below) & (numbers <= high + above))
    if outside.any():
        value = values[int(np.argmax(outside))]
        problem = f"= {value!r} is outside its range [{low}, {high}]"
        remedy = "Correct the value, or widen its range."
        raise InputError(name, problem, value, remedy)
    numbers = np.clip(numbers, low, high)
    if step is not None and low != high:
        steps = (numbers - low) / step
        off = np.abs(steps - np.round(steps)) > ON_GRID
        if off.any():
            value = values[int(np.argmax(off))]
            problem = f"= {value!r} is not on its grid {low}, {low + step}, ..., {high}"
            remedy = "Round the value, or change its step."
            raise InputError(name, problem, value, remedy)
        numbers = low + np.round(steps) * step
    return to_position(numbers, low, high, log)


def _number(name: str, value: Any, low: float, high: float) -> float:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        problem = f"= {value!r} is not a number"
        remedy = f"Give one in [{low}, {high}]."
        raise InputError(name, problem, value, remedy) from None


def _slack(low: float, high: float, log: bool, step: float | None) -> tuple[float, float]:
    """Return how far below and above its range a value that was only rounded may lie."""
    if step is not None:
        return ON_GRID * step, ON_GRID * step
    if log:
        return POSITION_TOLERANCE * low, POSITION_TOLERANCE * high
    span = (high - low) or abs(low)
    # not less than the values themselves are resolved
    resolved = 4.0 * float(np.spacing(max(abs(low), abs(high))))
    slack = max(POSITION_TOLERANCE * span, resolved)
    return slack, slack


def rounded(positions: Array) -> Array:
    """Return positions without the digits that the unit of a hyperparameter decides."""
    steps = 2.0**40
    return np.rint(positions * steps) / steps
