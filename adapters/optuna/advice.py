"""A study that goes on as advised: what is advised is enqueued, and wider ranges are reached.

A wider range or another scale is what the storage is told: the objective asks for its own range,
and gets a value of the one advised. Smaller ranges are not kept to: a search that cannot leave a
part of the space stays there, however wrong the advice was.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import optuna
from optuna import Study
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.search_space.group_decomposed import _GroupDecomposedSearchSpace
from optuna.trial import FrozenTrial, Trial, TrialState

from hpo_explain.adapters.optuna.quiet import name_metrics
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.space import CategoricalParameter, Parameter

Reaches = Mapping[str, tuple[Parameter, Parameter]]
_CARRIED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
_ADVISED = "hpo_explain:advised"


class AdvisedStudy(Study):
    """A study whose trials reach the ranges and scales that were advised.

    Parameters
    ----------
    study : optuna.Study
        The study.
    reaches : mapping of str to (Parameter, Parameter)
        Hyperparameters as they were searched, and as they should be.
    """

    def __init__(self, study: Study, reaches: Mapping[str, tuple[Parameter, Parameter]]) -> None:
        super().__init__(study.study_name, study._storage, study.sampler, study.pruner)
        self.reaches = dict(reaches)

    def ask(self, fixed_distributions: dict[str, BaseDistribution] | None = None) -> Trial:
        """Return a trial, whatever the objective asks it for, with values of the space advised."""
        trial = AdvisedTrial.of(super().ask(), self.reaches)
        for name, distribution in (fixed_distributions or {}).items():
            trial._suggest(name, distribution)
        return trial


class AdvisedTrial(Trial):
    """A trial that is asked for the ranges of an objective, and suggests values of those advised.

    One is made of a trial by `of`.
    """

    reaches: Mapping[str, tuple[Parameter, Parameter]]

    @classmethod
    def of(cls, trial: Trial, reaches: Mapping[str, tuple[Parameter, Parameter]]) -> AdvisedTrial:
        """Return a trial that suggests such values; the sampler is not told of it again."""
        made = cls.__new__(cls)
        made.__dict__.update(trial.__dict__)
        made.reaches = reaches
        return made

    # what all of `suggest_float`, `suggest_int` and `suggest_categorical` ask

    def _suggest(self, name: str, distribution: BaseDistribution) -> Any:
        return super()._suggest(name, reached(distribution, self.reaches.get(name)))

    def _check_distribution(self, name: str, distribution: BaseDistribution) -> None:
        super()._check_distribution(name, reached(distribution, self.reaches.get(name)))


def of_no_study(sampler: BaseSampler) -> BaseSampler:
    """Return a copy of a sampler that forgets which study's search space it has seen."""
    found = copy.deepcopy(sampler)
    asked = [found]
    while asked:
        parts = vars(asked.pop())
        asked += [part for part in parts.values() if isinstance(part, BaseSampler)]
        for name, part in parts.items():
            if isinstance(part, (IntersectionSearchSpace, _GroupDecomposedSearchSpace)):
                parts[name] = type(part)(part._include_pruned)
    return found


# ---------------------------------------------------------------------- distributions


def reached(asked: BaseDistribution, both: tuple[Parameter, Parameter] | None) -> BaseDistribution:
    """Return a distribution with the wider range and the scale advised.

    An end that is not that of the space advised is the objective's own, and stays.
    """
    if not both or isinstance(asked, CategoricalDistribution):
        return asked
    old, new = both
    if isinstance(old, CategoricalParameter) or isinstance(new, CategoricalParameter):
        return asked
    if not isinstance(asked, (FloatDistribution, IntDistribution)):
        return asked
    low = min(new.low, asked.low) if asked.low <= old.low else asked.low
    high = max(new.high, asked.high) if asked.high >= old.high else asked.high
    log = new.log if new.log != old.log and asked.log == old.log else asked.log
    if log and low <= 0.0:
        log = False
    if isinstance(asked, IntDistribution):
        return IntDistribution(int(low), int(high), log=log, step=1 if log else asked.step)
    return FloatDistribution(low, high, log=log, step=None if log else asked.step)


def continued(
    advice: Advice,
    study: Study,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
) -> AdvisedStudy:
    """Return a new study that goes on with all actions of an advice, with the study's own sampler.

    What is to be evaluated is enqueued. Of several actions that name configurations one is
    enqueued of each in turn. Wider ranges and other scales are searched, those of an earlier advice
    too; smaller ranges are not kept to. What an earlier advice enqueued gives way.

    Parameters
    ----------
    advice : Advice
        The advice.
    study : optuna.Study
        The study that is advised; it stays as it is.
    storage, study_name : optional
        Where the new study is kept, and its name; by default in memory.

    Returns
    -------
    AdvisedStudy
        The study, with the finished, pruned and failed trials of the one given, and those that
        its user enqueued.
    """
    space = advice.subject.space
    reaches: Reaches = {
        p.name: (space[p.name], p) for action in advice.actions for p in action.parameters
    }
    if isinstance(study, AdvisedStudy):
        reaches = _after_each_other(study.reaches, reaches)
    made = optuna.create_study(
        storage=storage,
        study_name=study_name,
        sampler=of_no_study(study.sampler),
        pruner=study.pruner,
        directions=study.directions,
    )
    advised = AdvisedStudy(made, reaches)
    _describe(advised, study)
    old = study.get_trials(states=_CARRIED, deepcopy=False)
    advised.add_trials(_told_anew(trial, reaches) for trial in old)
    for config in _in_turn(advice):
        advised.enqueue_trial(space.as_asked(config), user_attrs={_ADVISED: True})
    for trial in study.get_trials(states=(TrialState.WAITING,), deepcopy=False):
        if _ADVISED not in trial.user_attrs:
            advised.add_trial(trial)
    return advised


def _in_turn(advice: Advice) -> list[Mapping[str, Any]]:
    """Return what is to be evaluated, of each action one in turn: few trials follow all of them."""
    listed = [[*action.configurations] * action.times for action in advice.actions]
    turns = zip_longest(*listed)
    return [config for turn in turns for config in turn if config is not None]


def _after_each_other(earlier: Reaches, later: Reaches) -> Reaches:
    """Return hyperparameters as the objective asks for them, and as both allow them together."""
    found = dict(earlier)
    for name, (old, new) in later.items():
        first, before = earlier.get(name, (old, new))
        if not isinstance(new, CategoricalParameter) and not isinstance(
            before, CategoricalParameter
        ):
            low, high = min(new.low, before.low), max(new.high, before.high)
            new = replace(new, low=low, high=high)  # type: ignore[arg-type]
        found[name] = first, new
    return found


def _told_anew(trial: FrozenTrial, reaches: Reaches) -> FrozenTrial:
    """Return a trial whose distributions are those that later trials will have."""
    told = copy.copy(trial)
    told.distributions = {n: reached(d, reaches.get(n)) for n, d in trial.distributions.items()}
    return told


def _describe(advised: Study, study: Study) -> None:
    """Say of a study what another one says of itself."""
    for key, value in study.user_attrs.items():
        advised.set_user_attr(key, value)
    if study.metric_names:
        name_metrics(advised, study.metric_names)
