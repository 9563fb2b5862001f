"""The posterior of a Gaussian process at rows of which a few columns take the values of a grid.

Our own, because scikit-learn's takes over 15 times as long for the standard deviation of a partial
dependence (tests/benchmarks/test_partial_dependence.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
n, G, m    numbers of rows, of grid points, and of trials
q          dissimilarity with each trial, a sum over columns: that of what stays, (n, m), plus
           that of what takes the values of the grid, (G, m)
k          covariance with the trials; mean ``k α``, variance ``k(z, z) - |k L⁻ᵀ|²`` [1]_
=========  ============================================================================

No row is composed, and each block of numbers stays in the cache until all is done with it.

.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Algorithm 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from hpo_explain.base import one_blas_thread
from hpo_explain.models._split_kernel import SplitKernel, Whitening
from hpo_explain.models._threads import check_wanted, in_parts
from hpo_explain.space import Array, Bools

T = TypeVar("T")

_WORK = 120_000  # numbers of k at once: threads wait for one another between fewer, longer steps


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """Rows and the values that some of their columns take, all as the process sees them."""

    kernel: SplitKernel
    train: Array
    rows: Array
    """(n, p)"""
    values: Array
    """(G, p); only the columns `moving` count."""
    moving: Bools

    def predict(
        self, alpha: Array, cholesky: Array, prior: float
    ) -> tuple[Array, Array]:
        """Return standardized mean and variance, each (n, G)."""
        whitening = Whitening(cholesky)
        factor = self.kernel.factor
        mean = np.empty((len(self.rows), len(self.values)))
        variance = np.empty_like(mean)

        def work(part: slice) -> list[None]:
            for here, g, k in self._covariances(part):
                mean[here, g] = k @ alpha
                variance[here, g] = whitening.explained(k)
            return []

        self._in_threads(work)
        mean *= factor
        variance *= -(factor**2)
        variance += prior
        return mean, variance

    def mean_covariance(self) -> Array:
        """Return the mean over rows of their covariance with each trial, (G, m)."""

        def work(part: slice) -> list[Array]:
            total = np.zeros((len(self.values), len(self.train)))
            for _, g, k in self._covariances(part):
                total[g] += k.sum(axis=0)
            return [total]

        total = np.sum(self._in_threads(work), axis=0)
        return np.asarray(total * (self.kernel.factor / len(self.rows)))

    def _covariances(self, part: slice) -> Iterator[tuple[slice, int, Array]]:
        """Yield rows, the place of a grid point, and k, which the next one overwrites."""
        length = max(1, min(part.stop - part.start, _WORK // len(self.train)))
        q = np.empty((len(self.kernel.leaves), length, len(self.train)))
        staying = np.flatnonzero(~self.moving)
        for start in range(part.start, part.stop, length):
            here = slice(start, min(start + length, part.stop))
            size = here.stop - here.start
            of_rows = [
                leaf.dissimilarity(self.rows[here], self.train, staying)
                for leaf in self.kernel.leaves
            ]
            for g in range(len(self.values)):
                check_wanted()
                for target, by_row, by_value in zip(
                    q, of_rows, self._of_values, strict=True
                ):
                    np.add(by_row, by_value[g], out=target[:size])
                yield (
                    here,
                    g,
                    self.kernel.combine([target[:size] for target in q]),
                )

    def _in_threads(self, work: Callable[[slice], list[T]]) -> list[T]:
        with one_blas_thread():  # its threads would compete with ours
            return in_parts(work, len(self.rows), 0)

    @cached_property
    def _of_values(self) -> list[Array]:
        moving = np.flatnonzero(self.moving)
        return [
            leaf.dissimilarity(self.values, self.train, moving)
            for leaf in self.kernel.leaves
        ]
