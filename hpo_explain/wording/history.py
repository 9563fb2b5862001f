"""The history of a run in words."""

from __future__ import annotations

import numpy as np

from hpo_explain._words import counted
from hpo_explain.run import Run
from hpo_explain.wording.numbers import format_value

_MOST = 120  # characters of the reasons for which trials were left out


def heading(run: Run) -> str:
    """Return the plot's heading."""
    return f"Objective of {counted(len(run), 'trial')}"


def subtitle(run: Run) -> str:
    """Return the best objective, and which way is better."""
    better = "lower" if run.direction == "minimize" else "higher"
    if not np.asarray(run.feasible).any():
        return f"no feasible trial yet; {better} {run.objective_name} is better"
    best = run.incumbent_trial
    value = format_value(float(run.objective[run.row(best)]))
    return f"best {run.objective_name} {value} in trial {best}; {better} is better"


def footer(run: Run) -> str:
    """Say how many trials were left out, and why."""
    if not run.excluded:
        return ""
    reasons = "; ".join(sorted({str(reason) for reason in run.excluded.values()}))
    return f"{counted(len(run.excluded), 'trial')} left out: {format_value(reasons, width=_MOST)}"
