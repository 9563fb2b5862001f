"""Which trials of a table a model chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import is_empty
from hpo_explain.adapters.frame._layouts import Known
from hpo_explain.adapters.frame._trials import Trials
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
    proposed: str | None,
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
    proposed : str or None
        A column that says so.
    optimizer : str or None
        The optimizer, which chose all of them where nothing else is said.

    Raises
    ------
    InputError
        If a cell says neither yes nor no.
    """
    numbers, first = trials.numbers, trials.rows.first
    model: set[int] | None = None
    if proposed is not None:
        cells = [_is_yes(cell, proposed) for cell in table[proposed].iloc[first].tolist()]
        model = {*numbers[cells].tolist()}
    elif known.proposed and initial is None:
        model = {*numbers[np.array(known.proposed)[first]].tolist()}
    elif initial is not None or optimizer is not None:
        model = {*numbers[trials.order].tolist()[initial or 0 :]}
    return model, [_UNKNOWN] if model is None else []


def _is_yes(cell: Any, column: str) -> bool:
    text = "" if is_empty(cell) else str(cell).strip().lower()
    if text not in (*_YES, *_NO):
        problem = f"{column!r} must say True or False, but has {cell!r}"
        raise InputError("proposed", problem, cell, "Name another column.")
    return text in _YES
