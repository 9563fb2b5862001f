"""Scrambled Sobol points, those of ``scipy.stats.qmc.Sobol``.

To import scipy.stats takes longer than most answers. What it is needed for is a table of
polynomials [1]_, of which the first are here, and thirty lines. Scrambling is a random lower
triangular matrix and a digital shift [2]_.

=====  ==================================================================
V      direction numbers, as integers of 30 bits, (d, 30)
L      a lower triangular matrix of bits for each dimension, (d, 30, 30)
=====  ==================================================================

.. [1] Joe, S. and Kuo, F. Y. (2008). Constructing Sobol sequences with better two-dimensional
   projections. SIAM J. Sci. Comput. 30(5). The table new-joe-kuo-6.
.. [2] Matousek, J. (1998). On the L2-discrepancy for anchored boxes. J. Complexity 14.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.space._values import Array

_BITS = 30
_POLYNOMIALS = (3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59, 61, 67, 91, 97, 103, 109, 115, 131)
_FIRST = (
    (1,),
    (1, 3),
    (1, 3, 1),
    (1, 1, 1),
    (1, 1, 3, 3),
    (1, 3, 5, 13),
    (1, 1, 5, 5, 17),
    (1, 1, 5, 5, 5),
    (1, 1, 7, 11, 19),
    (1, 1, 5, 1, 1),
    (1, 1, 1, 3, 11),
    (1, 3, 5, 5, 31),
    (1, 3, 3, 9, 7, 49),
    (1, 1, 1, 15, 21, 21),
    (1, 3, 1, 13, 27, 49),
    (1, 1, 1, 15, 7, 5),
    (1, 3, 1, 15, 13, 25),
    (1, 1, 5, 5, 19, 61),
    (1, 3, 7, 11, 23, 15, 103),
)


def sobol(d: int, n: int, seed: int) -> Array:
    """Return the first n points of a scrambled Sobol sequence in [0, 1)^d, (n, d).

    Examples
    --------
    >>> ((sobol(2, 8, seed=0) * 8).astype(int)[:, 0] + 1).sum()  # one point in each eighth
    np.int64(36)
    """
    if d > len(_FIRST) + 1:
        from scipy.stats import qmc

        return qmc.Sobol(d, seed=seed).random(n)
    rng = np.random.default_rng(seed)
    weights = 1 << np.arange(_BITS)
    shift = rng.integers(2, size=(d, _BITS), dtype=np.uint32) @ weights
    L = np.tril(rng.integers(2, size=(d, _BITS, _BITS), dtype=np.uint32))
    L[:, range(_BITS), range(_BITS)] = 1
    V = np.array([_directions(j) for j in range(d)])
    # the highest first, (d, 30, 30)
    of_bits = (V[:, None, :] >> np.arange(_BITS)[::-1, None]) & 1
    V = np.einsum("drb,dbj->drj", L, of_bits) % 2
    V = np.einsum("drj,r->dj", V, weights[::-1])
    gray = np.arange(n) ^ (np.arange(n) >> 1)
    points = np.tile(shift, (n, 1))
    for j in range(n.bit_length()):
        points[(gray >> j) & 1 == 1] ^= V[:, j]
    return points / float(1 << _BITS)


def _directions(j: int) -> list[int]:
    """Return the direction numbers of a dimension."""
    v = [1] * _BITS
    if j > 0:
        polynomial = _POLYNOMIALS[j - 1]
        first = _FIRST[j - 1]
        m = len(first)
        v[:m] = first
        for i in range(m, _BITS):
            v[i] = v[i - m]
            for k in range(1, m + 1):
                v[i] ^= (((polynomial >> (m - k)) & 1) << k) * v[i - k]
    return [one << (_BITS - 1 - i) for i, one in enumerate(v)]
