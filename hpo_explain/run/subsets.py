"""Runs with some of the trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from hpo_explain.base import InputError, check_count, each_of, fact, spans
from hpo_explain.run.run import Run
from hpo_explain.space import Ints

_T = TypeVar("_T")
_NOT_READ = fact("not one of the trials that were chosen")
_BY_ROW = ("X", "objective", "feasible", "started", "finished", "durations")


def some_rows(run: Run, rows: Ints, **changes: Any) -> Run:
    """Return a run with the finished trials in some rows, in this order, and other changes.

    What holds several results of a trial is left out.
    """
    numbers = run.trials[rows]
    trials = {*numbers.tolist()}
    fields: dict[str, Any] = {
        "trials": numbers,
        "proposals": [t for t in run.proposals or () if t in trials],
        "reviewed": of_trials(run.reviewed, trials),
        "instances": None,
        "curves": None,
        "attributes": {name: values[rows] for name, values in run.attributes.items()},
    }
    fields |= {name: getattr(run, name)[rows] for name in _BY_ROW}
    return replace(run, **{**fields, **changes})


def of_trials(by_trial: Mapping[int, _T], trials: set[int]) -> dict[int, _T]:
    """Return what is there of some trials."""
    return {t: value for t, value in by_trial.items() if t in trials}


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
    numbers = run.trials
    existing = {*numbers.tolist(), *run.excluded}
    if isinstance(trials, slice):
        wanted = existing & {*range(max(existing) + 1)[trials]}
    else:
        count = partial(check_count, "trial", minimum=0)
        wanted = {*each_of("trials", trials, "numbers of trials", count)}
    rows = np.flatnonzero(np.isin(numbers, [*wanted]))
    if wanted - existing or not len(rows):
        problem = f"must be trials with a result among them, but was {trials!r}"
        raise InputError("trials", problem, trials, f"Finished trials: {spans(run.trials)}.")
    excluded = dict.fromkeys(sorted(existing - wanted), _NOT_READ)
    curves = run.curves
    instances = run.instances
    return some_rows(
        run,
        rows,
        excluded=of_trials(run.excluded, wanted) | excluded,
        excluded_times=of_trials(run.excluded_times, wanted),
        without_result=of_trials(run.without_result, wanted),
        curves=None if curves is None else curves.of_trials(wanted),
        instances=None if instances is None else instances.of(run.X[rows]),
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
