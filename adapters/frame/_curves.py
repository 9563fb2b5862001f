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
    import pandas as pd

    steps = read_numbers(table[roles.fidelity])
    columns = {
        "trial": table[roles.trial].map(str).tolist(),
        "step": np.where(steps <= (np.inf if level is None else level), steps, -np.inf),
        "value": read_objective(table, roles.objective),
    }
    rows = pd.DataFrame(columns)
    last = rows.sort_values("step", kind="stable").drop_duplicates("trial", keep="last")
    reached = rows[np.isfinite(rows["step"])].groupby("trial")
    curves = {
        str(trial): dict(zip(one["step"], one["value"], strict=True)) for trial, one in reached
    }
    return curves, table.iloc[sorted(last.index)].reset_index(drop=True)
