"""Covariances whose dissimilarity is a sum over columns, evaluated from parts of that sum.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
q          dissimilarity of two rows: a sum over columns, such as ``Σ_c (z_c - t_c)² / ℓ_c²``
k          covariance: a profile of q, or sums and products of such
=========  ============================================================================

Because q is a sum, the q of a row composed of two others is the sum of two parts that are each
known: no composed row is ever formed. What would be a factor of every number (in q, or in k) is
kept as one number, and profiles work in place: they are bound by memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.space import Array

_SQRT3 = np.sqrt(3.0)

Profile = Callable[[Array, Array], None]
"""Turns q into a covariance in place, with a second array of its shape to work in."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """One stationary kernel: its dissimilarity per column and its profile."""

    weight: Array
    """What a column is multiplied by, or the rate of its Hamming distance."""
    hamming: bool
    coefficient: float
    """Factor of q that the profile wants to see."""
    profile: Profile

    def dissimilarity(self, Z: Array, T: Array, columns: npt.NDArray[np.int64]) -> Array:
        """Return the part (n, m) of q that comes from some columns, times the coefficient."""
        if not len(columns):
            return np.zeros((len(Z), len(T)))
        weight = self.weight[columns]
        if self.hamming:
            q = np.zeros((len(Z), len(T)))
            for c, w in zip(columns, weight, strict=True):
                q += w * (Z[:, c][:, None] != T[:, c][None, :])
        else:
            q = np.asarray(cdist(Z[:, columns] * weight, T[:, columns] * weight, "sqeuclidean"))
        return q * self.coefficient


@dataclass(frozen=True, eq=False)
class SplitKernel:
    """A covariance in terms of the q of its leaves."""

    leaves: tuple[Leaf, ...]
    combine: Callable[[Sequence[Array], Array], Array]
    """Covariance from one q per leaf, up to the factor; overwrites them and a further array."""
    factor: float = 1.0


def _exponential(q: Array, _: Array) -> None:
    np.exp(q, out=q)


def _matern_1_2(q: Array, _: Array) -> None:
    np.sqrt(q, out=q)
    np.negative(q, out=q)
    np.exp(q, out=q)


def _matern_3_2(q: Array, e: Array) -> None:
    """Turn q = s² into (1 + s) exp(-s)."""
    np.sqrt(q, out=q)
    np.negative(q, out=e)
    np.exp(e, out=e)
    q += 1.0
    q *= e


def _matern_5_2(q: Array, e: Array) -> None:
    """Turn q = s²/3 into (1 + s + s²/3) exp(-s)."""
    np.sqrt(q, out=e)
    e *= -_SQRT3
    q -= e
    q += 1.0
    np.exp(e, out=e)
    q *= e


def split_kernel(kernel: Any, n_columns: int) -> SplitKernel | None:
    """Return a kernel in terms of the dissimilarities of its leaves, or None if it is not of them.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel
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
    name = type(kernel).__name__
    if name in ("Sum", "Product"):
        first, second = split_kernel(kernel.k1, n_columns), split_kernel(kernel.k2, n_columns)
        if first is None or second is None:
            return None
        if not first.leaves:
            first, second = second, first
        return _sum(first, second) if name == "Sum" else _product(first, second)
    if name == "ConstantKernel":
        return _constant(float(kernel.constant_value))
    if name == "WhiteKernel":
        return _constant(0.0)
    return _leaf(kernel, name, n_columns)


def _constant(value: float) -> SplitKernel:
    def ones(_: Sequence[Array], target: Array) -> Array:
        target.fill(1.0)
        return target

    return SplitKernel((), ones, value)


def _product(first: SplitKernel, second: SplitKernel) -> SplitKernel:
    factor = first.factor * second.factor
    if not second.leaves:
        return replace(first, factor=factor)
    n = len(first.leaves)

    def combine(q: Sequence[Array], spare: Array) -> Array:
        k = first.combine(q[:n], spare)
        k *= second.combine(q[n:], spare)
        return k

    return SplitKernel(first.leaves + second.leaves, combine, factor)


def _sum(first: SplitKernel, second: SplitKernel) -> SplitKernel:
    if not second.leaves and second.factor == 0.0:
        return first
    n = len(first.leaves)

    def combine(q: Sequence[Array], spare: Array) -> Array:
        k = first.combine(q[:n], spare)
        k *= first.factor
        if second.leaves:
            other = second.combine(q[n:], spare)
            other *= second.factor
            k += other
        else:
            k += second.factor
        return k

    return SplitKernel(first.leaves + second.leaves, combine)


def _leaf(kernel: Any, name: str, n_columns: int) -> SplitKernel | None:
    if name == "HammingKernel":
        rates = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), (n_columns,))
        return _of_leaf(Leaf(rates, True, -1.0, _exponential))
    scales = np.asarray(getattr(kernel, "length_scale", 1.0), dtype=float)
    if name == "GroupedMatern":
        scales = np.atleast_1d(scales)[kernel.groups]  # scikit-learn makes a single one a scalar
    weight = 1.0 / np.broadcast_to(scales, (n_columns,))
    if name == "RationalQuadratic":
        alpha = float(kernel.alpha)

        def rational_quadratic(q: Array, _: Array) -> None:
            q += 1.0
            np.power(q, -alpha, out=q)

        return _of_leaf(Leaf(weight, False, 0.5 / alpha, rational_quadratic))
    nu = {"RBF": np.inf, "GroupedMatern": 2.5}.get(name, getattr(kernel, "nu", None))
    if name not in ("RBF", "GroupedMatern", "Matern") or nu not in _MATERN:
        return None
    coefficient, profile = _MATERN[nu]
    return _of_leaf(Leaf(weight, False, coefficient, profile))


_MATERN: dict[float, tuple[float, Profile]] = {
    0.5: (1.0, _matern_1_2),
    1.5: (3.0, _matern_3_2),
    2.5: (5.0 / 3.0, _matern_5_2),
    np.inf: (-0.5, _exponential),
}
"""By smoothness ν: factor of q and profile."""


def _of_leaf(leaf: Leaf) -> SplitKernel:
    def combine(q: Sequence[Array], spare: Array) -> Array:
        leaf.profile(q[0], spare)
        return q[0]

    return SplitKernel((leaf,), combine)
