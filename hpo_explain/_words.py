"""Words that every floor needs: counts, lists, and numbers of trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MOST_SPANS = 12


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


def spans(numbers: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """Return numbers as ranges: "0-4, 7"."""
    ordered = sorted(int(number) for number in numbers)
    if not ordered:
        return "none"
    parts: list[list[int]] = []
    for number in ordered:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in parts[:_MOST_SPANS]]
    return ", ".join(shown) + (", ..." if len(parts) > _MOST_SPANS else "")
