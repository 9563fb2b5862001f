"""Draws of a joint normal distribution."""

from __future__ import annotations

import numpy as np

from hpo_explain.space import Array
from hpo_explain.surrogates import std_from_variance


def drawn(mean: Array, covariance: Array, n: int, *, seed: int = 0) -> Array:
    """Return n draws, (n, m), of a normal distribution of m values, whatever rounding did to it."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    z = np.random.default_rng(seed).standard_normal((n, len(mean)))
    return np.asarray(mean + z @ (vectors * std_from_variance(values)).T)
