"""Runs with some of the trials."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.run.run import Run
from hpo_explain.space import Ints

_BY_ROW = ("X", "objective", "feasible", "started", "finished", "durations")


def some_rows(run: Run, rows: Ints, **changes: Any) -> Run:
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


def thinned(run: Run, n: int, *, seed: int = 0) -> Run:
    """Return a run with at most n of its finished trials, drawn at random.

    Drawn whatever their objective is: the best ones of a noisy run are also the luckiest.

    Parameters
    ----------
    run : Run
        The run.
    n : int
        Number of trials.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    Run
        The run itself where it has no more trials.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, space.sample(50), range(50), "minimize")
    >>> len(thinned(run, 20))
    20
    """
    if len(run) <= n:
        return run
    rows = np.sort(np.random.default_rng(seed).permutation(len(run))[:n])
    return some_rows(run, rows)
