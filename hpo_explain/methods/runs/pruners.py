"""Rules that stop trials early, replayed on trials whose end is known.

The rules are those of Optuna's MedianPruner, SuccessiveHalvingPruner (asynchronous) and
HyperbandPruner with their own defaults, written for the replay of many orders.
"""

from __future__ import annotations

import math
from binascii import crc32
from bisect import insort
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

_PART = 100  # of the longest trial: what a trial is given before it is judged first


@dataclass(frozen=True)
class MedianRule:
    """Stops a trial whose best value so far is worse than the median of those that ended.

    Attributes
    ----------
    startup : int
        How many trials must have ended before the first is stopped.

    References
    ----------
    .. [1] Golovin, D. et al. (2017). Google Vizier: a service for black-box optimization. KDD.
       Section 3.2.2 (there on running means).
    """

    startup: int = 5

    label = "a median pruner"

    def stopped(
        self,
        steps: Array,
        costs: Array,
        finished: npt.NDArray[np.bool_],
        seed: int,
    ) -> npt.NDArray[np.int64]:
        """Return at which step trials would have been stopped, as of `run.Pruner`."""
        found = np.full(len(costs), len(steps), dtype=np.int64)
        known: list[list[float]] = [[] for _ in steps]
        ended = 0
        for i, curve in enumerate(_reported(costs)):
            best = math.inf
            for j, value in curve:
                best = min(best, value)
                if (
                    ended >= self.startup
                    and known[j]
                    and best > _median(known[j])
                ):
                    found[i] = j
                    break
            else:
                if finished[i]:
                    ended += 1
                    for j, value in curve:
                        insort(known[j], value)
        return found


@dataclass(frozen=True)
class HalvingRule:
    """Lets at each rung only the best of a few trials go on (successive halving).

    Attributes
    ----------
    factor : int
        η: one of so many trials goes on, and gets so many times as many steps.
    least : float or None
        The step of the first rung; None for a hundredth of the longest trial.
    skipped : int
        How many of the first rungs are left out.

    References
    ----------
    .. [1] Li, L. et al. (2020). A system for massively parallel hyperparameter tuning. MLSys.
       Algorithm 2.
    """

    factor: int = 4
    least: float | None = None
    skipped: int = 0

    label = "successive halving"

    def stopped(
        self,
        steps: Array,
        costs: Array,
        finished: npt.NDArray[np.bool_],
        seed: int,
    ) -> npt.NDArray[np.int64]:
        """Return at which step trials would have been stopped, as of `run.Pruner`."""
        first = (
            _first_rung(steps, self.least) * float(self.factor) ** self.skipped
        )
        found = np.full(len(costs), len(steps), dtype=np.int64)
        rungs: list[list[float]] = []
        for i, curve in enumerate(_reported(costs)):
            rung = 0
            for j, value in curve:
                while (
                    found[i] == len(steps)
                    and steps[j] >= first * float(self.factor) ** rung
                ):
                    if rung == len(rungs):
                        rungs.append([])
                    insort(rungs[rung], value)
                    promoted = max(len(rungs[rung]) // self.factor, 1)
                    if value > rungs[rung][promoted - 1]:
                        found[i] = j
                    rung += 1
                if found[i] < len(steps):
                    break
        return found


@dataclass(frozen=True)
class HyperbandRule:
    """Successive halving in several brackets, which judge their trials first at other steps.

    Attributes
    ----------
    factor : int
        η, as of `HalvingRule`.
    least : float or None
        The step of the first rung of the first bracket, as of `HalvingRule`.

    References
    ----------
    .. [1] Li, L. et al. (2018). Hyperband: a novel bandit-based approach to hyperparameter
       optimization. JMLR 18(185). Algorithm 1.
    """

    factor: int = 3
    least: float | None = None

    label = "Hyperband"

    def stopped(
        self,
        steps: Array,
        costs: Array,
        finished: npt.NDArray[np.bool_],
        seed: int,
    ) -> npt.NDArray[np.int64]:
        """Return at which step trials would have been stopped, as of `run.Pruner`."""
        first = _first_rung(steps, self.least)
        brackets = _Brackets.of((float(steps[-1]) + 1.0) / first, self.factor)
        chosen = np.array(
            [brackets.of_trial(i, seed) for i in range(len(costs))],
            dtype=np.int64,
        )
        found = np.full(len(costs), len(steps), dtype=np.int64)
        for bracket in range(len(brackets.budgets)):
            rows = np.flatnonzero(chosen == bracket)
            rule = HalvingRule(self.factor, first, bracket)
            found[rows] = rule.stopped(
                steps, costs[rows], finished[rows], seed
            )
        return found


@dataclass(frozen=True)
class _Brackets:
    """How many of the trials each bracket takes."""

    budgets: tuple[int, ...] = field(default=(1,))

    @classmethod
    def of(cls, ratio: float, factor: int) -> _Brackets:
        n = math.floor(math.log(max(ratio, 1.0), factor)) + 1
        return cls(
            tuple(
                math.ceil(n * factor**s / (s + 1)) for s in reversed(range(n))
            )
        )

    def of_trial(self, number: int, seed: int) -> int:
        """Return the bracket of a trial, by Optuna's hash of the study's name and its number."""
        at = crc32(f"replay-{seed}_{number}".encode()) % sum(self.budgets)
        return int(np.searchsorted(np.cumsum(self.budgets), at, side="right"))


RULES = (MedianRule(), HalvingRule(), HyperbandRule())


def _first_rung(steps: Array, least: float | None) -> float:
    if least is not None:
        return least
    positive = steps[steps > 0.0]
    first = float(positive[0]) if len(positive) else 1.0
    return max(first, float(steps[-1]) // _PART)


def _reported(costs: Array) -> list[list[tuple[int, float]]]:
    """Return for each trial the positions and values of what it reported."""
    return [
        [(j, v) for j, v in enumerate(curve) if v == v]
        for curve in costs.tolist()
    ]


def _median(values: list[float]) -> float:
    middle = len(values) // 2
    return (
        values[middle]
        if len(values) % 2
        else (values[middle - 1] + values[middle]) / 2.0
    )
