"""A study that follows advice, with an objective that need not know of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import optuna
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna._advised import (
    AdvisedSampler,
    AdvisedStudy,
    of_no_study,
    only_value,
    reached,
)
from hpo_explain.adapters.optuna._unwarned import name_metrics
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.space import CategoricalParameter, Parameter

Reaches = Mapping[str, tuple[Parameter, Parameter]]

_CARRIED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
_ADVISED = "hpo_explain:advised"


def continued(
    advice: Advice,
    study: Study,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
) -> AdvisedStudy:
    """Return a new study that goes on with all actions of an advice.

    Wider ranges and other scales of an earlier advice stay. Its smaller ranges, fixed values and
    what it enqueued give way: this advice is on the whole space, and knows the results that have
    come since. Of several actions that name
    configurations one is enqueued of each in turn.

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
    changed = {p.name: p for action in advice.actions for p in action.parameters}
    reaches: Reaches = {name: (space[name], new) for name, new in changed.items()}
    asked = study.sampler
    if isinstance(study, AdvisedStudy) and isinstance(asked, AdvisedSampler):
        reaches, asked = _after_each_other(study.reaches, reaches), asked.sampler
    sampler = AdvisedSampler(of_no_study(asked), changed)
    made = optuna.create_study(
        storage=storage,
        study_name=study_name,
        sampler=sampler,
        pruner=study.pruner,
        directions=study.directions,
    )
    advised = AdvisedStudy(made, reaches)
    _describe(advised, study)
    old = study.get_trials(states=_CARRIED, deepcopy=False)
    advised.add_trials(_told_anew(trial, reaches) for trial in old)
    kept = {name: p for name, p in changed.items() if only_value(p) is not None}
    for config in _in_turn(advice):
        fixed = {name: only_value(p) for name, p in kept.items() if name in config}
        advised.enqueue_trial({**config, **fixed}, user_attrs={_ADVISED: True})
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
    if study.metric_names is not None:
        name_metrics(advised, study.metric_names)
