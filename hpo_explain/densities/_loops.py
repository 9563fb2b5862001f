"""The compiled sums over kernels that densities are made of."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

Ints = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def normal_logs(values: Array, mu: Array, inverse: Array, constant: Array) -> Array:
    """Return ``constant - z²/2`` with ``z = (value - mu) · inverse``, (n, K)."""
    found = np.empty((len(values), len(mu)))
    for i in range(len(values)):
        for k in range(len(mu)):
            z = (values[i] - mu[k]) * inverse[k]
            found[i, k] = constant[k] - 0.5 * z * z
    return found


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def log_sums(
    base: Array, values: Array, mu: Array, inverse: Array, constant: Array, least: float
) -> Array:
    """Return ``log Σ_k exp(base_k + Σ_j constant_jk - z_jk²/2)``, (n,), at least `least`.

    `base` has one row, or one per row of values; `values` (c, n) are NaN where hyperparameter j
    is inactive; the other arguments are (c, K).
    """
    c, n = values.shape
    kernels = base.shape[1]
    found = np.empty(n)
    logs = np.empty(kernels)
    for i in range(n):
        logs[:] = base[i if len(base) > 1 else 0]
        for j in range(c):
            value = values[j, i]
            if not np.isnan(value):
                for k in range(kernels):
                    z = (value - mu[j, k]) * inverse[j, k]
                    logs[k] += constant[j, k] - 0.5 * z * z
        largest = logs.max()
        if largest == -np.inf:
            found[i] = least
            continue
        # A loop of products is vectorized over kernels, the library's exp is not:
        # exp(v) = exp(v / 128)^128, and a kernel below exp(-45) does not change the sum.
        total = 0.0
        for k in range(kernels):
            r = max(logs[k] - largest, -45.0) * 0.0078125
            e = 1.0 + r * (1.0 / 12)
            e = 1.0 + r * e * (1.0 / 11)
            e = 1.0 + r * e * (1.0 / 10)
            e = 1.0 + r * e * (1.0 / 9)
            e = 1.0 + r * e * (1.0 / 8)
            e = 1.0 + r * e * (1.0 / 7)
            e = 1.0 + r * e * (1.0 / 6)
            e = 1.0 + r * e * (1.0 / 5)
            e = 1.0 + r * e * (1.0 / 4)
            e = 1.0 + r * e * (1.0 / 3)
            e = 1.0 + r * e * (1.0 / 2)
            e = 1.0 + r * e
            e *= e
            e *= e
            e *= e
            e *= e
            e *= e
            e *= e
            e *= e
            total += e
        found[i] = max(np.log(total) + largest, least)
    return found


@numba.njit(cache=True, nogil=True)
def products(a: Array, b: Array) -> Array:
    """Return the product of a or b over each subset, (2^g, K): bit j of the row takes a[j]."""
    g, kernels = a.shape
    table = np.ones((2**g, kernels))
    size = 1
    for j in range(g):
        for p in range(size):
            for k in range(kernels):
                table[size + p, k] = table[p, k] * a[j, k]
                table[p, k] *= b[j, k]
        size *= 2
    return table


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def sums_of_products(weights: Array, a: Array, b: Array, ends: Ints, codes: Ints) -> Array:
    """Return ``Σ_k w_k Π_j (a_jk or b_jk)`` for each coalition, (n, m).

    Parameters
    ----------
    weights : ndarray of shape (K,)
        The weights w.
    a : ndarray of shape (c, K)
        Kernels at the explained row.
    b : ndarray of shape (c, n, K)
        Kernels at the background rows.
    ends : ndarray of int, shape (number of groups + 1,)
        Where each group of hyperparameters begins.
    codes : ndarray of int, shape (number of groups, m)
        Which hyperparameters of a group are in the coalition, as bits.
    """
    n, kernels = b.shape[1], b.shape[2]
    groups, m = codes.shape
    found = np.empty((n, m))
    for i in range(n):
        first = products(a[: ends[1]], b[: ends[1], i])
        for p in range(len(first)):
            for k in range(kernels):
                first[p, k] *= weights[k]
        tables = [first]
        for t in range(1, groups):
            tables.append(products(a[ends[t] : ends[t + 1]], b[ends[t] : ends[t + 1], i]))
        product = np.empty(kernels)
        for s in range(m):
            product[:] = tables[0][codes[0, s]]
            for t in range(1, groups - 1):
                row = tables[t][codes[t, s]]
                for k in range(kernels):
                    product[k] *= row[k]
            total = 0.0
            if groups > 1:
                last = tables[groups - 1][codes[groups - 1, s]]
                for k in range(kernels):
                    total += product[k] * last[k]
            else:
                for k in range(kernels):
                    total += product[k]
            found[i, s] = total
    return found
