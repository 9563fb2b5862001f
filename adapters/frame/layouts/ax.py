"""The table that Ax's ``Client.summarize()`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows
from hpo_explain.base.facts import fact

if TYPE_CHECKING:
    import pandas as pd

_NUMBER, _STATE = "trial_index", "trial_status"
_BY = ("generation_node", "generation_method")
_OWN = (_NUMBER, _STATE, *_BY, "arm_name", "fail_reason", "reason", "n", "frac_nonnull")
_NO_MODEL = ("sobol", "centerofsearchspace", "manual", "uniform", "custom")
_REASONS = {
    "FAILED": fact("failed"),
    "ABANDONED": fact("failed"),
    "EARLY_STOPPED": fact("pruned", readable=False),
    "RUNNING": fact("running"),
    "STAGED": fact("running"),
    "CANDIDATE": fact("waiting"),
}


def read_ax(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with Ax's trial_index and trial_status.

    Metrics and parameters stand side by side in it without a mark.
    """
    if not {_NUMBER, "arm_name"} <= {*table.columns}:
        return None
    by = next((name for name in _BY if name in table.columns), "")
    proposed = None
    if by:
        makers = [str(maker).lower().replace("_", "") for maker in table[by].tolist()]
        proposed = [not maker.startswith((*_NO_MODEL, "none", "nan")) for maker in makers]
    return Layout(
        "a table of Ax",
        None,
        [name for name in table.columns if name in _OWN],
        number=_NUMBER if table[_NUMBER].is_unique else "",
        state=_STATE,
        stopped=stopped_rows(table, _STATE, _REASONS) if _STATE in table.columns else {},
        proposed=proposed,
        optimizer="Ax",
    )
