"""A sampler that proposes what the belief expects to improve the best result most."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna import Study
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, PartialFixedSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna._sampler import BELIEVED
from hpo_explain.adapters.optuna._space import (
    Column,
    distribution_of,
    read_parameter,
)
from hpo_explain.adapters.optuna.samplers import (
    DelegatingSampler,
    unwrapped,
)
from hpo_explain.adapters.optuna.study import (
    check_sampler,
    check_space,
    read_trials,
)
from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.progress import progress_of
from hpo_explain.belief.improvement import Improvement, proposed, renewed
from hpo_explain.belief.process import Process
from hpo_explain.run import Run
from hpo_explain.space import (
    CategoricalParameter,
    IntParameter,
    Parameter,
    SearchSpace,
)

_logger = logging.getLogger("hpo_explain")

_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
_EVERY = 5  # trials, after which kernels are learned anew
_OTHERWISE = "Trial %d is proposed by %s"


@dataclass(frozen=True, eq=False)
class _Learned:
    """The processes that were learned last, and from how many trials of which space."""

    space: SearchSpace
    count: int
    processes: tuple[Process, ...]

    def fits(self, run: Run) -> bool:
        return self.space == run.space and 0 <= len(run) - self.count < _EVERY


class BeliefSampler(DelegatingSampler):
    """Proposes each trial by the expected improvement over the belief, from all results so far.

    Of hyperparameters whose conditions the finished trials tell, those that are active are
    proposed together. Failures and violated constraints are known to it: it proposes what rather
    gives a result. Trials that run are believed at their means. Where it cannot propose, as in the
    first trials, with several objectives, or upon an error, which is logged to the logger
    ``hpo_explain``, `independent_sampler` does.

    Parameters
    ----------
    independent_sampler : BaseSampler, optional
        Proposes the first trials, and hyperparameters that no earlier trial had; constraints are
        those of it. By default a `TPESampler`.
    n_startup_trials : int, default 10
        How many trials are finished before it proposes.
    space : SearchSpace, optional
        The search space of a define-by-run objective, with its conditions; by default inferred from
        the finished trials.
    seed : int, default 0
        Seed of everything random.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> import optuna
    >>> from hpo_explain.adapters.optuna import BeliefSampler
    >>> def bowl(trial):
    ...     return (trial.suggest_float("x", 0, 1) - 0.3) ** 2 + trial.suggest_float("y", 0, 1)
    >>> study = optuna.create_study(sampler=BeliefSampler(seed=1))
    >>> study.optimize(bowl, n_trials=15)
    >>> study.best_value < 0.01
    True
    """

    def __init__(
        self,
        independent_sampler: BaseSampler | None = None,
        *,
        n_startup_trials: int = 10,
        space: SearchSpace | None = None,
        seed: int = 0,
    ) -> None:
        self._seed = check_seed(seed)
        if independent_sampler is None:
            independent_sampler = TPESampler(seed=self._seed)
        check_sampler(independent_sampler)
        check_space(space)
        super().__init__(independent_sampler)
        self._n_startup_trials = check_count(
            "n_startup_trials", n_startup_trials, minimum=2
        )
        self._space = space
        self._learned: _Learned | None = None

    @property
    def independent_sampler(self) -> BaseSampler:
        """The sampler that proposes where this one does not."""
        return self.sampler

    def __getstate__(self) -> dict[str, Any]:
        """Return it without what it has learned, which a copy learns itself."""
        return {**self.__dict__, "_learned": None}

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return every hyperparameter of the finished trials, as it was asked for last."""
        finished = study.get_trials(deepcopy=False, states=_FINISHED)
        if len(study.directions) > 1 or len(finished) < self._n_startup_trials:
            return super().infer_relative_search_space(study, trial)
        latest: dict[str, BaseDistribution] = {}
        for one in finished:
            latest |= one.distributions
        return {
            name: found for name, found in latest.items() if not found.single()
        }

    def sample_relative(
        self,
        study: Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Return the values of the active hyperparameters that are expected to gain most."""
        finished = study.get_trials(deepcopy=False, states=_FINISHED)
        if len(study.directions) > 1 or len(finished) < self._n_startup_trials:
            return self._otherwise(study, trial, search_space)
        try:
            config = self._proposed(study, trial, search_space)
        except Exception:
            other = type(self.sampler).__name__
            _logger.warning(_OTHERWISE, trial.number, other, exc_info=True)
            return self._otherwise(study, trial, search_space)
        study._storage.set_trial_system_attr(trial._trial_id, BELIEVED, True)
        return {
            name: value
            for name, value in config.items()
            if name in search_space
        }

    def _otherwise(
        self,
        study: Study,
        trial: FrozenTrial,
        search_space: Mapping[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Return what the other sampler chooses together."""
        asked = super().infer_relative_search_space(study, trial)
        asked = {
            name: found
            for name, found in asked.items()
            if search_space.get(name) == found
        }
        return super().sample_relative(study, trial, asked)

    def _proposed(
        self,
        study: Study,
        trial: FrozenTrial,
        search_space: Mapping[str, BaseDistribution],
    ) -> dict[str, Any]:
        # a pruner's view of a study has some of its trials, and few of its attributes
        whole: Study = getattr(study, "_study", study)
        trials = [
            one
            for one in study.get_trials(deepcopy=False)
            if one.number != trial.number
        ]
        _, fixed = unwrapped(whole.sampler)
        with progress_of("going on", shown=False):
            run = read_trials(whole, trials, space=self._space)
            improvement = self._improvement(run)
            for x in run.under_way:
                improvement = improvement.believing(x)
            within = _within(run.space, search_space, fixed)
            rows, _ = proposed(
                improvement, seed=self._seed + trial.number, within=within
            )
        return run.space.decode(rows)[0]

    def _improvement(self, run: Run) -> Improvement:
        belief = run.belief(seed=self._seed)
        processes = None
        if self._learned is not None and self._learned.fits(run):
            processes = renewed(belief, self._learned.processes)
        else:
            self._learned = _Learned(run.space, len(run), belief.processes)
        cost = run.cost[run.feasible] if np.any(run.feasible) else run.cost
        return Improvement.over(belief, float(cost.min()), processes)


def _within(
    space: SearchSpace,
    asked: Mapping[str, BaseDistribution],
    fixed: Mapping[str, Any],
) -> list[Parameter]:
    """Return the hyperparameters of which a part is to be searched, or a single value."""
    values = {name: asked[name] for name in space.names if name in asked}
    values |= {
        name: _only(space[name], value)
        for name, value in fixed.items()
        if name in space.names
    }
    return [
        read_parameter(
            Column(name, np.empty(0, np.int64), [], (distribution,))
        )[0]
        for name, distribution in values.items()
        if distribution != distribution_of(space[name])
    ]


def _only(parameter: Parameter, value: Any) -> BaseDistribution:
    """Return the distribution of a hyperparameter that has one value."""
    if isinstance(parameter, CategoricalParameter):
        return CategoricalDistribution([value])
    if isinstance(parameter, IntParameter):
        return IntDistribution(value, value)
    return FloatDistribution(value, value)


def going_on(sampler: BaseSampler) -> BaseSampler:
    """Return a sampler that goes on by the belief, and asks one where that does not propose.

    What another sampler fixes stays fixed.
    """
    if isinstance(sampler, PartialFixedSampler):
        parts: Any = sampler
        return PartialFixedSampler(
            parts._fixed_params, going_on(parts._base_sampler)
        )
    return (
        sampler
        if isinstance(sampler, BeliefSampler)
        else BeliefSampler(sampler)
    )
