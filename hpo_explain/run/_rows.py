"""A run with some of its finished trials."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.run.run import Run

_BY_ROW = ("X", "objective", "feasible", "started", "finished", "durations")


def some_rows(run: Run, rows: npt.NDArray[np.int64], **changes: Any) -> Run:
    """Return a run with the finished trials in some rows, in this order, and other changes.

    What holds several results of a trial is left out.
    """
    numbers = np.asarray(run.trials)[rows]
    kept = {*numbers.tolist()}
    columns = {name: getattr(run, name) for name in _BY_ROW}
    return replace(
        run,
        **{
            **{n: None if column is None else column[rows] for n, column in columns.items()},
            "trials": numbers,
            "proposals": [trial for trial in run.proposals or () if trial in kept],
            "reviewed": {t: decided for t, decided in run.reviewed.items() if t in kept},
            "instances": None,
            "curves": None,
            **changes,
        },
    )
