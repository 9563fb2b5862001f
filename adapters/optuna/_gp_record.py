"""GPSampler and the trials of its study: the Gaussian process behind each of its choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optuna.samplers import GPSampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna import _gp_sampler
from hpo_explain.adapters.optuna._past import PastStudy, known_when
from hpo_explain.adapters.optuna._rebuilding import RandomPhaseError, UnexpectedSamplerError
from hpo_explain.adapters.optuna._record import SamplerRecord, not_rebuilt
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import SearchSpace

_KEPT = 16  # one Gaussian process for every trial would fill the memory


@dataclass(frozen=True, eq=False)
class GpRecord(SamplerRecord):
    """Optuna's GPSampler and the trials of its study, for a Run.

    Attributes
    ----------
    sampler : GPSampler
        The sampler, without what it remembers.
    memory : list of KernelParameters or None
        Where its next fit starts.
    how : Fact
        How the sampler is known.
    own_objective : bool
        Whether the run's objective is the one that the sampler models.
    """

    sampler: GPSampler
    memory: list[_gp_sampler.KernelParameters] | None
    how: Fact
    own_objective: bool
    _found: dict[int | None, _gp_sampler.Fitted | Fact] = field(
        default_factory=dict, init=False, repr=False
    )
    _handed_on: dict[int, list[_gp_sampler.KernelParameters] | None] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(
        cls,
        name: str,
        directions: tuple[Any, ...],
        trials: tuple[FrozenTrial, ...],
        space: SearchSpace,
        origins: Mapping[int, Origin],
        *,
        sampler: GPSampler | None,
        how: Fact,
        own_objective: bool,
    ) -> GpRecord:
        """Return the record of a sampler, or of Optuna's default one where it is None."""
        if sampler is None:
            sampler = _default_sampler()
        return cls(
            name,
            directions,
            trials,
            space,
            origins,
            _gp_sampler.without_memory(sampler),
            _gp_sampler.memory_of(sampler),
            how,
            own_objective,
        )

    def __getstate__(self) -> dict[str, Any]:
        # what was fitted is fitted again where it is needed
        return {**self.__dict__, "_found": {}, "_handed_on": {}}

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the sampler's Gaussian process at trial `before`, None where it had none."""
        found = self._result(before)
        return None if isinstance(found, Fact) or not self.own_objective else found.surrogate

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the log EI under which trial `before` was chosen, None where it was another."""
        found = self._result(before)
        if isinstance(found, Fact) or found.log_ei is None or self.by_hand(before) is not None:
            return None
        notes = [fact("process_refitted", names=[self.name], how=self.how)]
        if found.acquisition != "LogEI":
            notes.append(fact("running_trials_averaged"))
        return OwnAcquisition(found.log_ei, tuple(notes))

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        by_hand = self.by_hand(before)
        if by_hand is not None:
            return by_hand
        found = self._result(before)
        if isinstance(found, Fact):
            return found
        if found.log_ei is not None:
            return None
        return fact("constrained_acquisition", names=[self.name, found.acquisition])

    def _result(self, before: int | None) -> _gp_sampler.Fitted | Fact:
        if before not in self._found:
            found = self._fitted(before)
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            self._found[before] = found
        return self._found[before]

    def _fitted(self, before: int | None) -> _gp_sampler.Fitted | Fact:
        """Return what the sampler fitted, or why that is not known."""
        if len(self.directions) > 1:
            return fact("several_objectives", names=[self.name], count=len(self.directions))
        try:
            if before is None:
                return self._fit(None, self.memory)
            return self._fit(before, self._start(before))
        except RandomPhaseError:
            return fact("too_few_for_a_model")
        except ImportError:
            return fact("torch_missing", names=[self.name])
        except UnexpectedSamplerError as error:
            return not_rebuilt(self.name, "Gaussian process", _gp_sampler.CHECKED, error)

    def _fit(
        self, before: int | None, start: list[_gp_sampler.KernelParameters] | None
    ) -> _gp_sampler.Fitted:
        number = len(self.trials) if before is None else before
        study = PastStudy(self.directions, known_when(self.trials, before))
        return _gp_sampler.fit(self.sampler, study, number, self.space, start)

    def _start(self, before: int) -> list[_gp_sampler.KernelParameters] | None:
        """Return what the fit before handed on, after all fits that came before it."""
        start = None
        for trial in self.trials[:before]:
            number = trial.number
            added = self.origins.get(number) is Origin.ADDED
            if added or trial.state == TrialState.WAITING:
                continue  # the sampler was not asked for it
            if number not in self._handed_on:
                try:
                    self._handed_on[number] = self._fit(number, start).parameters
                except RandomPhaseError:
                    self._handed_on[number] = start
            start = self._handed_on[number]
        return start


def _default_sampler() -> GPSampler:
    """Return a sampler with Optuna's default settings, without the warning that it is new.

    Filters of warnings are shared by all threads, and this one may be one of a study's.
    """
    initialize: Any = GPSampler.__init__
    made = GPSampler.__new__(GPSampler)
    getattr(initialize, "__wrapped__", initialize)(made)
    return made
