"""Evaluations at several fidelities: samples, epochs, iterations or other budgets.

Results at different fidelities are not results of the same objective: those of one level speak.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt

from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Level:
    """The fidelity that is analysed.

    Attributes
    ----------
    name : str
        What the fidelity is called.
    value : float
        The level: that of every evaluation that counts.
    fidelity : ndarray of shape (n,)
        The fidelity of each evaluation; NaN where it is not known.
    """

    name: str
    value: float
    fidelity: Array

    @property
    def others(self) -> npt.NDArray[np.int64]:
        """The evaluations at another level."""
        return np.flatnonzero(self.fidelity != self.value)

    def reasons(self, trials: npt.NDArray[np.int64]) -> dict[int, Fact]:
        """Return why evaluations at another level do not count, by their numbers (n,)."""
        return {
            int(trials[i]): fact(
                "another_fidelity",
                names=[self.name],
                value=None if np.isnan(self.fidelity[i]) else float(self.fidelity[i]),
                level=self.value,
            )
            for i in self.others.tolist()
        }

    def notes(self) -> list[Fact]:
        """Return how many evaluations there are at each level, where there are several."""
        levels, counts = np.unique(self.fidelity[~np.isnan(self.fidelity)], return_counts=True)
        if not len(self.others):
            return []
        return [
            fact(
                "fidelity_level",
                names=[self.name],
                level=self.value,
                levels=tuple(levels.tolist()),
                counts=tuple(counts.tolist()),
            )
        ]


def level_of(name: str, fidelity: Array, finished: npt.NDArray[np.bool_], level: object) -> Level:
    """Return the level that is analysed.

    Parameters
    ----------
    name : str
        What the fidelity is called.
    fidelity : ndarray of shape (n,)
        The fidelity of each evaluation.
    finished : ndarray of bool, shape (n,)
        Whether it has a result; the highest level is that of the finished ones.
    level : float or None
        The level; None for the highest.

    Raises
    ------
    InputError
        If no evaluation has the level.
    """
    known = np.unique(fidelity[finished & ~np.isnan(fidelity)])
    if not len(known):
        known = np.unique(fidelity[~np.isnan(fidelity)])
    if level is None:
        return Level(name, float(known[-1]) if len(known) else np.nan, fidelity)
    if isinstance(level, bool) or not isinstance(level, Real) or float(level) not in known:
        levels = ", ".join(f"{value:g}" for value in known)
        problem = f"must be a level of {name} with a result, but was {level!r}"
        raise InputError("level", problem, level, f"Levels: {levels}.")
    return Level(name, float(level), fidelity)
