"""The column without a name that a table gets when it is saved with the index of its rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from hpo_explain.base.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

# What pandas calls a first column without a name; the digits after the point tell those apart
# that were saved one after the other.
_NAMELESS = re.compile(r"Unnamed: 0(\.\d+)*")


def without_row_numbers(
    frame: pd.DataFrame, named: Collection[str | None]
) -> tuple[pd.DataFrame, list[Fact]]:
    """Return a table without a nameless column that numbers its rows, and notes.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table as pandas read it.
    named : collection of str
        The columns that the user named: they are left as they are.

    Returns
    -------
    tuple of pandas.DataFrame and list of Fact
        The table, and a note on each column without a name.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"Unnamed: 0": [0, 1, 2], "x": [0.1, 0.2, 0.3]})
    >>> without_row_numbers(frame, ["x"])[0].columns.tolist()
    ['x']
    """
    notes = []
    for name in map(str, frame.columns):
        if name in named or not _NAMELESS.fullmatch(name):
            continue
        if _counts(frame[name].tolist()):
            frame = frame.drop(columns=name)
            notes.append(fact("row_numbers_left_out", names=[name]))
        else:
            notes.append(fact("nameless_column", names=[name]))
    return frame, notes


def _counts(values: list[Any]) -> bool:
    """Say whether values are 0, 1, 2, ... or 1, 2, 3, ...."""
    return any(values == list(range(first, first + len(values))) for first in (0, 1))
