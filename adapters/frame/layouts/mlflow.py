"""The table that MLflow's ``search_runs()`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows, without
from hpo_explain.facts import fact

if TYPE_CHECKING:
    import pandas as pd

_TIMES = ("start_time", "end_time")
_REASONS = {
    "FAILED": fact("failed"),
    "KILLED": fact("failed"),
    "RUNNING": fact("running"),
    "SCHEDULED": fact("waiting"),
}


def read_mlflow(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with settings `params....` and the ids of MLflow's runs."""
    names = without("params.", table)
    if not names or "run_id" not in table.columns:
        return None
    return Layout(
        "MLflow's table of runs",
        names,
        [name for name in table.columns if name not in names],
        {short: name for name, short in without("metrics.", table).items()},
        times=_TIMES if {*_TIMES} <= {*table.columns} else (),
        state="status",
        stopped=stopped_rows(table, "status", _REASONS) if "status" in table.columns else {},
    )
