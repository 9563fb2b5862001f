"""A result, the run it is about, and the problem whose truth decides over its claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import hpo_explain as hx
from hpo_explain.base.result import Result
from tests.claims.problems import Problem


class Judgement(NamedTuple):
    """What the truth says about a claim.

    Attributes
    ----------
    right : bool or None
        Whether it is true; None where the truth does not decide.
    truth : str
        What is true.
    covered : bool or None
        Whether the claim's interval holds the true number; None where there is none.
    """

    right: bool | None
    truth: str = ""
    covered: bool | None = None


UNDECIDED = Judgement(None)


@dataclass(frozen=True, eq=False)
class Case:
    """One result of one run."""

    problem: Problem
    run: hx.Run
    method: str
    result: Result

    @property
    def d(self) -> int:
        """The number of hyperparameters."""
        return len(self.problem.space)

    def row(self, config: Mapping[str, Any]) -> np.ndarray:
        """Encoded row (d,) of a configuration."""
        return self.problem.space.encode(dict(config))[0]

    def cost(self, config: Mapping[str, Any]) -> float:
        """True cost of a configuration."""
        return float(self.problem.cost(self.row(config)[None, :])[0])

    def latent(self, config: Mapping[str, Any]) -> np.ndarray:
        """Latent row (d,) of a configuration; NaN where it is inactive."""
        x = self.row(config).copy()
        for j, parameter in enumerate(self.problem.space.parameters):
            if isinstance(parameter, hx.CategoricalParameter):
                x[j] = (x[j] + 0.5) / len(parameter.choices)
        return x

    def positions(self, name: str, value: Any) -> Iterator[tuple[float, float]]:
        """Encoded ranges of what is claimed of a hyperparameter.

        A value, a range (a pair of numbers), several of them, a category or several categories.
        """
        parameter = self.problem.space.parameters[self.problem.space.index(name)]
        if isinstance(parameter, hx.CategoricalParameter):
            several = value if isinstance(value, (tuple, list)) else (value,)
            for choice in several:
                yield (float(parameter.choices.index(choice)),) * 2
        elif isinstance(value, (tuple, list)):
            if len(value) == 2 and not isinstance(value[0], (tuple, list)):
                value = (value,)
            for low, high in value:
                yield self._position(parameter, low), self._position(parameter, high)
        else:
            yield (self._position(parameter, value),) * 2

    @staticmethod
    def _position(parameter: Any, value: Any) -> float:
        return (float(value) - parameter.low) / (parameter.high - parameter.low)

    def tried(self, name: str) -> np.ndarray:
        """Encoded values of a hyperparameter in the run's trials, where it was active."""
        values = self.run.X[:, self.problem.space.index(name)]
        return values[~np.isnan(values)]

    def widest_gap(self, name: str) -> float:
        """The widest part of a number's range in which nothing was tried; 1 for no trials."""
        parameter = self.problem.space.parameters[self.problem.space.index(name)]
        values = self.tried(name)
        if isinstance(parameter, hx.CategoricalParameter):
            return float(len(np.unique(values)) < len(parameter.choices))
        return float(np.diff(np.concatenate([[0.0], np.sort(values), [1.0]])).max())

    @property
    def explored(self) -> bool:
        """Whether trials lie all over the space: no hyperparameter has half of its range untried.

        Who knows the truth at the trials alone can say nothing of the rest.
        """
        return all(
            self.widest_gap(p.name) < 0.5
            for p in self.problem.space.parameters
            if not isinstance(p, hx.CategoricalParameter)
        )


def inside(interval: tuple[float, float] | None, value: float, slack: float = 0.0) -> bool | None:
    """Whether an interval holds a value; None without one."""
    if interval is None or not np.isfinite(interval).all():
        return None
    return bool(interval[0] - slack <= value <= interval[1] + slack)
