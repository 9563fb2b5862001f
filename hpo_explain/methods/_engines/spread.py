"""What a model believes of the values at some rows, and how certain it is of sums of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.asked.explained import Explained
from hpo_explain.base.facts import Fact
from hpo_explain.base.text import declared_fact
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate, std_from_variance
from hpo_explain.space import Array

STD_OVER = declared_fact(
    "gain_std",
    {
        "posterior": "± is half a 95% interval under the model, for all steps at once and without "
        "observation noise",
        "trees": "± is what a 95% interval would be if trees were draws, which they are not",
    },
)


@dataclass(frozen=True, eq=False)
class Belief:
    """The values at some rows by each tree, or their covariance; neither where none is known."""

    by_tree: Array | None
    covariance: Array | None

    @classmethod
    def of(cls, explained: Explained, rows: Array) -> Belief:
        """Return what is known of the values at encoded rows (n, d)."""
        by_tree = explained.by_tree(rows)
        return cls(by_tree, None if by_tree is not None else explained.covariance(rows))

    @property
    def over(self) -> str:
        """What standard deviations are over: "trees", "posterior", or "" where there are none."""
        if self.by_tree is not None:
            return "trees"
        return "" if self.covariance is None else "posterior"

    @property
    def notes(self) -> tuple[Fact, ...]:
        """What ± means."""
        return (STD_OVER(over=self.over),) if self.over else ()

    def std_between(self, first: Any, second: Any) -> Array | None:
        """Return the std of the differences between the values at some rows and at others."""
        a, b = np.atleast_1d(first), np.atleast_1d(second)
        if self.by_tree is not None:
            # counted from the first tree, equal trees have no spread, not even from rounding
            apart = self.by_tree[a] - self.by_tree[b]
            return np.asarray((apart - apart[:, :1]).std(axis=1))
        if self.covariance is None:
            return None
        variance = np.diag(self.covariance)
        return std_from_variance(variance[a] + variance[b] - 2.0 * self.covariance[a, b])

    def std_of(self, weights: Array) -> Array | None:
        """Return the std of weighted sums of the values, (k,) for weights (k, n)."""
        if self.by_tree is not None:
            return np.asarray((weights @ (self.by_tree - self.by_tree[:, :1])).std(axis=1))
        if self.covariance is None:
            return None
        return std_from_variance(np.einsum("ki,ij,kj->k", weights, self.covariance, weights))


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
