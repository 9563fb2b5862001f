"""Covariances whose dissimilarity is a sum over columns, evaluated from parts of that sum.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
q          dissimilarity of two rows: a sum over columns, such as ``Σ_c (z_c - t_c)² / ℓ_c²``
k          covariance: a profile of q, or sums and products of such
=========  ============================================================================

Because q is a sum, the q of a row composed of two others is the sum of two parts that are each
known: no composed row is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.space import Array

Profile = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Leaf:
    """One stationary kernel: its dissimilarity per column and its profile."""

    weight: Array
    """Factor of each column: 1/ℓ² of a squared distance, or the rate of a Hamming one."""
    hamming: bool
    profile: Profile
    """Covariance from q; may overwrite q."""

    def dissimilarity(self, Z: Array, T: Array, columns: npt.NDArray[np.int64]) -> Array:
        """Return the part (n, m) of q that comes from some columns."""
        weight = self.weight[columns]
        if self.hamming:
            q = np.zeros((len(Z), len(T)))
            for c, w in zip(columns, weight, strict=True):
                q += w * (Z[:, c][:, None] != T[:, c][None, :])
            return q
        if not len(columns):
            return np.zeros((len(Z), len(T)))
        root = np.sqrt(weight)
        return np.asarray(cdist(Z[:, columns] * root, T[:, columns] * root, "sqeuclidean"))


@dataclass(frozen=True, eq=False)
class SplitKernel:
    """A covariance in terms of the q of its leaves."""

    leaves: tuple[Leaf, ...]
    combine: Callable[[Sequence[Array]], Any]
    """Covariance from one q per leaf; may overwrite them."""


def _matern(nu: float) -> Profile | None:
    if nu == 0.5:
        return lambda q: np.exp(-np.sqrt(q))
    if nu == 1.5:
        return _matern_3_2
    if nu == 2.5:
        return _matern_5_2
    if nu == np.inf:
        return _rbf
    return None


def _rbf(q: Array) -> Array:
    q *= -0.5
    return np.exp(q, out=q)


def _matern_3_2(q: Array) -> Array:
    q *= 3.0
    r = np.sqrt(q, out=q)
    e = np.exp(-r)
    r += 1.0
    r *= e
    return r


def _matern_5_2(q: Array) -> Array:
    q *= 5.0
    r = np.sqrt(q)
    q *= 1.0 / 3.0
    q += r
    q += 1.0
    np.negative(r, out=r)
    np.exp(r, out=r)
    q *= r
    return q


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
        return _joined(first, second, np.add if name == "Sum" else np.multiply)
    if name == "ConstantKernel":
        constant = float(kernel.constant_value)
        return SplitKernel((), lambda _: constant)
    if name == "WhiteKernel":
        return SplitKernel((), lambda _: 0.0)
    leaf = _leaf(kernel, name, n_columns)
    return None if leaf is None else SplitKernel((leaf,), lambda q: leaf.profile(q[0]))


def _joined(first: SplitKernel, second: SplitKernel, ufunc: Callable[..., Any]) -> SplitKernel:
    n = len(first.leaves)

    def combine(q: Sequence[Array]) -> Any:
        a, b = first.combine(q[:n]), second.combine(q[n:])
        for target in (a, b):
            if isinstance(target, np.ndarray):
                return ufunc(a, b, out=target)
        return ufunc(a, b)

    return SplitKernel(first.leaves + second.leaves, combine)


def _leaf(kernel: Any, name: str, n_columns: int) -> Leaf | None:
    if name == "HammingKernel":
        rates = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), (n_columns,))
        return Leaf(np.array(rates), True, lambda q: np.exp(-q))
    profile: Profile | None = None
    if name in ("Matern", "GroupedMatern"):
        profile = _matern(float(getattr(kernel, "nu", 2.5)))
    elif name == "RBF":
        profile = _rbf
    elif name == "RationalQuadratic":
        alpha = float(kernel.alpha)
        profile = lambda q: (1.0 + q / (2.0 * alpha)) ** -alpha  # noqa: E731
    if profile is None:
        return None
    scales = np.asarray(kernel.length_scale, dtype=float)
    if name == "GroupedMatern":
        scales = np.atleast_1d(scales)[kernel.groups]  # scikit-learn makes a single one a scalar
    return Leaf(1.0 / np.broadcast_to(scales, (n_columns,)) ** 2, False, profile)
