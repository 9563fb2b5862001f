"""Optuna's samplers: by name, as on the command line, and wrapped in others."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import optuna
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna.quiet import made
from hpo_explain.base.checks import check_option


class WrappingSampler(BaseSampler):
    """A sampler that asks another one, which notices no difference and proposes the trials.

    Parameters
    ----------
    sampler : BaseSampler
        The other one.
    """

    def __init__(self, sampler: BaseSampler) -> None:
        self.sampler = sampler

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the search space of the sampler asked."""
        return self.sampler.infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the values that the sampler asked chooses together."""
        return self.sampler.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value that the sampler asked chooses for one hyperparameter."""
        return self.sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Tell the sampler asked that a trial begins."""
        self.sampler.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Tell the sampler asked that a trial ends."""
        self.sampler.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Seed the sampler asked anew."""
        self.sampler.reseed_rng()


def unwrapped(sampler: BaseSampler | None) -> tuple[BaseSampler | None, dict[str, Any]]:
    """Return the sampler that is asked at last, and the values that others fix.

    Examples
    --------
    >>> from optuna.samplers import RandomSampler
    >>> type(unwrapped(WrappingSampler(RandomSampler()))[0]).__name__
    'RandomSampler'
    """
    fixed: dict[str, Any] = {}
    while isinstance(sampler, (WrappingSampler, PartialFixedSampler)):
        if isinstance(sampler, PartialFixedSampler):
            parts: Any = sampler
            fixed = {**parts._fixed_params, **fixed}
            sampler = parts._base_sampler
        else:
            sampler = sampler.sampler
    return sampler, fixed


def sampler_names() -> list[str]:
    """Return the classes of Optuna's samplers that can be made without arguments.

    Examples
    --------
    >>> {"RandomSampler", "TPESampler"} <= {*sampler_names()}, "GridSampler" in sampler_names()
    (True, False)
    """
    found = {name: getattr(optuna.samplers, name) for name in optuna.samplers.__all__}
    return sorted(
        name
        for name, entry in found.items()
        if inspect.isclass(entry) and not inspect.isabstract(entry) and _needs_nothing(entry)
    )


def _needs_nothing(made: type) -> bool:
    parameters = inspect.signature(made).parameters.values()
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters
    )


def make_sampler(name: str) -> BaseSampler:
    """Return a sampler of a class with its defaults.

    Parameters
    ----------
    name : str
        One of :func:`sampler_names`.

    Raises
    ------
    InputError
        If there is no such one.

    Examples
    --------
    >>> type(make_sampler("RandomSampler")).__name__
    'RandomSampler'
    """
    check_option("sampler", name, sampler_names())
    sampler: BaseSampler = made(getattr(optuna.samplers, name))
    return sampler
