"""A table of runs exported from Weights & Biases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows, without
from hpo_explain.base.facts import fact

if TYPE_CHECKING:
    import pandas as pd

_OWN = (
    "Name", "ID", "State", "Notes", "User", "Tags", "Created", "Updated", "End Time", "Runtime",
    "Sweep", "Group", "Job Type", "Commit", "Github", "Git", "Host", "Hostname", "GPU Count",
    "GPU Type", "CPU Count", "Python", "OS", "Agent", "Start Time", "Relative Time (Process)",
)  # fmt: skip
_FAILED = ("crashed", "failed", "killed", "preempted", "preempting")
_REASONS = {
    "running": fact("running"),
    "pending": fact("waiting"),
    **{state: fact("failed") for state in _FAILED},
}


def expanded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of W&B's dictionaries `config` and `summary` with a column for each entry.

    So its documentation exports the runs of a project: with their `name`.
    """
    import pandas as pd

    if not {"config", "summary"} <= {*table.columns}:
        return table
    parts = [table.drop(columns=["config", "summary"])]
    for name in ("config", "summary"):
        cells = table[name].tolist()
        if not all(isinstance(cell, Mapping) for cell in cells):
            return table
        keys = dict.fromkeys(str(key) for cell in cells for key in cell if str(key)[0] != "_")
        values = {f"{name}.{key}": [cell.get(key) for cell in cells] for key in keys}
        parts.append(pd.DataFrame(values, index=table.index, dtype=object))
    return pd.concat(parts, axis=1)


def read_dictionaries(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table that :func:`expanded` returned."""
    names, metrics = without("config.", table), without("summary.", table)
    if not names or not metrics:
        return None
    return Layout(
        "W&B's config and summary",
        names,
        [name for name in table.columns if name not in names],
        {short: name for name, short in metrics.items()},
        state="state" if "state" in table.columns else "",
        stopped=stopped_rows(table, "state", _REASONS) if "state" in table.columns else {},
    )


def read_wandb(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with W&B's columns Name and State.

    Settings and summary metrics stand side by side in it without a mark.
    """
    if not {"Name", "State"} <= {*table.columns}:
        return None
    if not all(state in (*_REASONS, "finished") for state in table["State"].tolist()):
        return None
    return Layout(
        "a table of Weights & Biases",
        None,
        [name for name in table.columns if name in _OWN or name.startswith("_")],
        times=("Created",) if "Created" in table.columns else (),
        duration="Runtime",
        state="State",
        stopped=stopped_rows(table, "State", _REASONS),
    )
