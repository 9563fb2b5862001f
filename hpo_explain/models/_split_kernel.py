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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from hpo_explain.models._kernel import ScaledMatern
from hpo_explain.models._squares import (
    Profile,
    exponential,
    matern_1_2,
    matern_3_2,
    matern_5_2,
    squared_distances,
)
from hpo_explain.space import Array, Ints


@dataclass(frozen=True, eq=False)
class Leaf:
    """One stationary kernel: its dissimilarity per column and its profile."""

    weight: Array
    """What a column is multiplied by, or the rate of its Hamming distance."""
    hamming: bool
    coefficient: float
    """Factor of q that the profile wants to see."""
    profile: Profile
    amid: Array
    """What tells columns of categories from numbers, as of `squared_distances`."""

    def dissimilarity(
        self, Z: Array, T: Array, columns: Ints, *, out: Array | None = None
    ) -> Array:
        """Return the part (n, m) of q that comes from some columns, times the coefficient.

        Into `out` where that is given.
        """
        weight = self.weight[columns]
        if self.hamming:
            q = np.zeros((len(Z), len(T)))
            for c, w in zip(columns, weight, strict=True):
                q += w * (Z[:, c][:, None] != T[:, c][None, :])
        else:
            q = squared_distances(
                Z[:, columns], T[:, columns], weight, self.amid[columns]
            )
        return np.multiply(q, self.coefficient, out=q if out is None else out)


@dataclass(frozen=True, eq=False)
class SplitKernel:
    """A covariance in terms of the q of its leaves."""

    leaves: tuple[Leaf, ...]
    combine: Callable[[Sequence[Array]], Array]
    """Covariance from one q per leaf, (n, m), up to the factor; overwrites them."""
    factor: float = 1.0

    def __call__(self, Z: Array, T: Array) -> Array:
        """Return the covariance, (n, m), of rows (n, p) and (m, p)."""
        columns = np.arange(Z.shape[1])
        k = self.combine(
            [leaf.dissimilarity(Z, T, columns) for leaf in self.leaves]
        )
        k *= self.factor
        return k


def split_kernel(kernel: Any, n_columns: int) -> SplitKernel | None:
    """Return a kernel in terms of the dissimilarities of its leaves; None if a leaf has none.

    Parameters
    ----------
    kernel : ScaledMatern or sklearn.gaussian_process.kernels.Kernel
        Sums and products of constants, white noise (left out: it is 0 between different rows),
        and Matérn (ν = 1/2, 3/2, 5/2, ∞), RBF, rational quadratic or Hamming kernels; also those
        of skopt.
    n_columns : int
        Number of columns.

    Returns
    -------
    SplitKernel or None
        The covariance, white noise excluded.
    """
    if isinstance(kernel, ScaledMatern):
        leaf = _leaf(kernel, "MixedMatern", n_columns)
        return None if leaf is None else replace(leaf, factor=kernel.signal)
    name = type(kernel).__name__
    if name in ("Sum", "Product"):
        first = split_kernel(kernel.k1, n_columns)
        second = split_kernel(kernel.k2, n_columns)
        if first is None or second is None:
            return None
        if not first.leaves:
            first, second = second, first
        return (
            _sum(first, second) if name == "Sum" else _product(first, second)
        )
    if name == "ConstantKernel":
        return _constant(float(kernel.constant_value))
    if name == "WhiteKernel":
        return _constant(0.0)
    return _leaf(kernel, name, n_columns)


def _constant(value: float) -> SplitKernel:
    def never(_: Sequence[Array]) -> Array:
        raise NotImplementedError(
            "A constant has no dissimilarity: it is a factor or a summand."
        )

    return SplitKernel((), never, value)


def _product(first: SplitKernel, second: SplitKernel) -> SplitKernel:
    factor = first.factor * second.factor
    if not second.leaves:
        return replace(first, factor=factor)
    n = len(first.leaves)

    def combine(q: Sequence[Array]) -> Array:
        k = first.combine(q[:n])
        k *= second.combine(q[n:])
        return k

    return SplitKernel(first.leaves + second.leaves, combine, factor)


def _sum(first: SplitKernel, second: SplitKernel) -> SplitKernel:
    if not second.leaves and second.factor == 0.0:
        return first
    n = len(first.leaves)

    def combine(q: Sequence[Array]) -> Array:
        k = first.combine(q[:n])
        k *= first.factor
        if second.leaves:
            other = second.combine(q[n:])
            other *= second.factor
            k += other
        else:
            k += second.factor
        return k

    return SplitKernel(first.leaves + second.leaves, combine)


def _leaf(kernel: Any, name: str, n_columns: int) -> SplitKernel | None:
    numbers = np.zeros(n_columns)
    if name == "HammingKernel":
        rates = np.broadcast_to(
            np.asarray(kernel.length_scale, dtype=float), (n_columns,)
        )
        return _of_leaf(Leaf(rates, True, 1.0, exponential, numbers))
    scales = np.asarray(getattr(kernel, "length_scale", 1.0), dtype=float)
    amid = np.asarray(getattr(kernel, "amid", numbers))
    weight = 1.0 / np.broadcast_to(scales, (n_columns,))
    if name == "RationalQuadratic":
        alpha = float(kernel.alpha)

        def rational_quadratic(q: Array) -> None:
            q += 1.0
            np.power(q, -alpha, out=q)

        return _of_leaf(
            Leaf(weight, False, 0.5 / alpha, rational_quadratic, amid)
        )
    nu = {"RBF": np.inf, "MixedMatern": 2.5}.get(
        name, getattr(kernel, "nu", None)
    )
    if name not in ("RBF", "MixedMatern", "Matern") or nu not in _MATERN:
        return None
    coefficient, profile = _MATERN[nu]
    return _of_leaf(Leaf(weight, False, coefficient, profile, amid))


_MATERN: dict[float, tuple[float, Profile]] = {
    0.5: (1.0, matern_1_2),
    1.5: (3.0, matern_3_2),
    2.5: (5.0 / 3.0, matern_5_2),
    np.inf: (0.5, exponential),
}
"""By smoothness ν: factor of q and profile."""


def _of_leaf(leaf: Leaf) -> SplitKernel:
    def combine(q: Sequence[Array]) -> Array:
        leaf.profile(q[0].reshape(-1))
        return q[0]

    return SplitKernel((leaf,), combine)


_PANEL = 64  # columns of the triangular L⁻ᵀ at once: half of it is zero


class Whitening:
    """Products with L⁻ᵀ: faster than solving anew for every block of rows.

    Parameters
    ----------
    cholesky : ndarray of shape (m, m)
        L, the lower triangle of the Cholesky factorization of the trials' covariance.
    factor : float, default 1.0
        Factor of the covariances that are whitened.
    """

    def __init__(self, cholesky: Array, factor: float = 1.0) -> None:
        m = len(cholesky)
        inverse = solve_triangular(cholesky, factor * np.eye(m), lower=True).T
        self._panels = [
            np.ascontiguousarray(
                inverse[: start + _PANEL, start : start + _PANEL]
            )
            for start in range(0, m, _PANEL)
        ]

    def explained(self, k: Array) -> Array:
        """Return ``|k L⁻ᵀ|²`` for covariances k with the trials, one per row."""
        total = np.zeros(len(k))
        for panel in self._panels:
            v = k[:, : len(panel)] @ panel
            total += np.vecdot(v, v)
        return total


@dataclass(frozen=True, eq=False)
class SplitProcess:
    """A process of which covariances with its n trials are made of parts of hyperparameters."""

    columns: Callable[[Array], Array]
    """From encoded rows (m, d) to its columns (m, p)."""
    owners: Ints
    """The hyperparameter of each column, (p,)."""
    kernel: SplitKernel
    train: Array
    """(n, p)"""
    alpha: Array
    """α times the factor that the kernel leaves out."""
    whitening: Whitening
    prior: float

    def predicted(self, k: Array) -> tuple[Array, Array]:
        """Return standardized mean and variance, each (m,), by covariances (m, n) with trials."""
        return k @ self.alpha, self.prior - self.whitening.explained(k)
