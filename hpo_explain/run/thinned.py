"""A run with fewer trials, for models that take too long on all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.run.run import Run


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
    numbers = np.asarray(run.trials)[rows]
    kept = {*numbers.tolist()}
    return replace(
        run,
        X=run.X[rows],
        objective=run.objective[rows],
        trials=numbers,
        proposals=[trial for trial in run.proposals or () if trial in kept],
        reviewed={t: decided for t, decided in run.reviewed.items() if t in kept},
        feasible=None if run.feasible is None else run.feasible[rows],
        started=None if run.started is None else run.started[rows],
        finished=None if run.finished is None else run.finished[rows],
        durations=None if run.durations is None else run.durations[rows],
        instances=None,
        curves=None,
    )
