"""Draws from a joint posterior."""

from __future__ import annotations

import numpy as np

from hpo_explain.space import Array


def draws(mean: Array, covariance: Array, n: int, seed: int) -> Array:
    """Return draws of a function's values at some points, (points, n).

    By eigenvalues, of which rounding makes some negative: those count as 0.
    """
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    noise = np.random.default_rng(seed).standard_normal((len(mean), n))
    deviations = vectors @ (np.sqrt(np.maximum(eigenvalues, 0.0))[:, None] * noise)
    return np.asarray(mean[:, None] + deviations)
