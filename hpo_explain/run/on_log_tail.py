"""A run whose objective is on a scale on which the worst trials count less."""

from __future__ import annotations

from dataclasses import replace

from hpo_explain.run.log_tail import LogTail
from hpo_explain.run.run import Run
from hpo_explain.run.thinned import thinned

MOST_TRIALS = 500  # more take a Gaussian process too long, and change little


def on_log_tail(run: Run, *, seed: int = 0) -> tuple[Run, LogTail]:
    """Return a run of at most 500 trials with its objective on the scale of `LogTail`.

    Parameters
    ----------
    run : Run
        The run.
    seed : int, default 0
        Seed of the choice of trials.

    Returns
    -------
    scaled : Run
        The run, with nothing that only its framework knows, and no model of the user's.
    tail : LogTail
        The scale of its cost, that of all trials.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, space.sample(5), [0.0, 1.0, 2.0, 3.0, 1e6], "minimize")
    >>> on_log_tail(run)[0].objective.round(1).tolist()
    [0.0, 1.0, 2.0, 2.8, 28.2]
    """
    tail = LogTail.of(run.cost)
    some = thinned(run, MOST_TRIALS, seed=seed)
    sign = 1.0 if run.direction == "minimize" else -1.0
    return replace(some, objective=sign * tail(some.cost), record=None, model=None), tail
