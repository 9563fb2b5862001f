"""Contrasts: which of several predictions can be told apart.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
c_g        cost at place g of a curve (or surface): smaller is better
K          covariance of all costs; its diagonal is Eq. 4 of Moosbauer et al.
b          the best place that was tried
t_g        ``(c_g - c_b) / sd(c_g - c_b)``
q          95 % quantile over draws from N(0, K) of the largest -t_g: simultaneous over places
=========  ============================================================================

Place g is worse than the best one if t_g > q: with 95 % probability no place is called worse that
is not ("multiple comparisons with the best"). A place that was not tried is never called worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hpo_explain.base.posterior import normal_draws
from hpo_explain.models.protocols import std_from_variance
from hpo_explain.space import Array

LEVEL = 0.95
_DRAWS = 4000
_BAGGED = 0.5  # variance of a mean over bagged trees, as a share of a single tree's
_ROUNDED = 1e-9  # of the largest variance: less is what rounding leaves of a difference


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences between the costs of places, with their joint uncertainty.

    Attributes
    ----------
    cost : ndarray of shape (K,)
        Smaller is better; NaN where there is none.
    covariance : ndarray of shape (K, K)
        Their covariance.
    tried : ndarray of bool, shape (K,)
        Where trials were made.

    Examples
    --------
    >>> import numpy as np
    >>> contrasts = Contrasts(np.array([0.0, 0.1, 3.0]), 0.1 * np.eye(3), np.ones(3, dtype=bool))
    >>> contrasts.best.tolist()
    [True, True, False]
    """

    cost: Array
    covariance: Array
    tried: npt.NDArray[np.bool_]

    @cached_property
    def place(self) -> int:
        """The best place, b, of those that were tried if there are any."""
        known = np.where(self.tried, self.cost, np.nan)
        return int(np.nanargmin(self.cost if np.isnan(known).all() else known))

    @cached_property
    def best(self) -> npt.NDArray[np.bool_]:
        """Which places cannot be told from the best one, (K,)."""
        lowest = -self._largest(one_sided=True) * self._std
        with np.errstate(invalid="ignore"):
            worse = self._difference + lowest > 0.0
        return np.asarray(~worse | ~self.tried) & ~np.isnan(self.cost)

    def against_best(self, place: int) -> tuple[float, float]:
        """Return how much worse a place is than the best one, and half the interval's width.

        The interval is simultaneous over all places.
        """
        half = self._largest(one_sided=False) * self._std[place]
        return float(self._difference[place]), float(half)

    @cached_property
    def widest(self) -> float:
        """Upper bound of the range of all costs: their 95 % quantile over draws."""
        spread = np.ptp(self.cost[self._known] + self._draws, axis=1)
        return float(np.quantile(spread, LEVEL))

    # ------------------------------------------------------------------ by draws

    @cached_property
    def _known(self) -> npt.NDArray[np.bool_]:
        return np.asarray(~np.isnan(self.cost))

    @cached_property
    def _draws(self) -> Array:
        """Draws of the errors of the known costs."""
        covariance = self.covariance[np.ix_(self._known, self._known)]
        cost = self.cost[self._known]
        return np.asarray((normal_draws(cost, covariance, _DRAWS, 0) - cost[:, None]).T)

    @cached_property
    def _difference(self) -> Array:
        return np.asarray(self.cost - self.cost[self.place])

    @cached_property
    def _std(self) -> Array:
        own: Array = np.diag(self.covariance)
        variance = own + own[self.place] - 2.0 * self.covariance[self.place]
        return std_from_variance(np.where(variance > _ROUNDED * np.nanmax(own), variance, 0.0))

    def _largest(self, *, one_sided: bool) -> float:
        """Return q: the quantile of the largest standardized error of a difference."""
        std = self._std[self._known]
        if not (std > 0.0).any():
            return 0.0
        here = int(np.sum(self._known[: self.place]))
        error = (self._draws - self._draws[:, [here]])[:, std > 0.0] / std[std > 0.0]
        return float(np.quantile((error if one_sided else np.abs(error)).max(axis=1), LEVEL))


def covariance_of_trees(means: Array) -> Array:
    """Return the covariance of a forest's mean at K places, (K, K), from its trees' (trees, ...).

    The trees are fits to bootstrap samples, so their covariance is that of a single tree over
    samples of trials. The mean over trees varies about half as much, as bagging smooths what a tree
    decides by a threshold [1]_; `tests/claims` holds that against known truth.

    References
    ----------
    .. [1] Bühlmann, P. and Yu, B. (2002). Analyzing bagging. Annals of Statistics 30(4), 927-961.
    """
    errors = means.reshape(len(means), -1)
    errors = errors - errors.mean(axis=0)
    return np.asarray(_BAGGED * (errors.T @ errors) / len(errors))
