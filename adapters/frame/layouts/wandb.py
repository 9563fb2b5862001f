"""A table of runs exported from Weights & Biases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, stopped_rows
from hpo_explain.facts import fact

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
        state="State",
        stopped=stopped_rows(table, "State", _REASONS),
    )
