"""A study, its trials and its sampler that keep to a space advised, whatever the objective asks.

A wider range or another scale is what the storage is told: the objective asks for its own range,
and gets a value of the one advised. Smaller ranges, fewer categories and fixed values are the
sampler's to keep: so the trials outside of them still teach the sampler's model.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Mapping
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

from hpo_explain.adapters.optuna.going_on import going_on
from hpo_explain.adapters.optuna.quiet import name_metrics
from hpo_explain.adapters.optuna.samplers import WrappingSampler
from hpo_explain.belief.improvement import keeps_up
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.space import (
    CategoricalParameter,
    CategoryIndex,
    Parameter,
    category_index,
)

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

    def __init__(
        self, study: Study, reaches: Mapping[str, tuple[Parameter, Parameter]]
    ) -> None:
        super().__init__(
            study.study_name, study._storage, study.sampler, study.pruner
        )
        self.reaches = dict(reaches)

    def ask(
        self, fixed_distributions: dict[str, BaseDistribution] | None = None
    ) -> Trial:
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
    def of(
        cls, trial: Trial, reaches: Mapping[str, tuple[Parameter, Parameter]]
    ) -> AdvisedTrial:
        """Return a trial that suggests such values; the sampler is not told of it again."""
        made = cls.__new__(cls)
        made.__dict__.update(trial.__dict__)
        made.reaches = reaches
        return made

    # what all of `suggest_float`, `suggest_int` and `suggest_categorical` ask

    def _suggest(self, name: str, distribution: BaseDistribution) -> Any:
        return super()._suggest(
            name, reached(distribution, self.reaches.get(name))
        )

    def _check_distribution(
        self, name: str, distribution: BaseDistribution
    ) -> None:
        super()._check_distribution(
            name, reached(distribution, self.reaches.get(name))
        )


class AdvisedSampler(WrappingSampler):
    """A sampler that keeps to smaller ranges, fewer categories and fixed values.

    Parameters
    ----------
    sampler : BaseSampler
        The sampler that is asked within them.
    changed : mapping of str to Parameter
        The hyperparameters as they should be searched.
    """

    def __init__(
        self, sampler: BaseSampler, changed: Mapping[str, Parameter]
    ) -> None:
        super().__init__(sampler)
        self.changed = dict(changed)

    @property
    def fixed(self) -> dict[str, Any]:
        """The values of what has a single one."""
        found = {
            name: only_value(parameter)
            for name, parameter in self.changed.items()
        }
        return {
            name: value for name, value in found.items() if value is not None
        }

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the search space of the sampler asked without what has a single value."""
        found = self.sampler.infer_relative_search_space(study, trial)
        return {
            name: d
            for name, d in found.items()
            if not self._within(name, d).single()
        }

    def sample_relative(
        self,
        study: Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Return the values that the sampler asked chooses together."""
        within = {
            name: self._within(name, d) for name, d in search_space.items()
        }
        seen = self._seen(study, search_space, within)
        values = self.sampler.sample_relative(seen, trial, within)
        # what a sampler chooses that does not keep to the space given is chosen alone; before
        # Optuna 5.0, TPESampler(group=True) chooses all that it knows
        return {
            n: v
            for n, v in values.items()
            if n in within and _holds(within[n], v)
        }

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value that the sampler asked chooses for one hyperparameter."""
        within = self._within(param_name, param_distribution)
        if within.single():
            return _single_value(within)
        both = {param_name: param_distribution}, {param_name: within}
        seen = self._seen(study, *both)
        return self.sampler.sample_independent(seen, trial, param_name, within)

    def _within(self, name: str, asked: BaseDistribution) -> BaseDistribution:
        changed = self.changed.get(name)
        return asked if changed is None else _narrowed(asked, changed)

    def _seen(
        self,
        study: Study,
        asked: Mapping[str, BaseDistribution],
        within: Mapping[str, BaseDistribution],
    ) -> Study:
        """Return the study without trials of categories that are no longer searched.

        Numbers beyond a smaller range still tell a sampler which side of it is good.
        """
        names = [
            name
            for name, narrower in within.items()
            if narrower != asked[name]
            and isinstance(narrower, CategoricalDistribution)
        ]
        if not names:
            return study

        def usable(trial: FrozenTrial) -> bool:
            given = trial.params
            return all(
                n not in given or _holds(within[n], given[n]) for n in names
            )

        return _PartOfStudy(study, usable)


def of_no_study(sampler: BaseSampler) -> BaseSampler:
    """Return a copy of a sampler that forgets which study's search space it has seen."""
    found = copy.deepcopy(sampler)
    asked = [found]
    while asked:
        parts = vars(asked.pop())
        asked += [
            part for part in parts.values() if isinstance(part, BaseSampler)
        ]
        for name, part in parts.items():
            if isinstance(
                part, (IntersectionSearchSpace, _GroupDecomposedSearchSpace)
            ):
                parts[name] = type(part)(part._include_pruned)
    return found


class _PartOfStudy(Study):
    """A study of which a sampler sees some of the trials."""

    def __init__(
        self, study: Study, usable: Callable[[FrozenTrial], bool]
    ) -> None:
        # a study as pruners hand it to samplers refuses what these need not know
        self.__dict__.update(object.__getattribute__(study, "__dict__"))
        self._whole, self._usable = study, usable

    def _get_trials(
        self,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
        use_cache: bool = False,
    ) -> list[FrozenTrial]:
        found = self._whole._get_trials(deepcopy, states, use_cache)
        return [trial for trial in found if self._usable(trial)]


# ---------------------------------------------------------------------- distributions


def reached(
    asked: BaseDistribution, both: tuple[Parameter, Parameter] | None
) -> BaseDistribution:
    """Return a distribution with the wider range and the scale advised.

    An end that is not that of the space advised is the objective's own, and stays.
    """
    if both is None or isinstance(asked, CategoricalDistribution):
        return asked
    old, new = both
    if isinstance(old, CategoricalParameter) or isinstance(
        new, CategoricalParameter
    ):
        return asked
    if not isinstance(asked, (FloatDistribution, IntDistribution)):
        return asked
    low = min(new.low, asked.low) if asked.low <= old.low else asked.low
    high = max(new.high, asked.high) if asked.high >= old.high else asked.high
    log = new.log if new.log != old.log and asked.log == old.log else asked.log
    if log and low <= 0.0:
        log = False
    if isinstance(asked, IntDistribution):
        return IntDistribution(
            int(low), int(high), log=log, step=1 if log else asked.step
        )
    return FloatDistribution(
        low, high, log=log, step=None if log else asked.step
    )


def _narrowed(asked: BaseDistribution, new: Parameter) -> BaseDistribution:
    """Return the part of a distribution that was advised; all of it where none is left."""
    if isinstance(asked, CategoricalDistribution):
        choices = getattr(new, "choices", asked.choices)
        index = CategoryIndex(choices)
        left = [
            choice for choice in asked.choices if index(choice) is not None
        ]
        return CategoricalDistribution(left) if left else asked
    if isinstance(new, CategoricalParameter):
        return asked
    if not isinstance(asked, (FloatDistribution, IntDistribution)):
        return asked
    low, high = max(asked.low, new.low), min(asked.high, new.high)
    if low > high:
        return asked
    if isinstance(asked, IntDistribution):
        return IntDistribution(
            int(low), int(high), log=asked.log, step=asked.step
        )
    return FloatDistribution(low, high, log=asked.log, step=asked.step)


def _holds(distribution: BaseDistribution, value: Any) -> bool:
    if isinstance(distribution, CategoricalDistribution):
        return category_index(distribution.choices, value) is not None
    return bool(distribution._contains(distribution.to_internal_repr(value)))


def _single_value(distribution: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[0]
    return distribution.low


def only_value(parameter: Parameter) -> Any:
    """Return the only value of a hyperparameter that has no other."""
    if isinstance(parameter, CategoricalParameter):
        return parameter.choices[0] if len(parameter.choices) == 1 else None
    return parameter.low if parameter.low == parameter.high else None


def continued(
    advice: Advice,
    study: Study,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
    sampler: BaseSampler | None = None,
) -> AdvisedStudy:
    """Return a new study that goes on with all actions of an advice.

    Its sampler is a `BeliefSampler` that asks the study's own for what it does not propose. With
    several objectives, or more categories than it was seen to keep up with, it is the study's own.

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
    sampler : BaseSampler, optional
        Another sampler to go on with.

    Returns
    -------
    AdvisedStudy
        The study, with the finished, pruned and failed trials of the one given, and those that
        its user enqueued.
    """
    space = advice.subject.space
    changed = {
        p.name: p for action in advice.actions for p in action.parameters
    }
    reaches: Reaches = {
        name: (space[name], new) for name, new in changed.items()
    }
    asked = study.sampler
    if isinstance(study, AdvisedStudy) and isinstance(asked, AdvisedSampler):
        reaches, asked = (
            _after_each_other(study.reaches, reaches),
            asked.sampler,
        )
    asked = of_no_study(asked) if sampler is None else sampler
    if sampler is None and len(study.directions) == 1 and keeps_up(space):
        asked = going_on(asked)
    made = optuna.create_study(
        storage=storage,
        study_name=study_name,
        sampler=AdvisedSampler(asked, changed),
        pruner=study.pruner,
        directions=study.directions,
    )
    advised = AdvisedStudy(made, reaches)
    _describe(advised, study)
    old = study.get_trials(states=_CARRIED, deepcopy=False)
    advised.add_trials(_told_anew(trial, reaches) for trial in old)
    kept = {
        name: p for name, p in changed.items() if only_value(p) is not None
    }
    for config in _in_turn(advice):
        fixed = {
            name: only_value(p) for name, p in kept.items() if name in config
        }
        advised.enqueue_trial(
            space.as_asked({**config, **fixed}), user_attrs={_ADVISED: True}
        )
    for trial in study.get_trials(
        states=(TrialState.WAITING,), deepcopy=False
    ):
        if _ADVISED not in trial.user_attrs:
            advised.add_trial(trial)
    return advised


def _in_turn(advice: Advice) -> list[Mapping[str, Any]]:
    """Return what is to be evaluated, of each action one in turn: few trials follow all of them."""
    listed = [
        [*action.configurations] * action.times for action in advice.actions
    ]
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
    told.distributions = {
        n: reached(d, reaches.get(n)) for n, d in trial.distributions.items()
    }
    return told


def _describe(advised: Study, study: Study) -> None:
    """Say of a study what another one says of itself."""
    for key, value in study.user_attrs.items():
        advised.set_user_attr(key, value)
    if study.metric_names is not None:
        name_metrics(advised, study.metric_names)
