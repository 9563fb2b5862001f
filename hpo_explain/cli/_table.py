"""A data frame as text for people: aligned columns, short numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from wcwidth import ljust, rjust

from hpo_explain.base.phrases import printable
from hpo_explain.base.width import columns

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
    aligned = []
    for i, name in enumerate(frame.columns):
        cells = frame.iloc[:, i].tolist()
        number = all(isinstance(cell, (int, float)) and cell is not True for cell in cells)
        texts = [_cell(name), *map(_cell, cells)]
        pad, width = rjust if number else ljust, max(map(columns, texts))
        aligned.append([pad(text, width, control_codes="ignore") for text in texts])
    heading, *rows = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
    return "\n".join([click.style(heading, bold=True), *rows])


def _cell(value: Any) -> str:
    from hpo_explain.wording import format_value

    missing = value is not None and value != value  # None may be a category
    return "" if missing else printable(format_value(value, width=_WIDEST))
