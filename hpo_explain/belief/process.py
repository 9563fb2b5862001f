"""A Gaussian process on one scale, and how well it predicts trials that are held out.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
z           the trials' values on the scale
K_s         their covariance with kernel parameters s, noise included
μ_i, v_i    ``z_i - [K_s⁻¹ z]_i / [K_s⁻¹]_ii`` and ``1 / [K_s⁻¹]_ii``: what the others predict
            of trial i [1]_
CRPS        continuous ranked probability score, in units of the cost: smaller is better
==========  ============================================================================

Scales are compared in the cost's own units: there, and not on a scale of its own, is what the
statements are about.

References
----------
.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Eqs. 5.10 to 5.12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.belief.scales import Bounds, Scale
from hpo_explain.models.product_kernel import Pairs, Parameters, Posterior
from hpo_explain.space import Array, Bools

SETTINGS = 8  # of the kernel's parameters with which trials are held out
_QUANTILES = 31  # of a prediction, that stand for it
_ROUNDS = 200  # in which weights of a mixture settle
_SKILL = 3.0  # power of the score: how much a scale counts that predicts better
_DOUBT = 3.0  # log odds that trials are noise alone, where they are predicted no better than that
_STRAY = 0.1  # of the trials may be missed by far, as where noise grows with the cost
_MOST_DOUBT = 0.5  # as too few trials do not show that there is nothing


@dataclass(frozen=True, eq=False)
class Process:
    """A Gaussian process on one scale, with the posterior of its kernel's parameters.

    Attributes
    ----------
    scale : Scale
        The scale.
    pairs : Pairs
        The pairs of trials.
    posterior : Posterior
        The kernel's parameters.
    limits : tuple of (float, float)
        The least and the largest cost that there may be.
    """

    scale: Scale
    pairs: Pairs
    posterior: Posterior
    limits: Bounds

    @cached_property
    def kernels(self) -> list[Parameters]:
        """A few settings of the kernel's parameters."""
        return self.posterior.drawn(SETTINGS)

    @cached_property
    def held_out(self) -> tuple[Array, Array]:
        """Mean and variance of each held-out trial's value on the scale, (settings, n) each."""
        mean, variance = np.empty((2, len(self.kernels), len(self.scale.z)))
        for i, kernel in enumerate(self.kernels):
            inverse = self.pairs.inverse(kernel)
            variance[i] = 1.0 / np.diag(inverse)
            mean[i] = self.scale.z - (inverse @ self.scale.z) * variance[i]
        return mean, variance

    def score(self, cost: Array) -> float:
        """Return the mean CRPS of held-out trials, whose costs are given."""
        from scipy.special import ndtri

        mean, variance = self.held_out
        level = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        around = ndtri(level)[:, None, None] * np.sqrt(variance)
        missed = cost - self.scale.cost(mean + around, self.limits)
        # the CRPS is twice the mean pinball loss over all levels
        loss = np.where(missed > 0.0, level[:, None, None], level[:, None, None] - 1.0) * missed
        return float(2.0 * loss.mean())

    @cached_property
    def density(self) -> Array:
        """Predictive density of each held-out trial's cost, averaged over the settings, (n,)."""
        mean, variance = self.held_out
        apart = (self.scale.z - mean) ** 2 / variance
        on_scale = np.exp(-0.5 * apart) / np.sqrt(2.0 * np.pi * variance)
        return self._of_costs(on_scale.mean(axis=0))

    @cached_property
    def density_of_noise(self) -> Array:
        """The same where nothing matters: by mean and variance of the other trials alone, (n,)."""
        z, n = self.scale.z, len(self.scale.z)
        mean = (z.sum() - z) / (n - 1)
        variance = ((z**2).sum() - z**2) / (n - 1) - mean**2
        variance = np.maximum(variance, 1e-12) * n / max(n - 2, 1)
        on_scale = np.exp(-0.5 * (z - mean) ** 2 / variance) / np.sqrt(2.0 * np.pi * variance)
        return self._of_costs(on_scale)

    def _of_costs(self, density: Array) -> Array:
        """Return the density of costs of that of values on the scale."""
        steep = self.scale.slope(self.limits)
        return density / np.maximum(steep, 1e-12 * steep.max(initial=1.0))


def weights_by_skill(processes: tuple[Process, ...], cost: Array) -> Array:
    """Return how much each scale counts for questions about the whole space: CRPS⁻³."""
    scores = np.array([process.score(cost) for process in processes])
    if scores.min() <= 0.0:  # all trials are the same
        return np.full(len(scores), 1.0 / len(scores))
    skill = (scores.min() / scores) ** _SKILL
    return skill / skill.sum()


def weights_by_stacking(processes: tuple[Process, ...], among: Bools) -> Array:
    """Return the mixture of the scales that predicts some held-out trials best.

    That of largest log density, with one trial more for each scale.
    """
    density = np.array([process.density[among] for process in processes])
    density = density / np.maximum(density.max(axis=0), 1e-300)
    weights = np.full(len(processes), 1.0 / len(processes))
    for _ in range(_ROUNDS):
        weighted = weights[:, None] * density
        belongs = weighted / np.maximum(weighted.sum(axis=0), 1e-300)
        weights = (belongs.sum(axis=1) + 1.0) / (belongs.shape[1] + len(processes))
    return weights


def doubt(processes: tuple[Process, ...], weights: Array) -> float:
    """Return how probable it is that the trials are noise alone: that nothing matters.

    By how much better held-out trials are predicted than by the mean of the others. A kernel that
    was fitted to noise predicts that a little, too: of 50 runs of noise all but one by less than 5
    on the logarithmic scale, of 35 runs on functions with noise of half their spread each by more.
    At most one half.
    """
    if not np.ptp(processes[0].scale.z):  # all trials are the same
        return 0.0
    density = weights @ np.array([process.density for process in processes])
    noise = weights @ np.array([process.density_of_noise for process in processes])
    better = density / np.maximum(noise, 1e-300)
    gain = float(np.log(_STRAY + (1.0 - _STRAY) * better).sum())
    return min(1.0 / (1.0 + math.exp(min(gain - _DOUBT, 500.0))), _MOST_DOUBT)
