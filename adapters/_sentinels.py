"""Numbers that stand for a failure: users of some optimizers must return one for what crashed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.numbers import format_value
from hpo_explain.base.options import Direction, sign_of
from hpo_explain.base.phrases import counted_trials, join_words
from hpo_explain.run.metrics import bounds_of, check_bounds
from hpo_explain.space import Array, Bools, Ints

_FEWEST = 2  # different results to compare with
_RANGES = 10.0  # distance from the others, in units of their whole range
_TIMES_ROUND = 10.0  # size beside the largest of the others, of a round number ...
_TIMES_REPEATED = 100.0  # ... and of any other one that occurs again
_LEAST_ROUND = 999.0
_SAME = 1e-7  # relative: single precision
_LARGEST = (sys.float_info.max, float(np.finfo(np.float32).max), 2.0**31, 2.0**63)


@dataclass(frozen=True)
class Sentinels:
    """What is asked of results: which of them stand for a failure.

    Attributes
    ----------
    direction : {"minimize", "maximize"}
        Which way is better.
    name : str
        What the objective is called.
    bounds : tuple of (float, float) or None
        The objective's natural range, if the user gave it: what it holds is a value.
    config_of : callable
        Returns what identifies the configuration of the result in a row.
    """

    direction: Direction
    name: str
    bounds: tuple[float, float] | None
    config_of: Callable[[int], Hashable]

    def __post_init__(self) -> None:
        if self.bounds is not None:  # asked before there is a run that checks them
            check_bounds(self.bounds)

    def found(self, objective: Array) -> Bools:
        """Return which results stand for a failure, (n,), of which those that are NaN do not.

        That is the worst value, where it is far beyond all others: ten times as large as any, and
        away from them by ten times their range. It is then a round number such as 1e6 or 999, where
        the others are not whole numbers, or a hundred times as large and the same for several
        configurations, where the others differ. Neither counts where powers of ten are among the
        others. Or it is a power of ten, such as -1, outside the natural range of a metric, within
        which all others lie. After one such value the next is looked for.

        Examples
        --------
        >>> asked = Sentinels("minimize", "loss", None, int)
        >>> asked.found(np.array([0.3, 1e6, 0.2, 0.7, 0.5])).tolist()
        [False, True, False, False, False]
        >>> asked.found(np.array([0.3, 2.3, 0.2, 2.3, 0.5])).any()
        np.False_
        """
        sign = sign_of(self.direction)
        found = np.zeros(len(objective), dtype=bool)
        left = np.isfinite(objective)
        while left.any():
            worst = objective[left][np.argmax(sign * objective[left])]
            at_worst = left & (objective == worst)
            others = self._without_round(objective[left & ~at_worst])
            if not self._is_sentinel(float(worst), np.flatnonzero(at_worst), others):
                break
            found |= at_worst
            left &= ~at_worst
        return found

    def excluded(self, objective: Array, trials: Sequence[int]) -> dict[int, Fact]:
        """Return the trials whose result stands for a failure, with the reason to leave them out.

        Parameters
        ----------
        objective : ndarray of shape (n,)
            Results, NaN where there is none.
        trials : sequence of int
            The numbers of the trials.
        """
        found = np.flatnonzero(self.found(objective)).tolist()
        return {int(trials[i]): self._reason(float(objective[i])) for i in found}

    def _reason(self, value: float) -> Fact:
        return fact(
            f"its {self.name} of {format_value(value)} stands for a failure (with ",
            Option("bounds"),
            " that hold it, it is a value)",
            kind="sentinel",
            names=[self.name],
            value=value,
        )

    def _is_sentinel(self, worst: float, rows: Ints, others: Array) -> bool:
        if self.bounds is not None and self.bounds[0] <= worst <= self.bounds[1]:
            return False
        if len(np.unique(others)) < _FEWEST:
            return False
        if _is_power_of_ten(abs(worst)) and self._is_impossible(worst, others):
            return True
        largest, distance = (float(np.abs(others).max()), float(np.abs(worst - others).min() / 2.0))
        if distance < _RANGES * float(np.ptp(others / 2.0)):
            return False
        size = abs(worst)
        powers = [one for one in np.abs(others).tolist() if one >= 10.0 and _is_power_of_ten(one)]
        if powers and _is_power_of_ten(size):
            return False
        whole = bool((others % 1.0 == 0.0).all())
        if _is_round(size) and not whole and size / _TIMES_ROUND >= largest:
            return True
        differ = len(np.unique(others)) > len(others) / 2
        several = len({self.config_of(int(row)) for row in rows.tolist()}) > 1
        return several and differ and size / _TIMES_REPEATED >= largest

    def _without_round(self, others: Array) -> Array:
        """Return results without the worst ones that are round, too: they may be of this kind."""
        ordered = np.sort(others)
        if self.direction == "maximize":
            ordered = ordered[::-1]
        while len(ordered) and _is_round(abs(float(ordered[-1]))):
            ordered = ordered[:-1]
        return ordered

    def _is_impossible(self, worst: float, others: Array) -> bool:
        """Return whether a value lies outside a metric's natural range, which holds the others."""
        natural = bounds_of(self.name, others) if self.bounds is None else self.bounds
        if natural is None:
            return False
        hold_others = (others >= natural[0]).all() and (others <= natural[1]).all()
        return bool(hold_others) and not natural[0] <= worst <= natural[1]


def of_sentinels(excluded: Mapping[int, Fact]) -> list[Fact]:
    """Return a note on the trials that are left out for such a value, if there are any."""
    found = {trial: why for trial, why in excluded.items() if why.kind == "sentinel"}
    if not found:
        return []
    values = dict.fromkeys(format_value(why["value"]) for why in found.values())
    (name,) = next(iter(found.values())).names
    return [
        fact(
            f"failures: {counted_trials([*found])} with {join_words([*values])} as {name}, far "
            "beyond all others, count as failed; with ",
            Option("bounds"),
            " that hold it, it is a value",
            trials=sorted(found),
        )
    ]


def _is_power_of_ten(size: float) -> bool:
    return size >= 1.0 and abs(size / float(f"1e{round(np.log10(size))}") - 1.0) <= _SAME


def _is_round(size: float) -> bool:
    """Return whether a number is a power of ten from 1000 on, one less, or the largest there is."""
    if size < _LEAST_ROUND:
        return False
    nines = size % 1.0 == 0.0 and size < 1e15 and _is_power_of_ten(size + 1.0)
    largest = any(abs(size / one - 1.0) <= 1e-9 for one in _LARGEST)
    return _is_power_of_ten(size) or nines or largest
