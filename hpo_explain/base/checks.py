"""Checks of arguments: every error names the argument, what it was, and the remedy."""

from __future__ import annotations

import difflib
import itertools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from hpo_explain.base.errors import InputError
from hpo_explain.base.numbers import ROUNDING_OF_SUMS
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import abridged

_T = TypeVar("_T")


def check_option(name: str, value: object, allowed: Collection[str]) -> str:
    """Return `value` if it is one of the allowed words, else raise InputError."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(word) for word in allowed)
        raise InputError(
            name, f"must be one of {options}, but was {value!r}", value, "Choose one of these."
        )
    return value


def check_count(name: str, value: object, *, minimum: int = 1) -> int:
    """Return `value` as an int if it is a whole number of at least `minimum`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(
            name, f"must be a whole number, but was {value!r}", value, f"Give {minimum} or more."
        ) from None
    if count < minimum:
        raise InputError(
            name, f"must be at least {minimum}, but was {count}", value, f"Give {minimum} or more."
        )
    return count


def check_seed(value: object) -> int:
    """Return the seed of a random number generator as an int.

    Examples
    --------
    >>> check_seed(np.int64(3))
    3
    """
    return check_count("seed", value, minimum=0)


def check_flag(name: str, value: object) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        problem = f"must be True or False, but was {value!r}"
        raise InputError(name, problem, value, "Give one of them.")
    return bool(value)


def check_text(name: str, value: object) -> str:
    """Return `value` if it is a string."""
    if not isinstance(value, str):
        raise InputError(name, f"must be a text, but was {value!r}", value, "Give a string.")
    return value


def check_jobs(value: object) -> int | None:
    """Return a number of joblib's workers; None takes what `joblib.parallel_config` says."""
    remedy = "Give 1 or more, -1 for one per core, or None for what joblib.parallel_config says."
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value == 0:
        problem = f"must be a whole number other than 0, or None, but was {value!r}"
        raise InputError("n_jobs", problem, value, remedy)
    return int(value)


def check_sequence(name: str, value: object, what: str) -> list[Any]:
    """Return `value` as a list if it holds several things, such as "numbers of trials"."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise InputError(
            name, f"must be a list of {what}, but was {value!r}", value, "Put them in a list."
        )
    return list(value)


def each_of(name: str, value: object, what: str, check: Callable[[Any], _T]) -> list[_T]:
    """Return what is found for each of several things; an error names the whole argument.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        What it was, which should be a list.
    what : str
        What it should hold, such as "numbers of trials".
    check : callable
        Returns what is wanted of one of them, or raises InputError.

    Examples
    --------
    >>> each_of("trials", [3, "x"], "numbers of trials", lambda entry: check_count("trial", entry))
    Traceback (most recent call last):
        ...
    hpo_explain.base.errors.InputError: trials has an entry that cannot be used: trial must be a \
whole number, but was 'x'. Give 1 or more.
    """
    results = []
    for entry in check_sequence(name, value, what):
        try:
            results.append(check(entry))
        except InputError as error:
            about = f"has an entry that cannot be used: {error.argument} "
            raise error.inside(name, about, entry) from None
    return results


def check_number(name: str, value: object) -> float:
    """Return `value` as a float if it is a finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        raise InputError(name, f"must be a number, but was {value!r}", value, "Give a number.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(name, f"must be finite, but was {value!r}", value, "Give a finite number.")
    return number


def check_fraction(name: str, value: object) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    number = check_number(name, value)
    if not 0.0 < number < 1.0:
        problem = f"must lie between 0 and 1 (exclusive), but was {value!r}"
        raise InputError(name, problem, value, "Give a number such as 0.5.")
    return number


def check_array(name: str, value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return `value` as a float array if it holds numbers only."""
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers have no order")
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            name, f"must be an array of numbers: {error}", value, "Give numbers only."
        ) from None


def check_direction(value: object) -> Direction:
    """Return the direction of an objective: "minimize" or "maximize"."""
    return cast(Direction, check_option("direction", value, ("minimize", "maximize")))


def check_name(argument: str, value: object, allowed: Iterable[Any], kind: str) -> Any:
    """Return a name if it is known, else raise InputError with those that are.

    Examples
    --------
    >>> check_name("name", "depht", ["lr", "depth"], "hyperparameter")
    Traceback (most recent call last):
        ...
    hpo_explain.base.errors.InputError: name must be a hyperparameter, but 'depht' is unknown. Did \
you mean 'depth'? There are: lr, depth.
    """
    names = list(allowed)
    if value in names:
        return value
    raise unknown_name(argument, value, names, kind)


def unknown_name(argument: str, value: object, allowed: Iterable[Any], kind: str) -> InputError:
    """Return the error for an unknown name: which one was probably meant, and which there are."""
    names = [str(entry) for entry in allowed]
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    article = "an" if kind[0] in "aeiou" else "a"
    problem = f"must be {article} {kind}, but {value!r} is unknown"
    there = f"There are: {abridged(names, 30)}." if names else "There is none."
    return InputError(argument, problem, value, f"{hint}{there}")


def check_estimate(
    estimate: float,
    interval: tuple[float, float] | None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> None:
    """Raise ValueError unless an estimate lies in its interval, and both in bounds.

    What is not known (NaN, or None) is not compared.

    Examples
    --------
    >>> check_estimate(0.4, (0.2, 0.5), (0.0, 1.0))
    >>> check_estimate(0.4, (0.5, 0.7))
    Traceback (most recent call last):
        ...
    ValueError: an estimate must lie in its interval: 0.5 <= 0.4 <= 0.7 is not true
    """
    low, high = bounds if interval is None else interval
    ordered = (bounds[0], low, estimate, high, bounds[1])
    numbers = [value for value in ordered if not math.isnan(value)]
    sizes = [abs(value) for value in numbers if math.isfinite(value)]
    slack = ROUNDING_OF_SUMS * max(sizes, default=0.0)
    if any(a > b + slack for a, b in itertools.pairwise(numbers)):
        order = " <= ".join(f"{value:g}" for value in (low, estimate, high))
        raise ValueError(
            f"an estimate must lie in its interval: {order} is not true"
            if bounds[0] == -math.inf
            else f"an estimate must lie in its interval, and both between {bounds[0]:g} and "
            f"{bounds[1]:g}: {order} is not true"
        )
