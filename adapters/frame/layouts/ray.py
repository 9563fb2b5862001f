"""The table that Ray Tune's ``ResultGrid.get_dataframe()`` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts.layout import Layout, varies, without

if TYPE_CHECKING:
    import pandas as pd

_OWN = ("trial_id", "logdir", "training_iteration", "time_total_s", "experiment_tag", "node_ip")


def read_ray(table: pd.DataFrame) -> Layout | None:
    """Return the layout of a table with settings `config/...` and a column of Ray's own."""
    names = without("config/", table)
    if not names or not {*_OWN} & {*table.columns}:
        return None
    return Layout(
        "Ray Tune's table of results",
        names,
        [name for name in table.columns if name not in names],
        fidelity="training_iteration" if varies(table, "training_iteration") else "",
        duration="time_total_s",
        optimizer="Ray Tune",
    )
