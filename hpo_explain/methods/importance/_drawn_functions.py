"""Functions drawn from a joint posterior, whose values may be asked for anywhere.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
D          a design: configurations at which functions are drawn jointly
K          their posterior covariance, ``V Λ Vᵀ``
f(X)       ``m(X) + k(X, D) V Λ^-½ z``: the mean given the trials and the values drawn at D
=========  ============================================================================

What the design leaves open is small where it is as dense as the kernel is smooth. Each function
has its mirror image, so that their mean is the model's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from hpo_explain.base.progress import steps
from hpo_explain.models.protocols import SupportsJoint, Surrogate, mean_of
from hpo_explain.space import Array

_DESIGN = 400
_DRAWS = 128  # an even number
_ROUNDED = 1e-7  # of the largest eigenvalue: directions that vary less are not drawn
_AT_ONCE = 4096  # configurations


@dataclass(frozen=True, eq=False)
class DrawnFunctions:
    """Functions drawn from the posterior of a model.

    Attributes
    ----------
    mean : callable
        Returns the model's mean, (n,), at encoded rows (n, d).
    covariance : callable
        Returns the covariance with the design, (n, m).
    weights : ndarray of shape (m, draws)
        What each function adds to the mean by that covariance.
    """

    mean: Callable[[Array], Array]
    covariance: Callable[[Array], Array]
    weights: Array

    @classmethod
    def near(
        cls, surrogate: Surrogate, rows: Array, *, draws: int | None = None, seed: int = 0
    ) -> DrawnFunctions | None:
        """Draw functions whose values will be asked for near encoded rows (n, d), some of them.

        By default 128, if the model has a joint posterior.
        """
        if not isinstance(surrogate, SupportsJoint):
            return None
        rng = np.random.default_rng(seed)
        design = rows[rng.permutation(len(rows))[:_DESIGN]]
        return cls(
            mean=partial(mean_of, surrogate),
            covariance=partial(surrogate.covariance_with, others=design),
            weights=inverse_root(surrogate, design) @ mirrored(rng, len(design), draws or _DRAWS),
        )

    def __call__(self, X: Array) -> Array:
        """Return the values, (n, 1 + draws), at encoded rows (n, d): of the mean, and of each."""
        found = np.empty((len(X), 1 + self.weights.shape[1]))
        for start in steps(range(0, len(X), _AT_ONCE), "batches"):
            part = slice(start, start + _AT_ONCE)
            found[part, 0] = self.mean(X[part])
            found[part, 1:] = found[part, :1] + self.covariance(X[part]) @ self.weights
        return found


def inverse_root(surrogate: SupportsJoint, design: Array) -> Array:
    """Return K^-½ of the posterior covariance of encoded rows (m, d), without tiny eigenvalues.

    It is the symmetric root: rounding changes neither it nor, then, what is drawn by it.
    """
    eigenvalues, vectors = np.linalg.eigh(surrogate.posterior_covariance(design))
    kept = eigenvalues > _ROUNDED * max(float(eigenvalues[-1]), 0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(eigenvalues[kept]) @ vectors[:, kept].T)


def mirrored(rng: np.random.Generator, points: int, draws: int) -> Array:
    """Return standard normal numbers, (points, draws), an even number, with their mirror images."""
    half = rng.standard_normal((points, draws // 2))
    return np.hstack([half, -half])
