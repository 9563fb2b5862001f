"""TPE and the trials of its study: the densities under which it chose each trial."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import TPESampler
from optuna.trial import FrozenTrial

from hpo_explain.adapters.optuna import _tpe
from hpo_explain.adapters.optuna._past import PastStudy, known_when
from hpo_explain.adapters.optuna._record import SamplerRecord
from hpo_explain.facts import Fact, as_fact
from hpo_explain.run import OwnAcquisition

_KEPT = 16  # one acquisition function for every trial would fill the memory


@dataclass(frozen=True, eq=False)
class TpeRecord(SamplerRecord):
    """A TPE sampler and the trials of its study, for a Run.

    Attributes
    ----------
    sampler : TPESampler or None
        The sampler; None where its settings are lost.
    how : str
        How it is known.
    fixed : tuple of str
        Hyperparameters that a `PartialFixedSampler` sets.
    """

    sampler: TPESampler | None
    how: str
    fixed: tuple[str, ...] = ()
    _found: dict[int | None, OwnAcquisition | str] = field(
        default_factory=dict, init=False, repr=False
    )

    def __getstate__(self) -> dict[str, Any]:
        # settings such as gamma= may be functions that cannot be pickled; all else can
        state = {**self.__dict__, "_found": {}}
        try:
            pickle.dumps(self.sampler)
        except Exception:
            state["sampler"] = None
        return state

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return log l - log g for trial `before`, None where TPE did not choose it."""
        found = self._result(before)
        return found if isinstance(found, OwnAcquisition) else None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why there is no acquisition function of trial `before`; None if there is one."""
        found = self._result(before)
        return as_fact(found) if isinstance(found, str) else None

    def _result(self, before: int | None) -> OwnAcquisition | str:
        if before not in self._found:
            found = self._rebuilt(before)
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            self._found[before] = found
        return self._found[before]

    def _rebuilt(self, before: int | None) -> OwnAcquisition | str:
        """Return the acquisition, or why there is none."""
        if before in self.by_hand:
            return self._nobody(before)
        if self.sampler is None:
            return f"the settings of {self.name} are not known; give sampler="
        trial = next((t for t in self.trials if t.number == before), None)
        number = len(self.trials) if trial is None else trial.number
        study = PastStudy(self.directions, known_when(self.trials, before))
        try:
            sampler, fixed, notes = self._as_marked(self.sampler, study, number, trial)
            distributions = self._distributions(trial)
            ratio = _tpe.rebuild(sampler, study, number, self.space, distributions, fixed).ratio
        except _tpe.RandomPhaseError:
            return "no acquisition function chose this: too few trials were finished for a model"
        except _tpe.UnexpectedSamplerError as error:
            return (
                f"the densities of {self.name} could not be rebuilt with Optuna "
                f"{optuna.__version__} (checked with {_tpe.CHECKED}): {error}"
            )
        settings = f"log l − log g: rebuilt from the trials of the time by {self.name}, {self.how}"
        return OwnAcquisition(ratio, (settings, *notes))

    def _as_marked(
        self, sampler: TPESampler, study: PastStudy, number: int, trial: FrozenTrial | None
    ) -> tuple[TPESampler, tuple[str, ...], list[str]]:
        """Return the sampler, with other settings where the marks on a trial tell otherwise."""
        if trial is None:
            return sampler, self.fixed, []
        marked, marks = _tpe.sampled_jointly(trial), _tpe.leaves_marks(sampler, study)
        if marked is None and not marks:
            return sampler, self.fixed, []
        if marked is None:
            joint = self._joint(sampler, study, number, trial)
            if not joint - {*self.fixed}:
                return sampler, self.fixed, []
            other = _tpe.with_settings(
                sampler, multivariate=False, group=False, constant_liar=False
            )
            note = (
                f"trial {number} has no mark of joint sampling, so multivariate=False and "
                "constant_liar=False are assumed, as was the default before Optuna 5"
            )
            return other, self.fixed, [note]
        notes = []
        if not marks:
            sampler = _tpe.with_settings(
                sampler, multivariate=True, group=False, constant_liar=True
            )
            notes.append(
                f"trial {number} is marked as sampled jointly, so multivariate=True and "
                "constant_liar=True are assumed"
            )
        joint = self._joint(sampler, study, number, trial)
        if marked - joint:
            grouped = _tpe.with_settings(sampler, multivariate=True, group=True, constant_liar=True)
            if marked <= self._joint(grouped, study, number, trial):
                sampler, joint = grouped, self._joint(grouped, study, number, trial)
                notes.append("group=True is assumed, as its mark names more than all trials share")
        fixed = joint - marked if marked else set()
        if fixed - {*self.fixed}:
            notes.append(f"{', '.join(sorted(fixed))}: taken as fixed, as the mark leaves it out")
        return sampler, tuple(sorted({*self.fixed, *fixed})), notes

    def _joint(
        self, sampler: TPESampler, study: PastStudy, number: int, trial: FrozenTrial
    ) -> frozenset[str]:
        return _tpe.rebuild(sampler, study, number, self.space, trial.distributions).joint

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
