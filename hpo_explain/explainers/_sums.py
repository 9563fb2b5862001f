"""What a model does not know of weighted sums of the function over configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.models.protocols import SupportsJoint, SupportsTrees, Surrogate, std_from_variance
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Sums:
    """Weighted sums under a model.

    Attributes
    ----------
    std : ndarray of shape (K,)
        The posterior standard deviation of each, or that over the trees.
    covariance : ndarray of shape (K, K) or None
        The posterior covariance; None of trees, which are no draws from a posterior.
    """

    std: Array
    covariance: Array | None = None


def sums_under(surrogate: Surrogate, X: Array, weights: Array) -> Sums | None:
    """Return what a model does not know of sums over encoded rows (n, d) with weights (K, n).

    None where it has neither a joint posterior nor trees.
    """
    if isinstance(surrogate, SupportsJoint):
        covariance = surrogate.covariance_of_sums(X, weights)
        return Sums(std_from_variance(np.diag(covariance)), covariance)
    if isinstance(surrogate, SupportsTrees):
        by_tree = surrogate.predict_trees(X)
        # counted from the first tree, equal trees have no spread, not even from rounding
        return Sums(np.asarray((weights @ (by_tree - by_tree[:, :1])).std(axis=1)))
    return None
