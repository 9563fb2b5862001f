"""Columns that say what became of a trial, and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters.frame._cells import as_float, is_empty, is_number
from hpo_explain.adapters.frame._number_text import texts_as_numbers
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_FINISHED = ("complete", "completed", "finished", "success", "successful", "succeeded", "ok",
             "done", "terminated", "true")  # fmt: skip
_WORDS = {
    "failed": ("fail", "failed", "failure", "error", "errored", "crash", "crashed", "killed",
               "timeout", "timed_out", "memout", "oom", "out_of_memory", "diverged", "nan",
               "preempted", "abandoned", "false"),
    "pruned": ("pruned", "stopped", "early_stopped"),
    "running": ("running", "staged"),
    "waiting": ("waiting", "pending", "queued", "scheduled", "candidate"),
}  # fmt: skip
_REASONS = {
    "failed": fact("failed"),
    "pruned": fact("pruned", readable=False),
    "running": fact("running"),
    "waiting": fact("waiting"),
}
_STATES = {word: _REASONS[state] for state, words in _WORDS.items() for word in words}


def read_status(column: pd.Series[Any], name: str) -> dict[int, Fact]:
    """Return the rows that did not finish, and what became of them.

    Raises
    ------
    InputError
        If a cell says neither; the text names the words that are known.
    """
    stopped: dict[int, Fact] = {}
    for row, cell in enumerate(column.tolist()):
        word = "_".join(str(cell).lower().replace("-", " ").replace("_", " ").split())
        word = word.rpartition(".")[2]
        if word in _STATES and not is_empty(cell):
            stopped[row] = _STATES[word]
        elif word not in _FINISHED:
            known = ", ".join(words[0] for words in (_FINISHED, *_WORDS.values()))
            raise InputError(
                "status",
                f"{name!r} must say whether a trial finished, but is {cell!r} in row {row}",
                cell,
                f"Write one of: {known}.",
            )
    return stopped


def read_durations(column: pd.Series[Any], name: str) -> Array:
    """Return durations in seconds, NaN where a cell is empty; a number counts as seconds.

    Raises
    ------
    InputError
        If a cell is neither a number nor a duration as pandas writes it, or is negative.
    """
    import pandas as pd

    found = np.full(len(column), np.nan)
    for row, cell in enumerate(texts_as_numbers(column).tolist()):
        if is_empty(cell) or not str(cell).strip():
            continue
        try:
            number = is_number(cell)
            found[row] = as_float(cell) if number else pd.Timedelta(cell).total_seconds()
        except (TypeError, ValueError):
            raise _wrong(name, cell, row) from None
        if not found[row] >= 0.0:
            raise _wrong(name, cell, row)
    return found


def _wrong(name: str, cell: Any, row: int) -> InputError:
    return InputError(
        "duration",
        f"{name!r} must hold seconds or durations of at least 0, but is {cell!r} in row {row}",
        cell,
        "Choose another column, or convert it with pandas.to_timedelta.",
    )
