"""Runs with some of the trials, and with an objective on a scale on which the worst count less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hpo_explain.run.run import Run
from hpo_explain.space import Array, Ints

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


_LARGEST = 700.0  # logarithm of what half a cost can be


@dataclass(frozen=True)
class LogTail:
    """Costs that are linear up to a bend, and logarithmic beyond.

    With z the cost's distance from the best one in units of the bend's, beyond the bend z becomes
    1 + log z: continuous, with a continuous derivative, strictly increasing. A Gaussian process,
    which is equally smooth everywhere, then follows the better half and not the worst trials.

    Attributes
    ----------
    best, bend : float
        Costs (smaller is better). Where they are equal the scale is linear everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> scale = LogTail(0.0, 1.0)
    >>> scale(np.array([0.5, 1.0, np.e])).tolist()
    [0.5, 1.0, 2.0]
    >>> round(float(scale.cost(np.array([2.0]))[0]), 4)
    2.7183
    """

    best: float
    bend: float

    @classmethod
    def of(cls, cost: Array) -> LogTail:
        """Return the scale of trials: it bends at their median; linear without any."""
        if not len(cost):
            return cls(0.0, 0.0)
        return cls(float(np.min(cost)), float(np.median(cost)))

    def __call__(self, cost: Array) -> Array:
        """Return costs on the scale."""
        if self.best == self.bend:
            return np.array(cost, dtype=float)
        above, unit = np.asarray(cost, dtype=float) / 2.0 - self.best / 2.0, self._half
        z = np.minimum(above, unit) / unit + np.log(np.maximum(above, unit)) - np.log(unit)
        return np.asarray(2.0 * (self.best / 2.0 + unit * z))

    def cost(self, scaled: Array) -> Array:
        """Return costs from the scale: the inverse."""
        if self.best == self.bend:
            return np.array(scaled, dtype=float)
        unit = self._half
        z = (np.asarray(scaled, dtype=float) / 2.0 - self.best / 2.0) / unit
        tail = np.exp(np.minimum(np.maximum(z, 1.0) - 1.0 + np.log(unit), _LARGEST))
        return 2.0 * (self.best / 2.0 + np.where(z <= 1.0, unit * z, tail))

    @property
    def _half(self) -> float:
        """Half the better half's extent: differences of large numbers may be beyond any number."""
        return self.bend / 2.0 - self.best / 2.0


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
    return replace(some, objective=run.sign * tail(some.cost), record=None, model=None), tail
