"""Which rows of a table an optimizer's model chose: a table alone does not say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.adapters.frame._instances import Evaluations
from hpo_explain.adapters.frame.layouts import Layout
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

_YES, _NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0", "")


def read_proposed(
    table: pd.DataFrame,
    layout: Layout | None,
    evaluations: Evaluations,
    numbers: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    *,
    initial: int | None,
    proposed: object,
    optimizer: str | None,
) -> tuple[set[int], bool, list[Fact]]:
    """Return the numbers of the trials that a model chose, whether that is known, and notes.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    layout : Layout or None
        What a framework says about it.
    evaluations : Evaluations
        Its rows as configurations.
    numbers, order : ndarray of int, shape (g,)
        The number of each configuration, and their order.
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
    ordered = numbers[order].tolist()
    if initial is not None and proposed is not None:
        raise InputError(
            "initial", "cannot be given together with proposed", initial, "Choose one."
        )
    if initial is not None and initial > len(ordered):
        problem = f"is {initial}, but frame has {len(ordered)} trials"
        raise InputError("initial", problem, initial, "Lower it.")
    if isinstance(proposed, str):
        cells = table[proposed].iloc[evaluations.first].tolist()
        chosen = {int(n) for n, cell in zip(numbers, cells, strict=True) if _is_yes(cell, proposed)}
        return chosen, True, []
    if isinstance(proposed, (bool, np.bool_)):
        return {*ordered} if proposed else set(), True, []
    if proposed is not None:
        return _named(proposed, ordered), True, []
    if initial is not None or optimizer is not None:
        return {*ordered[initial or 0 :]}, True, []
    if layout is not None and layout.proposed is not None:
        rows = np.array(layout.proposed)[evaluations.first]
        return {*numbers[rows].tolist()}, True, []
    return set(), False, [fact("proposals_unknown")]


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
