"""Squared distances and the profiles of kernels, compiled.

Squared distances of rows whose columns are numbers or categories.

A category is one column, its number: two categories are as far apart as the two ends of a number's
range, whichever they are. One-hot columns would say the same, but there would be 5,000 of 5,000
categories. An inactive category stands amid all of K: ``(1 - 1/K) / 2`` from each, squared.

Stationary covariances of a dissimilarity, compiled: each passes over its numbers once.

The exponential is our own, because explanations are 1.5 times as fast as with `math.exp`, and 1.2
(on processors with AVX-512) or 1.8 times (without) as fast as with `numpy.exp`:
tests/benchmarks/test_profiles.py. It is the usual one: split off a power of two, then a polynomial
on ``|r| ≤ log(2) / 2``, here Taylor's to degree 13, whose remainder is below 1e-17 [1]_. It is
written out so that the compiler works on several numbers at a time, which it cannot do through a
library's function. It is within 2 units in the last place.

.. [1] Muller, J.-M. (2016). Elementary Functions, 3rd edition. Birkhäuser. Chapter 11.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numba
import numpy as np

from hpo_explain.models._compiled import compiled
from hpo_explain.space import Array

INACTIVE_CATEGORY = -1.0


def squared_distances(Z: Array, T: Array, weight: Array, amid: Array) -> Array:
    """Return the weighted squared distances (n, m) of rows (n, p) and (m, p).

    Parameters
    ----------
    Z, T : ndarray of shape (n, p), (m, p)
        Columns as `KernelColumns` returns them.
    weight : ndarray of shape (p,)
        What a distance in a column is multiplied by.
    amid : ndarray of shape (p,)
        For a column of categories the squared distance of an inactive one to any other, 0 for a
        number.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.0, 3.0], [0.5, 3.0], [0.5, 0.0], [0.5, -1.0]])
    >>> squared_distances(rows, rows, np.array([2.0, 1.0]), np.array([0.0, 0.375])).tolist()[0]
    [0.0, 1.0, 2.0, 1.375]
    """
    out = np.zeros((len(Z), len(T)))
    numbers = np.where(amid > 0.0, 1.0, weight)
    _add_up(
        np.ascontiguousarray(Z * numbers),
        np.ascontiguousarray((T * numbers).T),
        np.square(weight),
        amid,
        out,
    )
    return out


def squares_by_column(Z: Array, amid: Array) -> Array:
    """Return the squared distances of all pairs of rows in each column, (p, number of pairs)."""
    from scipy.spatial.distance import squareform

    one = np.ones(1)
    squares = [
        squareform(
            squared_distances(Z[:, [c]], Z[:, [c]], one, amid[[c]]),
            checks=False,
        )
        for c in range(Z.shape[1])
    ]
    return np.array(squares)


@compiled()
def _add_up(
    Z: Array, T: Array, weight: Array, amid: Array, out: Array
) -> None:
    """Add the squares of each column to (n, m): of rows (n, p) and of columns (p, m)."""
    n, p = Z.shape
    m = T.shape[1]
    for i in range(n):
        row = out[i]
        for c in range(p):
            z = Z[i, c]
            column = T[c]
            if amid[c] == 0.0:
                for k in range(m):
                    away = z - column[k]
                    row[k] += away * away
                continue
            near = weight[c] * amid[c]
            if z < 0.0:
                for k in range(m):
                    row[k] += near if column[k] >= 0.0 else 0.0
                continue
            for k in range(m):
                other = near if column[k] < 0.0 else weight[c]
                row[k] += 0.0 if column[k] == z else other


Profile = Callable[[Array], None]
"""Turns the dissimilarities q, (n,) and contiguous, into covariances in place."""

_SQRT3 = np.sqrt(3.0)
_LOG2_E = 1.4426950408889634

_compiled = compiled(fastmath={"contract"})


def _exp_of(
    real: Any,
    integer: Any,
    digits: int,
    least: float,
    log_2: tuple[float, float],
    degree: int,
) -> Any:
    """Return exp(x) for x ≤ 0, to be compiled; what is smaller than `least` counts as that.

    `log_2` is log(2) in two parts, the leading bits first: their products with small integers are
    exact. Of less than `least` the exponential has no full precision.
    """
    low, log2_e, first, rest = map(real, (least, _LOG2_E, *log_2))
    # adding it leaves the nearest integer in the last bits
    shift = real(1.5 * 2.0**digits)
    bits_below = integer(digits)
    taylor = tuple(real(1.0 / factorial(i)) for i in range(degree, -1, -1))

    @numba.njit(inline="always")
    def exp(x: Any) -> Any:
        x = low if x < low else x  # max takes the compiler longer
        shifted = x * log2_e + shift
        power = shifted - shift
        r = x - power * first
        r = r - power * rest
        p = taylor[0]
        for coefficient in taylor[1:]:
            p = p * r + coefficient
        bits = real(p).view(integer) + (
            real(shifted).view(integer) << bits_below
        )
        return integer(bits).view(real)

    return exp


_exp = _exp_of(
    np.float64,
    np.int64,
    52,
    -708.0,
    (0.693147180369123816490, 1.90821492927058770002e-10),
    13,
)
exp_32 = _exp_of(
    np.float32, np.int32, 23, -87.0, (0.693359375, -2.12194440e-4), 7
)
"""The same in single precision, within a few units in the last place."""


@_compiled
def exponential(q: Array) -> None:
    """Turn q ≥ 0 into exp(-q)."""
    for i in range(len(q)):
        q[i] = _exp(-q[i])


@_compiled
def matern_1_2(q: Array) -> None:
    """Turn q = s² into exp(-s)."""
    for i in range(len(q)):
        q[i] = _exp(-np.sqrt(q[i]))


@_compiled
def matern_3_2(q: Array) -> None:
    """Turn q = s² into (1 + s) exp(-s)."""
    for i in range(len(q)):
        s = np.sqrt(q[i])
        q[i] = (1.0 + s) * _exp(-s)


@_compiled
def matern_5_2(q: Array) -> None:
    """Turn q = s²/3 into (1 + s + s²/3) exp(-s)."""
    for i in range(len(q)):
        s = _SQRT3 * np.sqrt(q[i])
        q[i] = (1.0 + s + q[i]) * _exp(-s)


def matern(r: Array) -> tuple[Array, Array]:
    """Return m(r), and what ``-dm/dr² ∝ (1 + √5 r) exp(-√5 r)`` is without its factor 5/6."""
    s = np.sqrt(5.0) * r
    decay = np.exp(-s)
    return (1.0 + s + s**2 / 3.0) * decay, (1.0 + s) * decay
