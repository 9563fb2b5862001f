"""How many columns a text takes, on the terminal, on a page and in plots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile

import wcwidth


def columns(text: str) -> int:
    """Return how many columns a text takes: wide characters take two, combining ones none."""
    return wcwidth.width(text, control_codes="ignore")


def shorten(text: str, width: int) -> str:
    """Return a text of at most `width` columns: the middle makes room for an ellipsis.

    Examples
    --------
    >>> shorten("optimizer__learning_rate", 16)
    'optimize…ng_rate'
    """
    if columns(text) <= width:
        return text
    characters = list(wcwidth.iter_graphemes(text))
    head = first_columns(characters, width // 2)
    tail = first_columns(characters[::-1], width - 1 - width // 2)[::-1]
    return "".join([*head, "…", *tail])


def first_columns(characters: Sequence[str], width: int) -> Sequence[str]:
    """Return the characters, each with its marks, that fit into so many columns."""
    # after another character, such as an ellipsis, a mark of its own may take a column
    ends = accumulate(max(columns(character), 1) for character in characters)
    return characters[: sum(1 for _ in takewhile(lambda end: end <= width, ends))]
