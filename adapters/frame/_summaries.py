"""The last rows of a table that sum up those above them: they are no trials."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters.frame._cells import cell_key, is_empty, read_numbers
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import ROUNDING_OF_SUMS
from hpo_explain.base.text import declared_fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_DEVIATIONS = (np.std, lambda values: np.std(values, ddof=1))
_STATISTICS: dict[str, tuple[Callable[[Array], Any], ...]] = {
    **dict.fromkeys(("mean", "average", "avg", "avg."), (np.mean,)),
    **dict.fromkeys(("std", "std.", "stdev", "sd"), _DEVIATIONS),
    "median": (np.median,),
}
"""What each word computes of the rows above."""

_SUMMED_UP = declared_fact(
    "rows_summed_up",
    {
        False: "table: its last row ({which}) sums up those above, and is no trial",
        True: "table: its last rows ({which}) sum up those above, and are no trials",
    },
    which=lambda about: ", ".join(about["words"]),
)


def without_summaries(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Fact]]:
    """Return the rows of a table that are trials, and a note on those that sum them up.

    A last row does where a cell says "mean", "average", "std" or "median" in a column that names
    rows, and its numbers are those of the rows above: "mean" may be a category, too.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"id": ["a", "b", "mean"], "lr": [1.0, 2.0, None], "loss": [4, 2, 3]})
    >>> rows, (note,) = without_summaries(table)
    >>> len(rows), str(note)
    (2, 'table: its last row (mean) sums up those above, and is no trial')
    """
    words: list[str] = []
    for row in range(len(table) - 1, -1, -1):
        word = _word_in(table, row)
        if not word:
            break
        words.insert(0, word)
    n = len(table) - len(words)
    if not words or not _sums_up(table.iloc[:n], table.iloc[n:], words):
        return table, []
    note = _SUMMED_UP(several=len(words) > 1, words=tuple(words))
    return table.iloc[:n], [note]


def _word_in(table: pd.DataFrame, row: int) -> str:
    """Return the cell of a row that names a statistic where others name rows; or nothing."""
    for name in table.columns:
        cell = table[name].iloc[row]
        if (
            not isinstance(cell, str)
            or cell.strip().lower() not in _STATISTICS
        ):
            continue
        others = [
            cell_key(other)
            for other in table[name].iloc[:row]
            if not is_empty(other)
        ]
        if len(others) == len({*others}):  # a category occurs again
            return cell.strip()
    return ""


def _sums_up(
    above: pd.DataFrame, below: pd.DataFrame, words: list[str]
) -> bool:
    """Say whether rows hold the statistics of those above that their words name, and any."""
    if len(above) < 2:
        return False
    compared: list[bool] = []
    for name in above.columns:
        values = read_numbers(above[name])
        values = values[np.isfinite(values)]
        if not len(values):
            continue
        numbers = read_numbers(below[name]).tolist()
        compared += [
            _is_statistic(number, word, values)
            for word, number in zip(words, numbers, strict=True)
            if np.isfinite(number)
        ]
    return len(compared) >= len(words) and all(compared)


def _is_statistic(number: float, word: str, values: Array) -> bool:
    """Say whether a number is what a word names of some values, to its last digit."""
    exponent = int(Decimal(repr(number)).as_tuple().exponent)
    rounding = 0.5 * 10.0**exponent
    rounding += ROUNDING_OF_SUMS * float(np.abs(values).max())
    return any(
        abs(number - float(compute(values))) <= rounding
        for compute in _STATISTICS[word.lower()]
    )
