"""Text that people read as a number, and a table as a category: 5.3%, 4,000, 0,5, $3."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hpo_explain.facts import Fact, fact

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,' _\u00a0\u2009\u202f]\d{3})+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_ENDS = "%€$£ \u00a0\u202f"


def as_plain_number(text: str) -> str | None:
    """Return how a computer writes the number that a text holds; None where it holds none.

    Examples
    --------
    >>> [as_plain_number(text) for text in ("5.3%", "4,000", "0,5", "64,32,16", "relu")]
    ['5.3', '4000', '0.5', None, None]
    """
    bare = text.strip(_ENDS)
    if _PLAIN.fullmatch(bare):
        return bare
    if _THOUSANDS.fullmatch(bare):
        return re.sub(r"[^\d.+-]", "", bare)
    if _DECIMAL_COMMA.fullmatch(bare):
        return bare.replace(",", ".")
    return None


def number_texts(name: str, choices: Sequence[Any]) -> list[Fact]:
    """Return a note where most choices look like numbers but are text.

    Beside words plain numbers are categories that are meant, such as "sqrt" and "0.5".
    """
    plain = {text: as_plain_number(text) for text in choices if isinstance(text, str)}
    read = {text: number for text, number in plain.items() if number is not None}
    marked = {text: number for text, number in read.items() if number != text.strip()}
    if 2 * len(read) <= len(choices) or not (marked or len(read) == len(choices)):
        return []
    example, number = next(iter((marked or read).items()))
    return [fact("text_of_numbers", names=[name], example=example, number=number, plain=not marked)]
