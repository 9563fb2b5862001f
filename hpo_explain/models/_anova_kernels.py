"""Kernels that trials allow: effects of single hyperparameters, and all of them together.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
D_g         squared distances of trials in column g
m(r)        the Matérn-5/2 profile ``(1 + √5 r + 5 r²/3) exp(-√5 r)``
k           ``Σ_g a_g m(√D_g / l_g) + b m(√(Σ_g D_g / l_g²))``
w           variance of the noise
θ           logarithms of all a_g, b, all l_g and w
==========  ============================================================================

A kernel of the norm of all columns takes for granted that hyperparameters interact, so that an
additive function is told to have interactions however many trials there are. With a part for each
column beside it the trials decide. Few trials rarely decide for one θ: several are drawn from their
posterior, by importance resampling of Gaussians around its modes (Laplace's approximation).

References
----------
.. [1] Durrande, N., Ginsbourger, D. and Roustant, O. (2012). Additive covariance kernels for
   high-dimensional Gaussian process modeling. Annales de la Faculté des Sciences de Toulouse.
.. [2] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Eq. 5.8 and 5.9, Section 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import logsumexp

from hpo_explain.base.progress import steps
from hpo_explain.models._kernel import ROOT_5_3, matern
from hpo_explain.models._likelihood import curvature, density_of
from hpo_explain.models._squares import matern_5_2, squared_distances, squares_by_column
from hpo_explain.space import Array

_JITTER = 1e-8
_TRIALS = 150  # most trials that θ is judged by: O(n³) per step
_CANDIDATES = 24  # drawn around the modes, of which the kernels are resampled
_FAR_MODE = 6.0  # a mode whose logarithm of the posterior is so much lower does not count
_STEP = 1e-2  # of θ in differences of the gradient
_ROWS = 64  # of a covariance at a time
_WIDEST = 4.0  # most standard deviation of a θ around its mode

# θ in units of the standardized objective and of columns that span 1: prior mean, standard
# deviation, and bounds, for a_g, b, l_g and w
_PRIOR = {
    "alone": (np.log(0.3), 2.0, np.log(1e-6), np.log(1e2)),
    "joint": (np.log(0.3), 2.0, np.log(1e-6), np.log(1e2)),
    "scale": (0.0, 1.0, np.log(0.05), np.log(10.0)),
    "noise": (np.log(0.1), 2.0, np.log(1e-5), np.log(1.5)),
}


@dataclass(frozen=True, eq=False)
class AnovaKernel:
    """A kernel with a part for each column and one for all together.

    Attributes
    ----------
    amid : ndarray of shape (p,)
        What tells columns of categories from numbers, as of `squared_distances`.
    alone : ndarray of shape (p,)
        Variance of each column's part, a_g.
    joint : float
        Variance of the part of all columns, b.
    scales : ndarray of shape (p,)
        Length-scales l_g.
    noise : float
        Variance of the noise, w; not part of the kernel's values.
    """

    amid: Array
    alone: Array
    joint: float
    scales: Array
    noise: float

    @property
    def variance(self) -> float:
        """The prior variance, the same everywhere."""
        return float(self.alone.sum() + self.joint)

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the covariance (n, m) of columns (n, p) and (m, p)."""
        K = np.empty((len(A), len(B)))
        for start in range(0, len(A), _ROWS):  # what is summed stays in the processor's cache
            rows = slice(start, start + _ROWS)
            norm, K[rows] = np.zeros_like(K[rows]), 0.0
            for column, variance in enumerate(self.alone):
                part = self.squares(A[rows], B, column)
                norm += part
                matern_5_2(part.reshape(-1))
                part *= variance
                K[rows] += part
            matern_5_2(norm.reshape(-1))
            norm *= self.joint
            K[rows] += norm
        return K

    def squares(self, A: Array, B: Array, column: int) -> Array:
        """Return 5/3 of the squared distances in a column and its length-scale, (n, m)."""
        own = [column]
        return squared_distances(A[:, own], B[:, own], ROOT_5_3 / self.scales[own], self.amid[own])


class LogPosterior:
    """The logarithm of the posterior density of θ, with its gradient.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        What tells columns of categories from numbers, as of `squared_distances`.
    Z : ndarray of shape (n, p)
        Columns of the trials.
    y : ndarray of shape (n,)
        Their objective, standardized.
    """

    def __init__(self, amid: Array, Z: Array, y: Array) -> None:
        self._amid, self._y = amid, y
        n = len(amid)
        self._n = n
        self._distances = squares_by_column(Z, amid)
        kinds = ["alone"] * n + ["joint"] + ["scale"] * n + ["noise"]
        self._mean, self._std, self.low, self.high = np.array([_PRIOR[k] for k in kinds]).T

    def theta(self, alone: float, joint: float, scales: Array, noise: float) -> Array:
        """Return θ within its bounds."""
        theta = np.log(np.r_[np.full(self._n, alone), joint, scales, noise])
        return np.asarray(np.clip(theta, self.low, self.high))

    def kernel(self, theta: Array) -> AnovaKernel:
        """Return the kernel of a θ."""
        alone, joint, scales, noise = np.split(np.exp(theta), self._cuts)
        return AnovaKernel(self._amid, alone, float(joint[0]), scales, float(noise[0]))

    @property
    def _cuts(self) -> list[int]:
        return [self._n, self._n + 1, 2 * self._n + 1]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the logarithm of the density at θ up to a constant, and its gradient."""
        kernel = self.kernel(theta)
        inverse_squares = kernel.scales**-2.0
        together, d_together = matern(np.sqrt(inverse_squares @ self._distances))
        single, d_single = matern(np.sqrt(self._distances * inverse_squares[:, None]))
        pairs = kernel.joint * together + kernel.alone @ single
        found = density_of(pairs, kernel.variance + kernel.noise + _JITTER, self._y)
        if found is None:
            return -np.inf, np.zeros_like(theta)
        value, weights, diagonal = found
        by_scale = kernel.joint * (self._distances @ (weights * d_together))
        by_scale += kernel.alone * ((self._distances * d_single) @ weights)
        gradient = np.concatenate(
            [
                kernel.alone * (single @ weights + diagonal),
                [kernel.joint * (together @ weights + diagonal)],
                5.0 / 3.0 * by_scale * inverse_squares,
                [kernel.noise * diagonal],
            ]
        )
        away = (theta - self._mean) / self._std
        return float(value - 0.5 * away @ away), gradient - away / self._std

    def mode(self, theta: Array) -> Array:
        """Return the mode that is reached uphill from a θ."""

        def loss(at: Array) -> tuple[float, Array]:
            value, gradient = self(at)
            return -value, -gradient

        within = Bounds(self.low, self.high)
        options: Any = {"maxiter": 80}
        found = minimize(loss, theta, method="L-BFGS-B", jac=True, bounds=within, options=options)
        return np.asarray(found.x)


@dataclass(frozen=True, eq=False)
class _Mode:
    """A Gaussian around a mode: where it is, how high, and the precision's eigenvectors."""

    at: Array
    value: float
    vectors: Array
    precisions: Array

    @property
    def mass(self) -> float:
        """Logarithm of the posterior mass around the mode, up to a constant."""
        return self.value - 0.5 * float(np.log(self.precisions).sum())

    def density(self, theta: Array) -> float:
        """Logarithm of the Gaussian's density, up to the same constant for every mode."""
        away = self.vectors.T @ (theta - self.at)
        return 0.5 * float(np.log(self.precisions).sum() - self.precisions @ away**2)


def _mode(posterior: LogPosterior, at: Array) -> _Mode:
    precisions, vectors = np.linalg.eigh(curvature(lambda to: -posterior(to)[1], at, _STEP))
    return _Mode(at, posterior(at)[0], vectors, np.maximum(precisions, _WIDEST**-2))


def allowed_kernels(
    amid: Array, Z: Array, y: Array, scales: Array, *, n: int, seed: int
) -> list[AnovaKernel]:
    """Return kernels drawn from their posterior.

    Parameters
    ----------
    amid : ndarray of shape (p,)
        What tells columns of categories from numbers, as of `squared_distances`.
    Z : ndarray of shape (number of trials, p)
        Columns of the trials.
    y : ndarray of shape (number of trials,)
        Their objective, standardized.
    scales : ndarray of shape (p,)
        Length-scales from which the search for modes starts.
    n : int
        Number of kernels.
    seed : int
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    judged = np.sort(rng.permutation(len(Z))[:_TRIALS])
    posterior = LogPosterior(amid, Z[judged], y[judged])
    scales = np.clip(scales, 0.3, 2.0)
    starts = (posterior.theta(0.02, 0.8, scales, 0.1), posterior.theta(0.3, 0.02, scales, 0.3))
    found = [posterior.mode(start) for start in steps(starts, "searches")]
    heights = [posterior(theta)[0] for theta in found]
    kept = [
        i
        for i, height in enumerate(heights)
        if height >= max(heights) - _FAR_MODE
        and not any(np.allclose(found[i], found[k], atol=0.1) for k in range(i))
    ]
    modes = [_mode(posterior, found[i]) for i in steps(kept, "modes")]
    mass = np.array([mode.mass for mode in modes])
    share = np.exp(mass - logsumexp(mass))
    drawn = []
    for i in rng.choice(len(modes), _CANDIDATES, p=share):
        step = rng.standard_normal(len(posterior.low)) / np.sqrt(modes[i].precisions)
        theta = modes[i].at + modes[i].vectors @ step
        drawn.append(np.clip(theta, posterior.low, posterior.high))
    proposed = [logsumexp([mode.density(theta) for mode in modes], b=share) for theta in drawn]
    weight = np.array([posterior(theta)[0] for theta in steps(drawn, "draws")]) - proposed
    weight = np.exp(weight - weight.max())
    # truncated, so that no single kernel decides (Ionides 2008)
    weight = np.minimum(weight, weight.mean() * np.sqrt(_CANDIDATES))
    picked = rng.choice(_CANDIDATES, n, p=weight / weight.sum())
    return [posterior.kernel(drawn[i]) for i in picked]
