"""What a report was made from: the run in a line, and what was left out and assumed."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np

from hpo_explain.base.facts import by_reason
from hpo_explain.base.phrases import counted, printable, spans
from hpo_explain.reporting.section import Card, Status
from hpo_explain.run import Run


def in_a_line(run: Run) -> str:
    """Return a run in a line: trials, hyperparameters, objective, sampler, and when it ran.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> in_a_line(hx.from_frame(table, "loss"))
    '3 trials · 1 hyperparameter · minimize loss · the optimizer'
    """
    trials = {*run.trials.tolist(), *run.excluded, *run.without_result}
    left = len(trials) - int(np.sum(run.feasible))
    without = f" ({left} without a result that counts)" if left else ""
    _, started, finished = run.clock()
    times = np.concatenate([started, finished])
    times = times[np.isfinite(times)]
    parts = [
        f"{counted(len(trials), 'trial')}{without}",
        counted(len(run.space), "hyperparameter"),
        f"{run.direction} {run.objective_name}",
        run.optimizer,
        *([_when(float(times.min()), float(times.max()))] if times.size else []),
    ]
    return printable(" · ".join(parts))


def _when(first: float, last: float) -> str:
    ends = [datetime.fromtimestamp(at, tz=timezone.utc) for at in (first, last)]
    day, time = "%Y-%m-%d %H:%M", "%H:%M"
    start, end = (f"{at:{day}}" for at in ends)
    if start == end:
        return f"{start} UTC"
    same_day = ends[0].date() == ends[1].date()
    return f"{start} to {f'{ends[1]:{time}}' if same_day else end} UTC"


def what_was_assumed(run: Run, prefix: str) -> list[Card]:
    """Return the line on what was left out and assumed, where anything was."""
    left_out = [
        f"Excluded: {counted(len(at), 'trial')} ({spans(at)}): {why}."
        for why, at in by_reason(run.excluded).items()
    ]
    notes = (*left_out, *map(str, run.notes))
    if not notes:
        return []
    told = [counted(len(run.excluded), "trial") + " excluded"] if run.excluded else []
    told += [counted(len(run.notes), "assumption")] if run.notes else []
    headline = f"{', '.join(told)}."
    return [
        Card(
            anchor=f"{prefix}read",
            title="What was excluded and assumed?",
            how_to_read="",
            status=Status.SHOWN,
            finding=headline,
            headline=headline,
            folded=True,
            notes=notes,
        )
    ]
