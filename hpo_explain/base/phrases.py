"""Words that every floor needs: counts, lists, numbers of trials, and what a terminal may show."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MOST_SPANS = 12
# Unicode's categories of controls, of line and paragraph separators, and of what is not seen:
# marks of direction, joiners, tags
_UNSEEN = {"Cc", "Cf", "Zl", "Zp"}


def counted(count: int, noun: str) -> str:
    """Return "1 trial" or "2 trials"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def join_words(words: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]


def listed(words: Sequence[str], most: int) -> str:
    """Return words separated by commas, and how many more there are."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def abridged(words: Sequence[object], most: int) -> str:
    """Return the first words separated by commas, and dots if there are more."""
    more = ", ..." if len(words) > most else ""
    return ", ".join(map(str, words[:most])) + more


def sentences(*texts: object) -> str:
    """Return sentences one after the other, without those that are empty or False.

    Examples
    --------
    >>> sentences("One.", 2 > 3 and "Two.", "Three.")
    'One. Three.'
    """
    return " ".join(str(text) for text in texts if text)


def spans(numbers: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """Return numbers as ranges: "0-4, 7"."""
    ordered = sorted(int(number) for number in numbers)
    if not ordered:
        return "none"
    ranges: list[list[int]] = []
    for number in ordered:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges]
    return abridged(texts, _MOST_SPANS)


def printable(text: str) -> str:
    r"""Return a text on one line, whose control and invisible characters are shown, not obeyed.

    Examples
    --------
    >>> printable("a name with\ttab and \x1b[31mcolor")
    'a name with\\ttab and \\x1b[31mcolor'
    """
    if text.isprintable():
        return text
    return "".join(repr(c)[1:-1] if _is_unseen(c) else c for c in text)


def printable_lines(text: str) -> str:
    """Return a text on the lines that it has, whose other control characters are shown."""
    return "\n".join(map(printable, text.split("\n")))


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN
