"""Numbers as text: values, percentages, intervals; and which of several are the largest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.phrases import shorten

NORMAL_95 = 1.959963984540054
"""Standard deviations within which a normal variable lies in 95 of 100 cases."""
ROUNDED_95 = 1.96
"""The same as it is written in papers, of bands that were always drawn so."""
ROUNDING = 1e-12
"""What rounding leaves of the difference of two equal numbers, relative to their size."""
ROUNDING_OF_SUMS = 1e-9
"""The same of sums of many, and of what went through a model."""
# sizes between which numbers are written without an exponent
_PLAIN = (1e-4, 1e6)
_ALIKE = 1e-24  # of the squared range: where only values that are alike have weights
_NO_SHARE = 0.005  # written as a percentage, nothing is left of less


def half_of_level(level: float) -> float:
    """Return how many standard deviations to each side hold a normal variable so often."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))


def mean_ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return ranks from 1 on, of equal values their mean, as `scipy.stats.rankdata` does.

    Examples
    --------
    >>> mean_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[which]


def unit_of(values: npt.NDArray[np.float64]) -> float:
    """Return the power of two in which the spread of values is about 1 (1 without spread).

    scikit-learn's trees do not split what varies by less than 1e-8, and its Gaussian process does
    not standardize what varies by less than 1e-15. A power of two changes no digit.
    """
    spread = float(np.ptp(values)) if values.size else 0.0
    return 2.0 ** (math.frexp(spread)[1] - 1) if spread else 1.0


def r_squared(
    observed: npt.NDArray[np.float64],
    predicted: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64] | None = None,
) -> float:
    """Return the share R² of the variance of values that predictions explain.

    1 is perfect, 0 is no better than the mean; NaN where there are no different values.

    Examples
    --------
    >>> r_squared(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    if not len(observed) or not np.ptp(observed):
        return math.nan
    unit = unit_of(observed)  # squares of what is tiny are 0
    y = observed / unit
    missed = (observed - predicted) / unit
    whole = float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    if whole <= _ALIKE:
        return math.nan
    return 1.0 - float(np.average(missed**2, weights=weights)) / whole


class Inactive:
    """The value of a hyperparameter that has none; None may be a value."""

    def __repr__(self) -> str:
        return "inactive"


INACTIVE = Inactive()
_LITERALS = ("None", "True", "False", str(INACTIVE))


def format_value(value: Any, *, width: int = 40) -> str:
    """Return a value as people write it: four significant digits, long texts shortened.

    Texts that would be taken for something else, or not be seen, are in quotation marks.

    Examples
    --------
    >>> format_value(0.123456), format_value("a" * 50, width=5)
    ('0.1235', 'aa…aa')
    >>> format_value(None), format_value("None"), format_value(" ")
    ('None', "'None'", "' '")
    """
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, str):
        is_plain = value.strip() == value != "" and value not in _LITERALS
        return shorten(value if is_plain else repr(value), width)
    return shorten(str(value), width)


def format_level(value: float, difference: float, least: int = 4) -> str:
    """Return a number with enough digits to tell it from another one so far away.

    Examples
    --------
    >>> format_level(0.96995234, 2e-6)
    '0.9699523'
    """
    return f"{value:.{_digits_of(value, difference, least)}g}"


def _digits_of(value: float, difference: float, least: int) -> int:
    """Return how many digits of a number hold two of a difference."""
    if not (value and difference and np.isfinite([value, difference]).all()):
        return least
    places = np.floor(np.log10(abs(value))) - np.floor(np.log10(abs(difference)))
    return min(max(int(places) + 2, least), 15)


_OF_RANGE = 1e-2  # of a range: a value in it is told so finely


def format_in_range(value: Any, low: Any, high: Any) -> str:
    """Return a value as people write it, a number with the digits that its range needs.

    Examples
    --------
    >>> format_in_range(2.400061234e9, 2.4e9, 2.4002e9), format_in_range(0.123456, 0.0, 1.0)
    ('2.400061e+09', '0.1235')
    """
    if not isinstance(value, (float, np.floating)):
        return format_value(value)
    return format_level(float(value), _OF_RANGE * (high - low))


_OF_CODE = 1e-3  # of a range: its ends are rounded so finely in code


def range_around(low: float, high: float) -> tuple[float, float]:
    """Return a range that is easier to read and holds another one: its ends rounded outward.

    Examples
    --------
    >>> range_around(1e-4, 0.012345678), range_around(2400050000.25, 2400083000.5)
    ((0.0001, 0.0123457), (2400050000.0, 2400083001.0))
    """
    finest = _OF_CODE * (high - low)
    ends = []
    for end, way in ((low, ROUND_FLOOR), (high, ROUND_CEILING)):
        digits = Context(prec=_digits_of(end, finest, 6), rounding=way)
        # from its digits as they are written: 0.1 is no bit more
        ends.append(float(digits.create_decimal(repr(float(end)))))
    return ends[0], ends[1]


def plus_minus(value: float, error: float | None) -> str:
    """Return a number with its error, which says how many digits both have.

    The error has one digit, or two where the first is 1.

    Examples
    --------
    >>> plus_minus(0.1369, 0.06457), plus_minus(1234.5, 14.2), plus_minus(0.25, None)
    ('0.14 ± 0.06', '1234 ± 14', '0.25')
    >>> plus_minus(-0.004, 0.3)
    '0.0 ± 0.3'
    >>> plus_minus(1.234e-7, 2.1e-9)
    '1.23e-07 ± 2e-09'
    """
    if error is None or not np.isfinite([value, error]).all() or error <= 0.0:
        return format_value(float(value))
    digits = 2 if f"{error:.1e}"[0] == "1" else 1
    exponent = int(f"{error:.{digits - 1}e}".partition("e")[2])
    decimals = digits - 1 - exponent
    largest = max(abs(value), error)
    if _PLAIN[0] <= largest < _PLAIN[1] and decimals <= 6:
        shown = max(decimals, 0)
        # plus 0, as minus 0 is 0
        return f"{round(value, decimals) + 0.0:.{shown}f} ± {round(error, decimals):.{shown}f}"
    of_value = 0
    if value:
        of_value = max(int(np.floor(np.log10(abs(value)))) + decimals, 0)
    return f"{value:.{min(of_value, 15)}e} ± {error:.{digits - 1}e}"


def percent(share: float, error: float | None = None) -> str:
    """Return a share as a percentage, with its error where one is given.

    Examples
    --------
    >>> percent(0.57, 0.03), percent(0.002)
    ('57% ± 3%', '0%')
    """
    text = f"{share:.0%}"
    return text if error is None or not np.isfinite(error) else f"{text} ± {error:.0%}"


def percent_sd(share: float, sd: float) -> str:
    """Return a share as a percentage, with its standard deviation.

    Examples
    --------
    >>> percent_sd(0.57, 0.03)
    '57%, sd 3%'
    """
    return f"{percent(share)}, sd {percent(sd)}"


def format_values(values: Any) -> list[str]:
    """Return values as people write them, numbers with as many digits as tell them apart.

    Examples
    --------
    >>> format_values([0.1, 1.0]), format_values([2.40006e9, 2.40012e9]), format_values(["a", None])
    (['0.1', '1'], ['2.40006e+09', '2.40012e+09'], ['a', 'None'])
    """
    shown = [*values]
    numbers = [
        float(value)
        for value in shown
        if isinstance(value, (float, np.floating)) and np.isfinite(value)
    ]
    apart = max(numbers) - min(numbers) if numbers else 0.0
    return [
        format_level(float(value), apart)
        if isinstance(value, (float, np.floating))
        else format_value(value)
        for value in shown
    ]


def more_digits(column: Sequence[Any]) -> list[str]:
    """Return numbers with the digits that tell them apart; none where four digits do that.

    Examples
    --------
    >>> more_digits([0.5, 0.50002, 0.50004, 0.5001]), more_digits([0.5, 0.6])
    (['0.5', '0.50002', '0.50004', '0.5001'], [])
    """
    if not all(isinstance(value, (float, np.floating)) for value in column):
        return []
    numbers = {float(value) for value in column if np.isfinite(value)}
    if 2 * len({format_value(value) for value in numbers}) > len(numbers) or len(numbers) < 2:
        return []
    texts = zip(column, format_values(column), strict=True)
    return ["" if value != value else text for value, text in texts]


def values_in_words(values: Any) -> str:
    """Return several values separated by commas."""
    return ", ".join(format_values(values))


def among(name: str, values: Any) -> str:
    """Return that a hyperparameter has one of some values: "optimizer in {adam, sgd}"."""
    if len(values) == 1:
        return f"{name} = {format_value(values[0])}"
    return f"{name} in {{{values_in_words(values)}}}"


def signed(value: float, scale: float) -> str:
    """Return a number with its sign, to three digits of `scale` (the largest beside it)."""
    if not math.isfinite(value):
        return str(value)
    scale = abs(scale)
    if scale == 0.0 or not math.isfinite(scale):
        scale = abs(value) or 1.0
    if 1e-4 <= scale < 1e6:
        text = f"{value:+.{max(0, 2 - math.floor(math.log10(scale)))}f}"
    else:
        text = f"{value:+.2e}"
    if float(text) == 0.0:
        return text[1:]
    return text.replace("-", "−")


def number(value: float, digits: int = 4, *, apart: float = 0.0) -> str:
    """Return a number to so many significant digits, and more to tell others `apart` from it."""
    text = format_level(value, apart, digits)
    return text.replace("-", "−")


# so much of the whole is told by the first ones, at most so many
MAIN_SHARE = 0.75
MOST = 3


def leading(sizes: npt.NDArray[np.float64]) -> list[int]:
    """Return the largest of some sizes that make up for most of the positive ones.

    Examples
    --------
    >>> leading(np.array([0.1, 0.6, 0.0, 0.3]))
    [1, 3]
    """
    chosen: list[int] = []
    enough = MAIN_SHARE * sizes[sizes > 0].sum()
    for i in np.argsort(-sizes, kind="stable")[:MOST].tolist():
        if sizes[i] <= 0.0 or (chosen and sizes[chosen].sum() >= enough):
            break
        chosen.append(i)
    return chosen


def percent_range(lower: float, upper: float) -> str:
    """Return an interval of shares in words.

    Examples
    --------
    >>> percent_range(0.4, 0.62), percent_range(0.0, 0.03), percent_range(0.991, 1.0)
    ('between 40% and 62%', 'at most 3%', 'at least 99%')
    """
    low = percent(lower)
    high = percent(upper)
    if low == high:
        return low
    if lower < _NO_SHARE:
        return f"at most {high}"
    return f"at least {low}" if upper > 1.0 - _NO_SHARE else f"between {low} and {high}"
