"""What is asked about a run: the run, the problem behind it, and how an answer is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import hpo_explain as hx
from tests.claims.decided import Decided
from tests.claims.problem import Problem
from tests.claims.runs import FAILED, Setting

LOSS = 0.05  # of median minus best: an effect of that size matters
SLACK = 0.01  # of the same: so near the truth an interval's end holds it

BROKEN = "broken"  # a question that failed with an error, which none should


@dataclass(frozen=True)
class Scored:
    """A claim or a number, or what could have been claimed, and the truth about it.

    Attributes
    ----------
    kind : str
        What it says.
    made : bool
        Whether it was said at all.
    certain : bool
        Whether without a reservation.
    right : bool or None
        Whether it is true; None where the truth does not decide.
    covered : bool or None
        Whether its interval holds the truth; None without an interval.
    could : bool
        Whether it is true and of a size that matters, so that it could be told.
    stated, known : float
        A number and its truth: a share, a probability and 0 or 1, an R², a standard deviation.
    width : float
        Of its interval, or the volume of a box.
    """

    kind: str
    made: bool = True
    certain: bool = False
    right: bool | None = None
    covered: bool | None = None
    could: bool = False
    stated: float = np.nan
    known: float = np.nan
    width: float = np.nan


def covers(interval: Any, truth: float, slack: float = 0.0) -> bool | None:
    """Return whether an interval holds the truth; None without an interval."""
    if interval is None or np.isnan(interval).any():
        return None
    low, high = interval
    return bool(low - slack <= truth <= high + slack)


@dataclass(frozen=True, eq=False)
class Asked:
    """A run, its problem, the folder of runs, and what several questions need."""

    run: hx.Run
    problem: Problem
    setting: Setting
    cache: Path | None = None

    @property
    def slack(self) -> float:
        """What is too small to matter, in the objective's units."""
        return SLACK * self.problem.spread

    @property
    def sign(self) -> float:
        """1 where the objective is minimized, else -1."""
        return 1.0 if self.run.direction == "minimize" else -1.0

    @cached_property
    def advice(self) -> Any:
        """What is advised."""
        return hx.advise(self.run)

    @cached_property
    def kept(self) -> Mapping[str, Any]:
        """The configuration of the trial to keep."""
        return self.run.config(Decided.of(self.run).keep)

    @cached_property
    def kept_cost(self) -> float:
        """Its true cost."""
        return self.problem.cost_of(self.kept)

    @cached_property
    def left(self) -> float:
        """By how much the best is truly better than the trial to keep."""
        return self.kept_cost - self.problem.best

    def gives_result(self, configs: Any) -> np.ndarray:
        """Return which configurations rather give a result, (n,)."""
        rows = np.vstack([self.problem.row_of(config) for config in configs])
        return self.problem.gives_result(rows)

    @cached_property
    def noise(self) -> float:
        """True standard deviation of an evaluation among the better half of the trials."""
        values = np.where(np.asarray(self.run.objective) == FAILED, np.inf, self.run.objective)
        costs = self.sign * values
        better = np.flatnonzero((costs <= np.median(costs)) & np.isfinite(costs))
        rows = np.vstack([self.problem.row_of(self.run.config(self.run.trials[i])) for i in better])
        return float(np.sqrt((self.problem.noise_at(rows, self.setting.noise) ** 2).mean()))
