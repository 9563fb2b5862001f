"""Tables with a row for each step of a trial: its learning curve, and what came of it at last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.adapters._cells import read_numbers, read_objective
from hpo_explain.adapters.frame._columns import Roles

if TYPE_CHECKING:
    import pandas as pd


def read_curves(
    table: pd.DataFrame, roles: Roles, level: float | None
) -> tuple[dict[str, dict[float, float]], pd.DataFrame]:
    """Return the learning curves up to a level, and the last row of each trial up to it.

    The curves are known by what stands in the column of trials.
    """
    steps = read_numbers(table[roles.fidelity])
    values = read_objective(table, roles.objective)
    curves: dict[str, dict[float, float]] = {}
    last: dict[str, tuple[float, int]] = {}
    for row, key in enumerate(table[roles.trial].map(str)):
        step = float(steps[row])
        if step <= (np.inf if level is None else level):
            curves.setdefault(key, {})[step] = float(values[row])
        else:  # beyond the level, or not known
            step = -np.inf
        last[key] = max(last.get(key, (step, row)), (step, row))
    return curves, table.iloc[sorted(row for _, row in last.values())].reset_index(drop=True)
