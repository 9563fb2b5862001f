"""What is known of a sampler without an acquisition function, and what all records share."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from optuna.trial import FrozenTrial

from hpo_explain.adapters.optuna._rebuilding import UnexpectedSamplerError
from hpo_explain.adapters.optuna._unwarned import made
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace

_FEWEST, _MOST = 20, 300  # trials of which the regret is bounded

BY_HAND = (Origin.ENQUEUED, Origin.RETRIED, Origin.ADDED)
"""Origins of trials that the sampler did not choose."""


@dataclass(frozen=True, eq=False)
class SamplerRecord:
    """A sampler and the trials of its study, for a Run.

    Attributes
    ----------
    name : str
        The sampler's name; empty where it is not known.
    directions : tuple of StudyDirection
        Those of the study's objectives.
    trials : tuple of FrozenTrial
        All trials of the study; they are only read.
    space : SearchSpace
        The run's search space.
    origins : mapping of int to Origin
        Who chose the trials that count.
    """

    name: str
    directions: tuple[Any, ...]
    trials: tuple[FrozenTrial, ...]
    space: SearchSpace
    origins: Mapping[int, Origin]

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return None: the sampler has no surrogate of the objective."""
        return None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return None: no acquisition function chose the trials."""
        return None

    def regret_bound(self, trials: Sequence[int], objective: Array) -> float | None:
        """Return the bound of :class:`optuna.terminator.RegretBoundEvaluator`.

        None where trials have several objectives, or are too few, or so many that it takes long.
        """
        if len(self.directions) != 1 or not _FEWEST <= len(trials) <= _MOST:
            return None
        numbered = {trial.number: trial for trial in self.trials}
        told = []
        for number, value in zip(trials, objective, strict=True):
            trial = copy.copy(numbered[int(number)])
            trial.state, trial.value = optuna.trial.TrialState.COMPLETE, float(value)
            told.append(trial)
        try:
            from optuna.terminator import RegretBoundEvaluator

            evaluator = made(RegretBoundEvaluator, seed=0)
            bound = float(evaluator.evaluate(told, self.directions[0]))
        except (
            ImportError,
            ValueError,
        ):  # it needs torch, and hyperparameters that all trials have
            return None
        return bound if np.isfinite(bound) else None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        if not self.name:
            return self.by_hand(before) or fact("sampler_not_recorded")
        return self.by_hand(before) or fact("without_acquisition", names=[self.name])

    def by_hand(self, before: int | None) -> Fact | None:
        """Return that trial `before` was not chosen by the sampler; None if it was."""
        origin = Origin.UNKNOWN if before is None else self.origins.get(before, Origin.UNKNOWN)
        if before is None or origin not in BY_HAND:
            return None
        return fact("not_by_sampler", trials=[before], origin=origin)


def not_rebuilt(sampler: str, what: str, checked: str, error: UnexpectedSamplerError) -> Fact:
    """Return that the model behind a trial could not be rebuilt with this version of Optuna."""
    return fact(
        "not_rebuilt",
        names=[sampler],
        what=what,
        version=optuna.__version__,
        checked=checked,
        why=error.reason,
    )
