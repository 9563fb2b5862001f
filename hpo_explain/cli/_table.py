"""A data frame as text for people: aligned columns, short numbers."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import click

from hpo_explain.cli._errors import plain

if TYPE_CHECKING:
    import pandas as pd

_WIDEST = 60


def text_table(frame: pd.DataFrame) -> str:
    """Return a table in aligned columns, numbers to the right, with a bold heading.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; its index is not shown.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["lr", "momentum"], "share": [0.98765, 0.01]})
    >>> print(click.unstyle(text_table(frame)))
    name       share
    lr        0.9877
    momentum    0.01
    """
    columns = []
    for i, name in enumerate(frame.columns):
        cells = frame.iloc[:, i].tolist()
        number = all(isinstance(cell, (int, float)) and cell is not True for cell in cells)
        columns.append(_aligned([_cell(name), *map(_cell, cells)], to_the_right=number))
    heading, *rows = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
    return "\n".join([click.style(heading, bold=True), *rows])


def _cell(value: Any) -> str:
    from hpo_explain.wording import format_value

    missing = value is not None and value != value  # None may be a category
    return "" if missing else plain(format_value(value, width=_WIDEST))


def _aligned(cells: list[str], *, to_the_right: bool) -> list[str]:
    width = max(map(_width, cells))
    gaps = [" " * (width - _width(cell)) for cell in cells]
    if to_the_right:
        return [gap + cell for gap, cell in zip(gaps, cells, strict=True)]
    return [cell + gap for gap, cell in zip(gaps, cells, strict=True)]


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
