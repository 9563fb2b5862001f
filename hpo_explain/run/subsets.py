"""Runs with some of the trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hpo_explain.base.checks import check_count, each_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import spans
from hpo_explain.base.text import declared_fact
from hpo_explain.run.run import Run
from hpo_explain.space import Ints

_NOT_READ = declared_fact(
    "trial_not_read", "not one of the trials that were chosen"
)
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
            **{
                n: None if column is None else column[rows]
                for n, column in columns.items()
            },
            "trials": numbers,
            "proposals": [
                trial for trial in run.proposals or () if trial in kept
            ],
            "reviewed": {
                t: decided for t, decided in run.reviewed.items() if t in kept
            },
            "instances": None,
            "curves": None,
            **changes,
        },
    )


def chosen(run: Run, trials: slice | Sequence[int]) -> Run:
    """Return a run with some of its trials only: those of a slice of all numbers, or named ones.

    Raises
    ------
    InputError
        If a trial does not exist, or none of them has a result.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, space.sample(50), range(50), "minimize")
    >>> chosen(run, slice(-3, None)).trials.tolist(), chosen(run, [7, 5]).trials.tolist()
    ([47, 48, 49], [5, 7])
    """
    numbers = np.asarray(run.trials)
    known = {*numbers.tolist(), *run.excluded}
    if isinstance(trials, slice):
        kept = known & {*range(max(known) + 1)[trials]}
    else:
        count = partial(check_count, "trial", minimum=0)
        kept = {*each_of("trials", trials, "numbers of trials", count)}
    rows = np.flatnonzero(np.isin(numbers, [*kept]))
    if kept - known or not len(rows):
        problem = (
            f"must be trials with a result among them, but was {trials!r}"
        )
        raise InputError(
            "trials", problem, trials, f"Finished trials: {spans(run.trials)}."
        )
    excluded = {
        t: run.excluded.get(t) if t in kept else _NOT_READ() for t in known
    }
    changes: dict[str, Any] = {
        "excluded": {t: why for t, why in excluded.items() if why}
    }
    for name in ("excluded_times", "without_result"):
        changes[name] = {
            t: held for t, held in getattr(run, name).items() if t in kept
        }
    if run.curves is not None:
        there = np.isin(run.curves.trials, [*kept])
        by_trial = {
            name: getattr(run.curves, name)[there]
            for name in ("trials", "X", "values")
        }
        changes["curves"] = replace(run.curves, **by_trial)
    if run.instances is not None:
        configs = {row.tobytes() for row in np.asarray(run.X)[rows]}
        there = np.array([row.tobytes() in configs for row in run.instances.X])
        of_row = {
            name: getattr(run.instances, name)[there]
            for name in ("X", "index", "objective")
        }
        changes["instances"] = replace(run.instances, **of_row)
    return some_rows(run, rows, **changes)


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
