"""Kernels as sums over columns, and processes of which some columns change.

Covariances whose dissimilarity is a sum over columns, evaluated from parts of that sum.

Our own, because scikit-learn's kernels take composed rows, with which an explanation takes 6 times
as long (tests/benchmarks/test_shapley.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
q          dissimilarity of two rows: a sum over columns, such as ``Σ_c (z_c - t_c)² / ℓ_c²``
k          covariance: a profile of q, or sums and products of such
=========  ============================================================================

Because q is a sum, the q of a row composed of two others is the sum of two parts that are each
known: no composed row is ever formed. What would be a factor of every number (in q, or in k) is
kept as one number, and profiles work in place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.models._squares import matern_5_2, squared_distances
from hpo_explain.space import Array

# of a distance: `matern_5_2` takes 5/3 of its square
_ROOT_5_3 = np.sqrt(5.0 / 3.0)


@dataclass(frozen=True, eq=False)
class ScaledMatern:
    """Matérn-5/2 of numbers and categories, times a variance.

    ``k(x, x') = σ² (1 + √5 r + 5/3 r²) exp(-√5 r)`` with ``r² = Σ_c d_c(x_c, x'_c) / ℓ_c²`` and the
    squared distances d of `squared_distances`; of numbers alone it is scikit-learn's ARD Matérn. A
    category has one column and one length-scale, so 5,000 categories cost no more than a number.

    Attributes
    ----------
    signal : float
        σ².
    length_scale : ndarray of shape (p,)
        Length-scales ℓ, in units of the columns.
    amid : ndarray of shape (p,)
        For each column of categories the squared distance of an inactive one, 0 for a number.

    References
    ----------
    .. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
       Learning, Eq. 4.17 and 5.8.
    """

    signal: float
    length_scale: Array
    amid: Array

    @property
    def theta(self) -> Array:
        """The logarithms of its parameters, the signal's first."""
        return np.log([self.signal, *self.length_scale])

    def __call__(self, X: Array, Y: Array | None = None) -> Array:
        """Return the covariances (n, m) of rows with others, or among each other."""
        others = X if Y is None else Y
        weight = _ROOT_5_3 / self.length_scale
        squares = squared_distances(X, others, weight, self.amid)
        return self.signal * matern_5_2(squares)

    def diag(self, X: Array) -> Array:
        """Return the variances (n,) of rows."""
        return np.full(len(X), self.signal)
