"""The log EI by which GPSampler chooses beside trials that are running.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
r          the trials that were running, of which no result was known
y_q        draw q of their results from the process's posterior
u_q        the largest improvement among y_q
z_q        a standard normal draw, for the result at the configuration x
=========  ============================================================================

The utility is ``log mean_q max(u_q, f* - y_q(x))``: what a batch of the running trials and x
improves [1]_. The sampler draws with a seed that it does not record. Here the seed is always the
same, so that the numbers are too.

.. [1] Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian
   optimization. NeurIPS, Eq. 10. https://arxiv.org/abs/2310.20708
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hpo_explain.base.options import Direction, sign_of
from hpo_explain.models.acquisition.split import PREDICTED
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import std_from_variance
from hpo_explain.space import Array, SearchSpace

_LEAST = 1e-12  # of the objective's standard deviation: Optuna's smallest improvement
_ROWS = 4000  # at once


@dataclass(frozen=True, eq=False)
class LogEIBesideRunning:
    """The log of the expected improvement by a configuration and the trials that run.

    Attributes
    ----------
    surrogate : GaussianProcessSurrogate
        The sampler's process.
    best : float
        The best objective so far, in the user's units.
    direction : {"minimize", "maximize"}
        Direction of the objective.
    running : ndarray of shape (r, d)
        The trials that run, encoded.
    results : ndarray of shape (Q, r)
        Draws of their results, in the user's units.
    normal : ndarray of shape (Q,)
        Standard normal draws for the result at a configuration.
    scale : float
        The objective's standard deviation, as the sampler standardizes it.
    """

    surrogate: GaussianProcessSurrogate
    best: float
    direction: Direction
    running: Array
    results: Array
    normal: Array
    scale: float

    label = "log EI"
    term_names = ("log expected improvement",)

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.surrogate.space

    @property
    def _sign(self) -> float:
        return sign_of(self.direction)

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Return the inverse covariance of the running results, and its product with the draws."""
        covariance = self.surrogate.covariance_with(self.running, self.running)
        covariance[np.diag_indices_from(covariance)] += _LEAST * self.scale**2
        factor = cho_factor(covariance, lower=True)
        inverse = cho_solve(factor, np.eye(len(covariance)))
        deviations = self.results - self.surrogate.predict(self.running)[0]
        return inverse, np.asarray(cho_solve(factor, deviations.T))

    def terms(self, X: Array) -> dict[str, Array]:
        """Return the one term, (n,), at encoded rows (n, d)."""
        return {self.term_names[0]: self.log_ei(*self.predicted(X))}

    def split(self) -> SplitBesideRunning:
        """Return the criterion with what is predicted given results of the running trials."""
        return SplitBesideRunning(self)

    def predicted(self, X: Array) -> tuple[Array, Array, Array]:
        """Return what the criterion takes at encoded rows (n, d).

        The mean, (n,), the covariance with the running results, (n, r), and the standard deviation
        that is left where these are known, (n,).
        """
        mean, std = self.surrogate.predict(X)
        cross = self.surrogate.covariance_with(X, self.running)
        least = _LEAST * self.scale**2
        explained = np.vecdot(cross @ self._weights[0], cross)
        return mean, cross, std_from_variance(std**2 + least - explained)

    def log_ei(self, mean: Array, cross: Array, std: Array) -> Array:
        """Return the criterion, of the shape of `mean`."""
        flat = mean.ravel(), cross.reshape(mean.size, -1), std.ravel()
        found = [
            self._log_ei(*(values[a : a + _ROWS] for values in flat))
            for a in range(0, mean.size, _ROWS)
        ]
        return np.concatenate([np.empty(0), *found]).reshape(mean.shape)

    def _log_ei(self, mean: Array, cross: Array, std: Array) -> Array:
        expected = mean[:, None] + cross @ self._weights[1]
        # Optuna maximizes, so that its draws have the other sign where the objective is minimized
        results = expected - self._sign * std[:, None] * self.normal
        gain = self._sign * (self.best - results)
        running = (self._sign * (self.best - self.results)).max(axis=1)
        floor = np.maximum(running, _LEAST * self.scale)
        return np.log(np.maximum(gain, floor).mean(axis=1))


@dataclass(frozen=True, eq=False)
class SplitBesideRunning:
    """That criterion with its predictions as further terms.

    What is predicted given results of the running trials is the mean with the covariances; the
    standard deviation is what is left beside them.

    Attributes
    ----------
    criterion : LogEIBesideRunning
        The criterion.
    """

    criterion: LogEIBesideRunning

    own = 1
    label = "log EI"

    @property
    def term_names(self) -> tuple[str, ...]:
        """The criterion's term, its predictions, and the covariances with the running trials."""
        return (*self.criterion.term_names, *PREDICTED, *self._covariances)

    @property
    def _covariances(self) -> tuple[str, ...]:
        count = len(self.criterion.running)
        return tuple(f"covariance {i}" for i in range(count))

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self.criterion.space

    @property
    def surrogate(self) -> GaussianProcessSurrogate:
        """The sampler's process."""
        return self.criterion.surrogate

    @property
    def direction(self) -> Direction:
        """Whether the objective is minimized or maximized."""
        return self.criterion.direction

    def terms(self, X: Array) -> dict[str, Array]:
        """Return each of ``term_names``, (n,), at encoded rows (n, d)."""
        mean, cross, std = self.criterion.predicted(X)
        utility = self.criterion.log_ei(mean, cross, std)
        values = (utility, mean, std, *cross.T)
        return dict(zip(self.term_names, values, strict=True))

    def crossed(self, before: Mapping[str, Array], after: Mapping[str, Array]) -> Array:
        """Return ``a(m₁, s₀) - a(m₀, s₁)``."""
        return self._utility(after, before) - self._utility(before, after)

    def _utility(self, of_mean: Mapping[str, Array], of_std: Mapping[str, Array]) -> Array:
        mean, std = PREDICTED
        cross = np.stack([of_mean[name] for name in self._covariances], -1)
        return self.criterion.log_ei(of_mean[mean], cross, of_std[std])
