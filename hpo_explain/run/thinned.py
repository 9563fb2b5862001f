"""A run with fewer trials, for models that take too long on all."""

from __future__ import annotations

import numpy as np

from hpo_explain.run._rows import some_rows
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
    return some_rows(run, rows)
