"""The tried configuration that a model predicts to be the best, beside the best observed one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.facts import Fact, fact

NOTABLE_NOISE = 0.1
"""Noise as a share of the objective's standard deviation from which luck may decide."""


@dataclass(frozen=True, eq=False)
class BestPredicted:
    """The feasible trial with the best predicted objective.

    The best of many noisy observations was lucky: on average its objective is worse than it was
    observed. A model that knows the noise takes the neighbours into account.

    Attributes
    ----------
    trial : int
        The trial with the best predicted mean.
    configuration : mapping
        Its configuration, in the user's units.
    mean, std : float
        The objective predicted there, noise excluded, and its standard deviation under the model.
    observed : float
        The objective that was observed there.
    incumbent_trial : int
        The best observed feasible trial.
    incumbent_mean, incumbent_std, incumbent_observed : float
        The same of the incumbent.
    noise : float
        Standard deviation of the model's noise, as a share of that of the observed objective; NaN
        where the model does not know it.
    differs : bool
        Whether its configuration is another than the incumbent's.
    """

    trial: int
    configuration: Mapping[str, Any]
    mean: float
    std: float
    observed: float
    incumbent_trial: int
    incumbent_mean: float
    incumbent_std: float
    incumbent_observed: float
    noise: float
    differs: bool

    @property
    def notable(self) -> bool:
        """Whether it differs from the incumbent, under noise of a tenth of the spread or more."""
        return self.differs and bool(np.nan_to_num(self.noise) >= NOTABLE_NOISE)

    @property
    def fact(self) -> Fact:
        """Both trials with what was observed and predicted, as a "best_predicted"."""
        return fact(
            "best_predicted",
            trials=[self.trial, self.incumbent_trial],
            predicted=(self.mean, self.std),
            observed=self.observed,
            incumbent_predicted=(self.incumbent_mean, self.incumbent_std),
            incumbent_observed=self.incumbent_observed,
            noise=self.noise,
        )
