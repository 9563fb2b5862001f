"""The table that Optuna's ``study.trials_dataframe()`` returns, known by its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

PREFIX = "params_"
STATE, NUMBER = "state", "number"

# Why a trial in this state does not count; None where it does.
_REASONS = {
    "COMPLETE": None,
    "PRUNED": fact("pruned", readable=False),
    "FAIL": fact("failed"),
    "RUNNING": fact("running"),
    "WAITING": fact("waiting"),
}


def is_optuna_table(table: pd.DataFrame) -> bool:
    """Say whether a table has the columns and the states of Optuna's own.

    Examples
    --------
    >>> import pandas as pd
    >>> is_optuna_table(pd.DataFrame({"number": [0], "params_x": [0.5], "state": ["COMPLETE"]}))
    True
    >>> is_optuna_table(pd.DataFrame({"number": [0], "params_x": [0.5], "state": ["Bavaria"]}))
    False
    """
    names = table.columns
    if NUMBER not in names or STATE not in names or not any(n.startswith(PREFIX) for n in names):
        return False
    return all(isinstance(cell, str) and cell in _REASONS for cell in table[STATE].tolist())


def unfinished(table: pd.DataFrame) -> dict[int, Fact]:
    """Return the rows of Optuna's table that are not complete, with the reason."""
    reasons = [_REASONS[cell] for cell in table[STATE].tolist()]
    return {row: reason for row, reason in enumerate(reasons) if reason}
