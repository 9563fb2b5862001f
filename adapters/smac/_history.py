"""What SMAC evaluated, from its run history or from its files alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation
from hpo_explain.base.facts import Fact, Origin
from hpo_explain.run import FAILED, RUNNING
from hpo_explain.space import SearchSpace

_RUNNING = "RUNNING"
_SUCCESS = "SUCCESS"


@dataclass(frozen=True)
class Result:
    """One evaluation of a configuration.

    Attributes
    ----------
    instance, seed : hashable
        What it was evaluated on.
    budget : float
        The budget; NaN where there is none.
    costs : tuple of float
        The objectives.
    status : str
        "SUCCESS", "RUNNING", or why it failed.
    started, finished : float
        Seconds since the epoch; NaN or 0 where they are not known.
    """

    instance: Hashable
    seed: Hashable
    budget: float
    costs: tuple[float, ...]
    status: str
    started: float
    finished: float

    @property
    def succeeded(self) -> bool:
        """Whether it has a result."""
        return self.status == _SUCCESS

    def cost(self, objective: int) -> float:
        """Return an objective; what crashed has the same number for all."""
        return self.costs[min(objective, len(self.costs) - 1)]

    def is_at(self, budget: float) -> bool:
        """Say whether it has a budget."""
        neither = bool(np.isnan(self.budget) and np.isnan(budget))
        return neither or self.budget == budget


@dataclass(frozen=True, eq=False)
class Configuration:
    """A configuration and its evaluations.

    Attributes
    ----------
    values : mapping of str to object
        The values of the hyperparameters that are active.
    origin : str
        What chose it, in SMAC's words; empty where it is not on record.
    results : list of Result
        Its evaluations.
    own : object
        The configuration of ConfigSpace; None where it comes from a file.
    """

    values: Mapping[str, Any]
    origin: str = ""
    results: list[Result] = field(default_factory=list)
    own: Any = None

    def at(self, budget: float) -> list[Result]:
        """Return the results with a budget; without any, those with the highest."""
        results = self._without_echoes()
        found = [result for result in results if result.is_at(budget)]
        if found:
            return found
        highest = max(result.budget for result in results)
        return [result for result in results if result.is_at(highest)]

    def _without_echoes(self) -> list[Result]:
        """Return the results without those that say of a finished one that it is running.

        Where a trial is told with another seed or instance than it was asked with, both are kept.
        """
        finished = [r for r in self.results if r.status != _RUNNING]
        running = len(self.results) - len(finished)
        return finished if len(finished) >= running else self.results

    def evaluation(self, objective: int, budget: float, origin: Origin) -> Evaluation:
        """Return the mean of the results with a budget as one evaluation."""
        results = self.at(budget)
        done = [r.cost(objective) for r in results if r.succeeded]
        states = {result.status for result in results}
        reason = None
        if states - {_SUCCESS}:
            reason = RUNNING if _RUNNING in states else FAILED
        is_running = _RUNNING in states
        return Evaluation(
            self.values,
            float(np.mean(done)) if done else np.nan,
            reason,
            origin,
            min(result.started or np.nan for result in self.results),
            np.inf if is_running else max(result.finished or np.nan for result in results),
            results[0].budget,
        )


@dataclass(frozen=True, eq=False)
class History:
    """A run of SMAC.

    Attributes
    ----------
    configurations : mapping of int to Configuration
        The configurations by the number of their trial.
    objectives : sequence of str
        Their names; empty where they are not on record.
    space : SearchSpace or None
        The search space; None where it is not on record.
    notes : sequence of Fact
        What was assumed about the space.
    default : mapping of str to object
        The values of the default configuration.
    facade : str
        What ran it, such as "HyperparameterOptimizationFacade"; empty where it is not on record.
    """

    configurations: Mapping[int, Configuration]
    objectives: Sequence[str] = ()
    space: SearchSpace | None = None
    notes: Sequence[Fact] = ()
    default: Mapping[str, Any] = field(default_factory=dict)
    facade: str = ""

    @property
    def names(self) -> list[str]:
        """The objectives, those without a name by their position."""
        if self.objectives:
            return [*self.objectives]
        n = max((len(r.costs) for c in self.configurations.values() for r in c.results), default=1)
        return ["cost"] if n == 1 else [f"objective {i}" for i in range(n)]

    def budgets(self) -> list[float]:
        """Return the budgets with a result, in order."""
        return sorted(
            {
                result.budget
                for configuration in self.configurations.values()
                for result in configuration.results
                if result.succeeded
            }
        )
