"""Tables with a row for each step of a trial: its learning curve, and what came of it at last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.adapters._cells import read_numbers, read_objective
from hpo_explain.adapters.frame._columns import Roles

if TYPE_CHECKING:
    import pandas as pd


def last_of_each(table: pd.DataFrame, roles: Roles, level: float | None) -> pd.DataFrame:
    """Return one row for each trial: its last one, of those up to a level where one is given."""
    at = read_numbers(table[roles.fidelity])
    wanted = np.nanmax(at) if level is None else level
    at = np.where(at <= wanted, at, -np.inf)  # unknown ones as well
    last: dict[str, int] = {}
    for row, key in enumerate(table[roles.trial].map(str)):
        if at[row] >= at[last.setdefault(key, row)]:
            last[key] = row
    return table.iloc[sorted(last.values())].reset_index(drop=True)


def read_curves(
    table: pd.DataFrame, roles: Roles, level: float | None
) -> dict[str, dict[float, float]]:
    """Return the learning curves up to a level, by what stands in the column of trials."""
    found: dict[str, dict[float, float]] = {}
    columns = (
        table[roles.trial].map(str).tolist(),
        read_numbers(table[roles.fidelity]).tolist(),
        read_objective(table, roles.objective).tolist(),
    )
    for key, step, value in zip(*columns, strict=True):
        if not np.isnan(step) and (level is None or step <= level):
            found.setdefault(key, {})[step] = value
    return found
