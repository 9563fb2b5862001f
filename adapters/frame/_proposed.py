"""Which trials of a table a model chose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import is_empty
from hpo_explain.adapters.frame._layouts import Known
from hpo_explain.adapters.frame._trials import Trials
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact

if TYPE_CHECKING:
    import pandas as pd

_YES, _NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0", "")

_UNKNOWN = fact(
    "proposals: a table does not say who chose its trials, so none counts as a proposal; ",
    Option("optimizer"),
    ", ",
    Option("initial"),
    " or ",
    Option("proposed"),
    " tell",
)


def read_proposed(
    table: pd.DataFrame,
    known: Known,
    trials: Trials,
    *,
    initial: int | None,
    proposed: object,
    optimizer: str | None,
) -> tuple[set[int] | None, list[Fact]]:
    """Return the numbers of the trials that a model chose, None where it is not known; and notes.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    known : Known
        What a framework says about it.
    trials : Trials
        Its trials.
    initial : int or None
        How many came first and were chosen by no model: the others were.
    proposed : str, bool, sequence of int or None
        A column that says so, whether all were, or the numbers of those that were.
    optimizer : str or None
        The optimizer, which chose all of them where nothing else is said.

    Raises
    ------
    InputError
        If there are fewer trials than `initial`, a trial does not exist, or a cell says neither
        yes nor no.
    """
    numbers, first = trials.numbers, trials.rows.first
    ordered = numbers[trials.order].tolist()
    if initial is not None and proposed is not None:
        problem = "cannot be given together with proposed"
        raise InputError("initial", problem, initial, "Choose one.")
    if initial is not None and initial > len(ordered):
        problem = f"is {initial}, but frame has {len(ordered)} trials"
        raise InputError("initial", problem, initial, "Lower it.")
    if isinstance(proposed, str):
        cells = table[proposed].iloc[first].tolist()
        chosen = {int(n) for n, cell in zip(numbers, cells, strict=True) if _is_yes(cell, proposed)}
        return chosen, []
    if isinstance(proposed, (bool, np.bool_)):
        return {*ordered} if proposed else set(), []
    if proposed is not None:
        return _named(proposed, ordered), []
    if initial is not None or optimizer is not None:
        return {*ordered[initial or 0 :]}, []
    if known.proposed:
        rows = np.array(known.proposed)[first]
        return {*numbers[rows].tolist()}, []
    return None, [_UNKNOWN]


def _is_yes(cell: Any, column: str) -> bool:
    text = "" if is_empty(cell) else str(cell).strip().lower()
    if text not in (*_YES, *_NO):
        problem = f"{column!r} must say True or False, but has {cell!r}"
        raise InputError("proposed", problem, cell, "Name another column, or the trials.")
    return text in _YES


def _named(proposed: object, ordered: list[int]) -> set[int]:
    if not isinstance(proposed, Iterable):
        problem = f"must be a column, True, or numbers of trials, but was {proposed!r}"
        raise InputError("proposed", problem, proposed)
    found = {int(number) for number in proposed}
    for number in sorted(found - {*ordered}):
        raise unknown_name("proposed", number, ordered, "trial")
    return found
