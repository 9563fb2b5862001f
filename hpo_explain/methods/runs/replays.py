"""What pruners would have done with finished trials, replayed in random orders."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hpo_explain.space import Array, Ints

_ORDERS = 100
_STARTUP = 5  # as Optuna's percentile pruners: trials that are never pruned
_REDUCTION = 4  # as Optuna's SuccessiveHalvingPruner

Rule = Callable[[Array], Ints]
"""Takes costs by step in the order of the trials; returns the place of each one's last step."""


@dataclass(frozen=True)
class Replay:
    """What one pruner would have done.

    Attributes
    ----------
    name : str
        What it is called.
    saved : float
        The share of steps that would not have been run.
    p_kept : float
        In which share of the orders the best trial would have finished.
    loss : float
        How much worse the best of the finished ones would have been, on average, in the objective's
        units.
    """

    name: str
    saved: float
    p_kept: float
    loss: float


def by_percentile(percentile: float) -> Rule:
    """Return Optuna's PercentilePruner with its defaults.

    A trial ends where its best value so far is worse than a percentile of what the trials that had
    finished before reported at the step. The percentile counts from the best on: 50 is the median.

    Examples
    --------
    >>> costs = np.array([[1.0, 1.0]] * 5 + [[2.0, 0.0], [0.5, 0.5]])
    >>> by_percentile(50.0)(costs).tolist()
    [1, 1, 1, 1, 1, 0, 1]
    """

    def rule(cost: Array) -> Ints:
        steps = range(cost.shape[1] - 1)
        last = np.full(len(cost), cost.shape[1] - 1)
        # at each step what those that finished had reported, sorted
        reported: list[list[float]] = [[] for _ in steps]
        for i, values in enumerate(cost.tolist()):
            best = math.inf
            for step in steps:
                best = min(best, values[step])
                if len(reported[step]) >= _STARTUP and best > _at(reported[step], percentile):
                    last[i] = step
                    break
            else:
                for step in steps:
                    insort(reported[step], values[step])
        return last

    return rule


def _at(ascending: list[float], percentile: float) -> float:
    """Return a percentile of sorted numbers, as `numpy.percentile`."""
    place = (len(ascending) - 1) * percentile / 100.0
    low = int(place)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (place - low) * (ascending[high] - ascending[low])


def by_halving(cost: Array) -> Ints:
    """Asynchronous successive halving with Optuna's defaults, from the first step on.

    At the rungs, after 1, 4, 16, … steps, a trial goes on if it is among the best quarter of those
    that reached the rung so far, itself included; the best of fewer than four goes on, too.

    Examples
    --------
    >>> by_halving(np.array([[1.0, 1.0], [2.0, 2.0], [0.5, 0.5]])).tolist()
    [1, 0, 1]
    """
    last = np.full(len(cost), cost.shape[1] - 1)
    rungs = []
    step = 1
    while step < cost.shape[1]:
        rungs.append(step - 1)
        step *= _REDUCTION
    reached: dict[int, list[float]] = {rung: [] for rung in rungs}
    for i, values in enumerate(cost):
        for rung in rungs:
            reached[rung].append(float(values[rung]))
            best = sorted(reached[rung])[: max(len(reached[rung]) // _REDUCTION, 1)]
            if values[rung] > best[-1]:
                last[i] = rung
                break
    return last


PRUNERS: dict[str, Rule] = {
    "a pruner of the worst quarter": by_percentile(75.0),
    "the median pruner": by_percentile(50.0),
    "a pruner of all but the best quarter": by_percentile(25.0),
    "successive halving": by_halving,
}


def replays_of(cost: Array, final: Array, *, seed: int) -> tuple[Replay, ...]:
    """Return what each pruner would have done with finished trials, over random orders.

    Parameters
    ----------
    cost, final : ndarray of shape (n, S) and (n,)
        What the trials reported by each step, and their final costs; smaller is better.
    """
    rng = np.random.default_rng(seed)
    # where a trial ended before others, its last value holds on
    there = ~np.isnan(cost)
    place = np.maximum.accumulate(np.where(there, np.arange(cost.shape[1]), 0), axis=1)
    cost = np.take_along_axis(cost, place, axis=1)
    orders = [rng.permutation(len(cost)) for _ in range(_ORDERS)]
    ends = cost.shape[1] - 1
    replays = []
    for name, rule in PRUNERS.items():
        of_order = []
        for order in orders:
            last = rule(cost[order])
            finished = final[order][last == ends]
            saved = 1.0 - (last + 1).mean() / (ends + 1)
            of_order.append((saved, finished.min() == final.min(), finished.min() - final.min()))
        saved, p_kept, loss = np.mean(of_order, axis=0)
        replays.append(Replay(name, float(saved), float(p_kept), float(loss)))
    return tuple(replays)
