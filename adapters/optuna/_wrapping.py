"""Samplers that ask another one, and the one that they ask at last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.trial import FrozenTrial, TrialState


class WrappingSampler(BaseSampler):
    """A sampler that asks another one, which notices no difference.

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
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
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
