"""What is known of trials that gave no result: where they failed, and what pruned ones cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hpo_explain.base import Frozen, set_fields
from hpo_explain.run.record import Record
from hpo_explain.run.without_result import WithoutResult
from hpo_explain.space import Array, Ints, filled

# a pruner stops what it holds worse than most: at best it is like the median of the others
_AT_BEST = 0.5


@dataclass(frozen=True, eq=False)
class Failures(Frozen):
    """Trials that gave no result, and what is known of them all the same.

    Attributes
    ----------
    trials : ndarray of int, shape (m,)
        The trials that failed, or were pruned before they reported a value.
    X : ndarray of shape (m, d)
        Their configurations, encoded; of those cut short what was not chosen is drawn.
    pruned : ndarray of int, shape (p,)
        The trials that were pruned with a value that can be compared with those of others.
    X_pruned : ndarray of shape (p, d)
        Their configurations, encoded.
    cost_pruned : ndarray of shape (p,)
        What each would have cost at its end, as far as that can be told.
    """

    trials: Ints
    X: Array
    pruned: Ints
    X_pruned: Array
    cost_pruned: Array

    def __post_init__(self) -> None:
        set_fields(self, **vars(self))

    def __len__(self) -> int:
        return len(self.trials)


def failures(run: Record, before: int | None = None) -> Failures:
    """Return what is known of the trials that gave no result.

    A trial failed if it says so, if its objective was NaN, infinite or a number that stands for a
    failure, or if it was pruned before it reported a value.

    A trial that was pruned with a value is worse than most: its value is ranked among those that
    finished trials reported at the same step, or at the last one that it has in common with some,
    and it counts as their final cost at the quantile of its rank, as their median at best. Where
    no finished trial reported anything, or the values cannot be read, nothing is known of it.

    Parameters
    ----------
    run : Record
        The run.
    before : int, optional
        Only what was known when this trial was proposed; by default every trial.

    Returns
    -------
    Failures
        The failures; those without any value are left out.

    Raises
    ------
    InputError
        If there is no such trial.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> from hpo_explain.run import Curves, WithoutResult
    >>> space = SearchSpace([FloatParameter("lr", 0.0, 1.0)])
    >>> lr = {0: [0.1], 1: [0.2], 2: [0.3], 3: [0.4], 4: [0.9]}
    >>> reported = {0: {1: 0.9, 2: 0.1}, 1: {1: 0.8, 2: 0.2}, 2: {1: 0.7, 2: 0.3}, 3: {1: 0.85}}
    >>> run = Run(
    ...     space,
    ...     [lr[0], lr[1], lr[2]],
    ...     [0.1, 0.2, 0.3],
    ...     "minimize",
    ...     without_result={3: WithoutResult("pruned", lr[3]), 4: WithoutResult("failed", lr[4])},
    ...     curves=Curves.of(reported, lr),
    ... )
    >>> without = failures(run)
    >>> without.trials.tolist(), without.X.tolist(), without.pruned.tolist()
    ([4], [[0.9]], [3])
    """
    ended = [t for t in run.ended_before(before) if t in run.without_result]
    X = _rows(run, ended)
    has_values = run.space.on_grid(X).all(axis=1) & ~np.isnan(X).all(axis=1)
    trials = np.array(ended, dtype=np.int64)[has_values].tolist()
    failed = [t for t in trials if _gave_nothing(run.without_result[t])]
    pruned = sorted({*trials} - {*failed})
    costs = _costs_of_pruned(run, before, pruned)
    return Failures(
        trials=np.array(failed, dtype=np.int64),
        X=_completed(run, failed),
        pruned=np.array([*costs], dtype=np.int64),
        X_pruned=_completed(run, [*costs]),
        cost_pruned=np.array([*costs.values()], dtype=float),
    )


def _rows(run: Record, trials: Sequence[int]) -> Array:
    rows = [run.without_result[trial].x for trial in trials]
    return np.array(rows, dtype=float).reshape(-1, len(run.space))


def _completed(run: Record, trials: Sequence[int]) -> Array:
    """Return encoded rows; what was not chosen any more, as the trial failed before, may be any."""
    X = _rows(run, trials)
    cut_short = ~run.space.is_valid(X)
    X[cut_short] = run.space.project(filled(run.space, X, seed=0))[cut_short]
    return X


def _gave_nothing(trial: WithoutResult) -> bool:
    return trial.state == "failed" or (trial.state == "pruned" and not trial.reported)


def _costs_of_pruned(run: Record, before: int | None, pruned: Sequence[int]) -> dict[int, float]:
    """Return the final costs of trials that were pruned, of those that can be compared."""
    if run.curves is None:
        return {}
    place = {trial: i for i, trial in enumerate(run.curves.trials.tolist())}
    reported = run.sign * run.curves.values
    finished = run.trials[run.known_before(before)]
    has_curve = np.isin(finished, run.curves.trials)
    final = run.learned_cost(before)[has_curve]
    peers = reported[[place[t] for t in finished[has_curve].tolist()]]
    costs = {}
    for trial in pruned:
        if trial not in place:
            continue
        own = reported[place[trial]]
        comparable = ~np.isnan(peers).all(axis=0) & ~np.isnan(own)
        if not comparable.any():
            continue
        step = np.flatnonzero(comparable)[-1]
        others = ~np.isnan(peers[:, step])
        rank = float(np.mean(peers[others, step] < own[step]))
        costs[trial] = float(np.quantile(final[others], max(rank, _AT_BEST)))
    return costs
