"""The best trial as a model sees it: beside the best observed one, which may have been lucky."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import plus_minus
from hpo_explain.base.text import declared_fact
from hpo_explain.space import lowest

if TYPE_CHECKING:
    from hpo_explain.run.run import Run

_best_predicted = declared_fact(
    "best_predicted",
    "best predicted: trial {trial}, {predicted} (observed {observed}). Trial {incumbent}, the best "
    "observed, is predicted at {incumbent_predicted} (observed {incumbent_observed}): the noise is "
    "{noise:%} of the objective's standard deviation, and the best of many noisy observations is "
    "better than its average",
    trial=lambda fact: str(fact.trials[0]),
    incumbent=lambda fact: str(fact.trials[1]),
    predicted=lambda fact: plus_minus(*fact["predicted"]),
    incumbent_predicted=lambda fact: plus_minus(*fact["incumbent_predicted"]),
)
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
        return self.differs and bool(
            np.nan_to_num(self.noise) >= NOTABLE_NOISE
        )

    @property
    def fact(self) -> Fact:
        """Both trials with what was observed and predicted, as a "best_predicted"."""
        return _best_predicted(
            trials=[self.trial, self.incumbent_trial],
            predicted=(self.mean, self.std),
            observed=self.observed,
            incumbent_predicted=(self.incumbent_mean, self.incumbent_std),
            incumbent_observed=self.incumbent_observed,
            noise=self.noise,
        )


def best_predicted(run: Run, *, seed: int = 0) -> BestPredicted:
    """Return the feasible trial whose objective ``run.surrogate()`` predicts to be the best.

    In a noisy run the incumbent is the luckiest trial; this one stands beside it.

    Parameters
    ----------
    run : Run
        The run.
    seed : int, default 0
        Seed of the surrogate.

    Returns
    -------
    BestPredicted
        The trial with its predicted objective, and the incumbent's.

    Raises
    ------
    NothingToExplain
        If the run has no feasible trial, or fewer than two trials.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 40)
    >>> noise = np.random.default_rng(2).normal(0.0, 0.1, 40)
    >>> run = Run(space, x[:, None], (x - 0.4) ** 2 + noise, "minimize")
    >>> found = best_predicted(run)
    >>> round(run.incumbent["x"], 1), round(found.configuration["x"], 1), found.notable
    (0.1, 0.4, True)
    """
    incumbent = run.incumbent_trial
    surrogate, at = run.surrogate(seed=seed), run.row(incumbent)
    mean, std = surrogate.predict(run.X)
    row = lowest(np.where(np.asarray(run.feasible), run.sign * mean, np.inf))
    spread = float(np.std(run.learned_cost()))
    noise = float(getattr(surrogate, "noise_std", np.nan))
    return BestPredicted(
        trial=int(np.asarray(run.trials)[row]),
        configuration=run.space.decode(run.X[[row]])[0],
        mean=float(mean[row]),
        std=float(std[row]),
        observed=float(run.objective[row]),
        incumbent_trial=incumbent,
        incumbent_mean=float(mean[at]),
        incumbent_std=float(std[at]),
        incumbent_observed=float(run.objective[at]),
        noise=noise / spread if spread > 0.0 else np.nan,
        differs=not np.array_equal(run.X[row], run.X[at], equal_nan=True),
    )
