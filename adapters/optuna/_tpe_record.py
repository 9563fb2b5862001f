"""TPE and the trials of its study: the densities under which it chose each trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import TPESampler
from optuna.trial import FrozenTrial

from hpo_explain.adapters._by_value import by_value, dumped
from hpo_explain.adapters.optuna import _tpe
from hpo_explain.adapters.optuna._past import PastStudy, known_when
from hpo_explain.adapters.optuna._rebuilding import RandomPhaseError, UnexpectedSamplerError
from hpo_explain.adapters.optuna._record import SamplerRecord, not_rebuilt
from hpo_explain.base.facts import Fact, fact
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array

_KEPT = 16  # one acquisition function for every trial would fill the memory


@dataclass(frozen=True, eq=False)
class TpeRecord(SamplerRecord):
    """A TPE sampler and the trials of its study, for a Run.

    Attributes
    ----------
    sampler : TPESampler or None
        The sampler; None where its settings are lost.
    how : Fact
        How it is known.
    fixed : tuple of str
        Hyperparameters that a `PartialFixedSampler` sets.
    """

    sampler: TPESampler | None
    how: Fact
    fixed: tuple[str, ...] = ()
    _found: dict[int | None, OwnAcquisition | Fact] = field(
        default_factory=dict, init=False, repr=False
    )

    def __getstate__(self) -> dict[str, Any]:
        # settings such as gamma= may be functions that pickle by value only, or not at all
        state = {**self.__dict__, "_found": {}}
        state.pop("_rows", None)
        try:
            dumped(self.sampler)
        except Exception:
            state["sampler"] = None
        else:
            state["sampler"] = by_value(self.sampler)
        return state

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return log l - log g for trial `before`, None where TPE did not choose it."""
        found = self._result(before)
        return found if isinstance(found, OwnAcquisition) else None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        found = self._result(before)
        return found if isinstance(found, Fact) else None

    def _result(self, before: int | None) -> OwnAcquisition | Fact:
        if before not in self._found:
            found = self._rebuilt(before)
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            self._found[before] = found
        return self._found[before]

    def _rebuilt(self, before: int | None) -> OwnAcquisition | Fact:
        """Return the acquisition, or why there is none."""
        by_hand = self.by_hand(before)
        if by_hand is not None:
            return by_hand
        if self.sampler is None:
            return fact("settings_lost", names=[self.name])
        trial = next((t for t in self.trials if t.number == before), None)
        number = len(self.trials) if trial is None else trial.number
        study = PastStudy(self.directions, known_when(self.trials, before))
        try:
            sampler, fixed, notes = self._as_marked(self.sampler, study, number, trial)
            distributions = self._distributions(trial)
            ratio = _tpe.rebuild(
                sampler, study, number, self.space, distributions, self._rows, fixed
            )
        except RandomPhaseError:
            return fact("too_few_for_a_model")
        except UnexpectedSamplerError as error:
            return not_rebuilt(self.name, "densities", _tpe.CHECKED, error)
        rebuilt = fact("densities_rebuilt", names=[self.name], how=self.how)
        return OwnAcquisition(ratio, (rebuilt, *notes))

    def _as_marked(
        self, sampler: TPESampler, study: PastStudy, number: int, trial: FrozenTrial | None
    ) -> tuple[TPESampler, tuple[str, ...], list[Fact]]:
        """Return the sampler, with other settings where the marks on a trial tell otherwise."""
        if trial is None:
            return sampler, self.fixed, []
        marked, marks = _tpe.sampled_jointly(trial), _tpe.leaves_marks(sampler, study)
        if marked is None and not marks:
            return sampler, self.fixed, []
        if marked is None:
            joint = _tpe.sampled_together(sampler, study, number)
            if not joint - {*self.fixed}:
                return sampler, self.fixed, []
            other = _tpe.with_settings(
                sampler, multivariate=False, group=False, constant_liar=False
            )
            return other, self.fixed, [fact("unmarked_trial", trials=[number])]
        notes = []
        if not marks:
            sampler = _tpe.with_settings(
                sampler, multivariate=True, group=False, constant_liar=True
            )
            notes.append(fact("marked_as_joint", trials=[number]))
        joint = _tpe.sampled_together(sampler, study, number)
        if marked - joint:
            grouped = _tpe.with_settings(sampler, multivariate=True, group=True, constant_liar=True)
            if marked <= _tpe.sampled_together(grouped, study, number):
                sampler, joint = grouped, _tpe.sampled_together(grouped, study, number)
                notes.append(fact("group_assumed", trials=[number]))
        fixed = joint - marked if marked else set()
        if fixed - {*self.fixed}:
            notes.append(fact("taken_as_fixed", trials=[number], names=sorted(fixed)))
        return sampler, tuple(sorted({*self.fixed, *fixed})), notes

    @cached_property
    def _rows(self) -> dict[int, Array]:
        return _tpe.encoded(self.trials, self.space)

    def _distributions(self, trial: FrozenTrial | None) -> dict[str, BaseDistribution]:
        """Return the distribution of every hyperparameter: the trial's own, else the latest."""
        found: dict[str, BaseDistribution] = {}
        before = self.trials if trial is None else self.trials[: trial.number]
        for other in [*([] if trial is None else [trial]), *before[::-1], *self.trials]:
            for name, distribution in other.distributions.items():
                if name in self.space.names:
                    found.setdefault(name, distribution)
            if len(found) == len(self.space):
                break
        return found
