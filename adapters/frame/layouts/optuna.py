"""The table that Optuna's ``study.trials_dataframe()`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows, without
from hpo_explain.base.facts import fact

if TYPE_CHECKING:
    import pandas as pd

_STATE, _NUMBER = "state", "number"

# Why a trial in this state does not count; of the other, COMPLETE, it does.
_REASONS = {
    "PRUNED": fact("pruned", readable=False),
    "FAIL": fact("failed"),
    "RUNNING": fact("running"),
    "WAITING": fact("waiting"),
}


def read_optuna(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with the columns and the states of Optuna's own.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"number": [0], "params_x": [0.5], "state": ["COMPLETE"]})
    >>> read_optuna(table).names
    {'params_x': 'x'}
    >>> read_optuna(table.assign(state="Bavaria")) is None
    True
    """
    names = without("params_", table)
    if not names or not {_STATE, _NUMBER} <= {*table.columns}:
        return None
    if not all(state in (*_REASONS, "COMPLETE") for state in table[_STATE].tolist()):
        return None
    values = [name for name in table.columns if name == "value" or name.startswith("values_")]
    return Layout(
        "Optuna's trials_dataframe",
        names,
        [name for name in table.columns if name not in names],
        # rows of several studies have the same numbers
        number=_NUMBER if table[_NUMBER].is_unique else "",
        state=_STATE,
        stopped=stopped_rows(table, _STATE, _REASONS),
        duration="duration",
        objective=values[0] if len(values) == 1 else "",
        optimizer="Optuna",
    )
