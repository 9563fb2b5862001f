"""How certain a model is of sums of its values at some rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate, std_from_variance
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

    Known of models with a joint posterior or trees.
    """
    if isinstance(surrogate, SupportsJoint):
        covariance = surrogate.covariance_of_sums(X, weights)
        return Sums(std_from_variance(np.diag(covariance)), covariance)
    if isinstance(surrogate, ForestSurrogate):
        by_tree = surrogate.predict_trees(X)
        # counted from the first tree, equal trees have no spread, not even from rounding
        return Sums(np.asarray((weights @ (by_tree - by_tree[:, :1])).std(axis=1)))
    return None
