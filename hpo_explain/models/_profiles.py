"""Stationary covariances of a dissimilarity, compiled: each passes over its numbers once.

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

import numba
import numpy as np

from hpo_explain.space import Array

Profile = Callable[[Array], None]
"""Turns the dissimilarities q, (n,) and contiguous, into covariances in place."""

_SQRT3 = np.sqrt(3.0)
_LEAST = -708.0  # exp of less has no full precision
_LOG2_E = 1.4426950408889634
_LOG_2 = 0.693147180369123816490  # its leading bits: products with small integers are exact
_LOG_2_REST = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the last bits
_TAYLOR = tuple(1.0 / factorial(i) for i in range(13, -1, -1))

_compiled = numba.njit(cache=True, nogil=True, fastmath={"contract"})


@numba.njit(inline="always")
def _exp(x: float) -> float:
    """Return exp(x) for x ≤ 0; what is smaller than the smallest normal number counts as that."""
    x = max(x, _LEAST)
    shifted = x * _LOG2_E + _ROUND
    power = shifted - _ROUND
    r = x - power * _LOG_2
    r = r - power * _LOG_2_REST
    p = _TAYLOR[0]
    for coefficient in _TAYLOR[1:]:
        p = p * r + coefficient
    bits = np.float64(p).view(np.int64) + (np.float64(shifted).view(np.int64) << 52)
    return np.int64(bits).view(np.float64)


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
