"""GPSampler and the trials of its study: the Gaussian process behind each of its choices."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.samplers import GPSampler
from optuna.trial import FrozenTrial

from hpo_explain.adapters.optuna import _gp_sampler
from hpo_explain.adapters.optuna._past import PastStudy, known_when
from hpo_explain.adapters.optuna._record import SamplerRecord
from hpo_explain.adapters.optuna._tpe import RandomPhaseError, UnexpectedSamplerError
from hpo_explain.facts import Fact, as_fact
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import SearchSpace
from hpo_explain.surrogates import Surrogate

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
    how : str
        How the sampler is known.
    own_objective : bool
        Whether the run's objective is the one that the sampler models.
    """

    sampler: GPSampler
    memory: list[_gp_sampler.KernelParameters] | None
    how: str
    own_objective: bool
    _found: dict[int | None, _gp_sampler.Fitted | str] = field(
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
        by_hand: Mapping[int, str],
        *,
        sampler: GPSampler | None,
        how: str,
        own_objective: bool,
    ) -> GpRecord:
        """Return the record of a sampler, or of Optuna's default one where it is None."""
        if sampler is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                sampler = GPSampler()
        return cls(
            name,
            directions,
            trials,
            space,
            by_hand,
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
        return None if isinstance(found, str) or not self.own_objective else found.surrogate

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the log EI under which trial `before` was chosen, None where it was another."""
        found = self._result(before)
        if isinstance(found, str) or found.log_ei is None or before in self.by_hand:
            return None
        notes = [
            f"log EI: of the Gaussian process that {self.name} fitted, {self.how}; its fits are "
            "repeated one after the other, as in a single process"
        ]
        if found.acquisition != "LogEI":
            notes.append(
                "it also averaged over the possible results of the trials then running, by random "
                "numbers that it does not record; that is left out"
            )
        return OwnAcquisition(found.log_ei, tuple(notes))

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        if before is not None and before in self.by_hand:
            return super().why_not(before)
        found = self._result(before)
        if isinstance(found, str):
            return as_fact(found)
        if found.log_ei is not None:
            return None
        return as_fact(
            f"{self.name} chose this by {found.acquisition}, which also weighs what the "
            "constraints allow and is not rebuilt; its Gaussian process is"
        )

    def _result(self, before: int | None) -> _gp_sampler.Fitted | str:
        if before not in self._found:
            found = self._fitted(before)
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            self._found[before] = found
        return self._found[before]

    def _fitted(self, before: int | None) -> _gp_sampler.Fitted | str:
        """Return what the sampler fitted, or why that is not known."""
        if len(self.directions) > 1:
            return (
                f"{self.name} weighed {len(self.directions)} objectives against each other, which "
                "is not rebuilt"
            )
        try:
            if before is None:
                return self._fit(None, self.memory)
            return self._fit(before, self._start(before))
        except RandomPhaseError:
            return "no acquisition function chose this: too few trials were finished for a model"
        except ImportError:
            return f"the Gaussian process of {self.name} needs torch: pip install torch"
        except UnexpectedSamplerError as error:
            return (
                f"the Gaussian process of {self.name} could not be fitted again with Optuna "
                f"{optuna.__version__} (checked with {_gp_sampler.CHECKED}): {error}"
            )

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
            if self.by_hand.get(number, "").startswith("added"):
                continue  # nobody asked the sampler for it
            if number not in self._handed_on:
                try:
                    self._handed_on[number] = self._fit(number, start).parameters
                except RandomPhaseError:
                    self._handed_on[number] = start
            start = self._handed_on[number]
        return start
