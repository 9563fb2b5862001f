"""Words that several answers about what to do share: amounts, shares, ties and configurations."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hpo_explain.base import Wording, chained, join_words, printable
from hpo_explain.space import SearchSpace, value_text

MOST = 3  # things that a sentence lists
_PLAIN = (1e-4, 1e9)  # sizes that are written without an exponent
_COUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_FRACTIONS = {
    0.1: "a tenth",
    0.2: "a fifth",
    0.25: "a quarter",
    1 / 3: "a third",
    0.4: "two fifths",
    0.5: "half",
    0.6: "three fifths",
    2 / 3: "two thirds",
    0.75: "three quarters",
    0.8: "four fifths",
    0.9: "nine tenths",
}


def to_digit_of(value: float, least: float) -> str:
    """Return a number with the digits in which the least difference that counts is seen.

    Examples
    --------
    >>> to_digit_of(0.98069, 0.0018), to_digit_of(12345.678, 50.0), to_digit_of(0.5, 0.0)
    ('0.981', '12346', '0.5')
    """
    if not (least > 0.0 and value and math.isfinite(least)):
        return f"{value:.4g}"
    decimals = max(-math.floor(math.log10(least)), 0)
    if not round(value, decimals):
        return one_digit(value)
    if _PLAIN[0] <= abs(value) < _PLAIN[1] and decimals <= 9:
        return f"{value:.{decimals}f}"
    places = math.floor(math.log10(abs(value))) - math.floor(math.log10(least))
    return f"{value:.{min(max(places, 0), 15)}e}"


def one_digit(value: float) -> str:
    """Return a number to one digit, or two where the first is 1.

    Examples
    --------
    >>> one_digit(0.00123), one_digit(0.0041), one_digit(27.0), one_digit(0.0)
    ('0.0012', '0.004', '30', '0')
    """
    if not value or not math.isfinite(value):
        return f"{value:.0f}"
    digits = 2 if f"{value:.1e}".lstrip("-")[0] == "1" else 1
    rounded = float(f"{value:.{digits}g}")
    if not _PLAIN[0] <= abs(rounded) < _PLAIN[1]:
        return f"{rounded:.{digits}g}"
    decimals = max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)
    return f"{rounded:.{decimals}f}"


def amount(gain: float, interval: tuple[float, float], sign: float) -> str:
    """Return by how much the objective changes for the better, with its interval.

    Parameters
    ----------
    gain, interval
        By how much it gets better.
    sign : float
        1 where the objective is minimized, -1 where it is maximized.

    Examples
    --------
    >>> amount(0.0024, (0.0, 0.0041), -1.0), amount(3.2, (0.4, 27.0), 1.0)
    ('+0.002 (0 to 0.004)', '-3 (-0.4 to -30)')
    """
    plus, minus = ("-", "-") if sign > 0.0 else ("+", "")
    ends = [f"{minus if end else ''}{one_digit(end)}" for end in interval]
    return f"{plus if gain else ''}{one_digit(gain)} ({' to '.join(ends)})"


def percent(share: float) -> str:
    """Return a share as people write it: "27 %"."""
    return f"{100.0 * share:.0f} %"


def part_of(share: float) -> str:
    """Return a share in words, as near as they come.

    Examples
    --------
    >>> part_of(0.35), part_of(0.03), part_of(0.98)
    ('a third', 'less than a twentieth', 'nearly all')
    """
    if share < 0.05:
        return "less than a twentieth"
    if share > 0.95:
        return "nearly all"
    return _FRACTIONS[min(_FRACTIONS, key=lambda part: abs(part - share))]


def how_many(count: int) -> str:
    """Return a number as a word where it is small."""
    return _COUNTS[count - 2] if 2 <= count <= 10 else str(count)


def trial(number: int) -> str:
    """Return a trial, whose number leads to it on a page."""
    return chained(["trial ", Wording.of(str(number), trial=number)])


def tie(tied: Sequence[int], best: int, within: str = "") -> str:
    """Return which trial is the best, and how many others are as good, within an amount.

    Examples
    --------
    >>> tie([63, 70, 88], 63), tie([4], 4)
    ('three trials tie; trial 63 is the first', 'trial 4')
    >>> tie([5, 7], 7, "0.02")
    'two trials tie within 0.02; best observed: trial 7'
    """
    if len(tied) < 2:
        return trial(best)
    which = [trial(best), " is the first"]
    if best != min(tied):
        which = ["best observed: ", trial(best)]
    said = f"{how_many(len(tied))} trials tie"
    if within:
        said += f" within {within}"
    return chained([said, "; ", *which])


def few(texts: Collection[str]) -> str:
    """Return texts as a list; where there are many, the first, and that they are not all."""
    shown = [*texts]
    if len(shown) <= MOST:
        return join_words(shown)
    return ", ".join(shown[:MOST]) + ", among others"


def setting(space: SearchSpace, name: str, value: Any) -> str:
    """Return the value of a hyperparameter, with the digits that its range needs."""
    return printable(f"{name} = {value_text(space[name], value)}")


def compared(
    space: SearchSpace,
    config: Mapping[str, Any],
    other: Mapping[str, Any],
    number: int,
    names: Sequence[str],
) -> str:
    """Return a configuration by what it differs in from that of a trial.

    Where it differs in many values these stand alone.

    Parameters
    ----------
    space : SearchSpace
        The space of both.
    config, other : mapping
        The configuration, and that of the trial.
    number : int
        The trial.
    names : sequence of str
        The hyperparameters, the most important first.
    """
    changed = [
        setting(space, name, config[name])
        for name in names
        if name in config and (name not in other or other[name] != config[name])
    ]
    if not changed:
        return chained(["as ", trial(number)])
    if len(changed) > MOST:
        return few(changed)
    return chained(["as ", trial(number), ", but ", few(changed)])
