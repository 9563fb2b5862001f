"""What is known of a sampler without an acquisition function, and what all records share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optuna.trial import FrozenTrial

from hpo_explain.facts import Fact, as_fact
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import SearchSpace
from hpo_explain.surrogates import Surrogate


@dataclass(frozen=True, eq=False)
class SamplerRecord:
    """A sampler and the trials of its study, for a Run.

    Attributes
    ----------
    name : str
        The sampler's name.
    directions : tuple of StudyDirection
        Those of the study's objectives.
    trials : tuple of FrozenTrial
        All trials of the study; they are only read.
    space : SearchSpace
        The run's search space.
    by_hand : mapping of int to str
        Trials that the sampler did not choose, and why.
    """

    name: str
    directions: tuple[Any, ...]
    trials: tuple[FrozenTrial, ...]
    space: SearchSpace
    by_hand: Mapping[int, str]

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return None: the sampler has no surrogate of the objective."""
        return None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return None: no acquisition function chose the trials."""
        return None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        return as_fact(self._nobody(before))

    def _nobody(self, before: int | None) -> str:
        if before is not None and before in self.by_hand:
            return f"no acquisition function chose this: trial {before} was {self.by_hand[before]}"
        return f"no acquisition function chose this: {self.name} has none"
