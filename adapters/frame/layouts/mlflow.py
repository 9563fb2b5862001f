"""The table that MLflow's ``search_runs()`` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.frame._cells import is_empty
from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows, without
from hpo_explain.base.facts import fact

if TYPE_CHECKING:
    import pandas as pd

_WORDS = {"None": None, "True": True, "False": False}
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
        settings=_settings(table, names),
        times=_TIMES if {*_TIMES} <= {*table.columns} else (),
        state="status",
        stopped=stopped_rows(table, "status", _REASONS) if "status" in table.columns else {},
    )


def table_of_mlflow(runs: Sequence[Any]) -> pd.DataFrame:
    """Return a list of MLflow's runs as the table that ``mlflow.search_runs()`` makes of it.

    Parameters
    ----------
    runs : sequence of mlflow.entities.Run
        What ``MlflowClient().search_runs([...])`` returns.
    """
    import pandas as pd

    rows = []
    for run in runs:
        start, end = run.info.start_time, run.info.end_time
        rows.append(
            {
                "run_id": run.info.run_id,
                "status": run.info.status,
                "start_time": pd.to_datetime(start, unit="ms", utc=True),
                "end_time": pd.to_datetime(end, unit="ms", utc=True),
                **{f"metrics.{name}": value for name, value in run.data.metrics.items()},
                **{f"params.{name}": value for name, value in run.data.params.items()},
            }
        )
    return pd.DataFrame(rows)


def _settings(table: pd.DataFrame, names: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """Return the settings of each row: MLflow keeps them as text, and lacks those not logged."""
    rows: list[dict[str, Any]] = [{} for _ in range(len(table))]
    for column, name in names.items():
        for row, cell in zip(rows, table[column].tolist(), strict=True):
            if not is_empty(cell):
                row[name] = _WORDS.get(cell, cell) if isinstance(cell, str) else cell
    return list(rows)
