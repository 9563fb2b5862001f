"""The compiled sums over kernels that densities are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.models._compiled import compiled
from hpo_explain.space import Array, Ints

Sources = npt.NDArray[np.uint8]

_CHUNK = 256  # kernels at a time: what a walk needs of them stays in the processor's first cache


@compiled()
def normal_logs(
    values: Array, mu: Array, inverse: Array, constant: Array
) -> Array:
    """Return ``constant - z²/2`` with ``z = (value - mu) · inverse``, (n, K)."""
    out = np.empty((len(values), len(mu)))
    for i in range(len(values)):
        for k in range(len(mu)):
            z = (values[i] - mu[k]) * inverse[k]
            out[i, k] = constant[k] - 0.5 * z * z
    return out


@compiled(fastmath={"reassoc", "contract", "nsz", "nnan"})
def _exp_128(r: float) -> float:
    """Return ``exp(r)^128`` for r near 0, by its series.

    A loop of products is vectorized over kernels, the library's exp is not.
    """
    e = 1.0 / 479001600 * r + 1.0 / 39916800
    e = e * r + 1.0 / 3628800
    e = e * r + 1.0 / 362880
    e = e * r + 1.0 / 40320
    e = e * r + 1.0 / 5040
    e = e * r + 1.0 / 720
    e = e * r + 1.0 / 120
    e = e * r + 1.0 / 24
    e = e * r + 1.0 / 6
    e = e * r + 0.5
    e = e * r + 1.0
    e = e * r + 1.0
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return e


@compiled(fastmath={"reassoc", "contract", "nsz", "nnan"})
def log_sum_of(logs: Array, least: float) -> float:
    """Return ``log Σ_k exp(logs_k)``, at least `least`, for `logs` of shape (K,)."""
    largest = least
    for k in range(len(logs)):
        largest = logs[k] if logs[k] > largest else largest
    # exp(v) = exp(v / 128)^128, and a kernel below exp(-45) does not change the sum
    total = 0.0
    for k in range(len(logs)):
        r = logs[k] - largest
        total += _exp_128((r if r > -45.0 else -45.0) * 0.0078125)
    return float(max(np.log(total) + largest, least))


@compiled(fastmath={"reassoc", "contract", "nsz"})
def log_sums(
    base: Array,
    values: Array,
    mu: Array,
    inverse: Array,
    constant: Array,
    least: float,
) -> Array:
    """Return ``log Σ_k exp(base_k + Σ_j constant_jk - z_jk²/2)``, (n,), at least `least`.

    `base` has one row, or one per row of values; `values` (c, n) are NaN where hyperparameter j
    is inactive; the other arguments are (c, K).
    """
    c, n = values.shape
    kernels = base.shape[1]
    out = np.empty(n)
    logs = np.empty(kernels)
    for i in range(n):
        own = base[i if len(base) > 1 else 0]
        # an array as a whole takes 4 s more to compile
        for k in range(kernels):
            logs[k] = own[k]
        for j in range(c):
            value = values[j, i]
            if not np.isnan(value):
                for k in range(kernels):
                    z = (value - mu[j, k]) * inverse[j, k]
                    logs[k] += constant[j, k] - 0.5 * z * z
        out[i] = log_sum_of(logs, least)
    return out


@compiled(fastmath={"reassoc", "contract", "nsz", "nnan"})
def scaled_exp(logs: Array, shift: float, out: Array) -> None:
    """Write ``exp(logs - shift)`` to `out`, each of shape (K,), for no log above `shift`."""
    for k in range(len(logs)):
        # exp(v) = exp(v / 2048)^2048
        r = logs[k] - shift
        e = _exp_128((r if r > -700.0 else -700.0) * 0.00048828125)
        e *= e
        e *= e
        e *= e
        e *= e
        out[k] = e


@compiled(fastmath={"reassoc", "contract", "nsz"})
def walked_log_sums(
    log_weights: Array,
    values: Array,
    mu: Array,
    inverse: Array,
    constant: Array,
    table: Array,
    place: Ints,
    sources: Sources,
    least: float,
) -> Array:
    """Return ``log Σ_k w_k Π_j κ_jk`` at each step of walks, (n, w, steps).

    A hyperparameter's source may change at any step. Most change once, from the background to the
    explained row: the product over those that have, and over those that have not, is one factor
    longer or shorter from one step to the next.

    Parameters
    ----------
    log_weights : ndarray of shape (K,)
        Logarithms of the weights.
    values : ndarray of shape (c, 1 + n)
        The explained row, then the background rows; NaN where a kernel is left out.
    mu, inverse, constant : ndarray of shape (c, K)
        The kernels that are parabolas, as in `log_sums`.
    table : ndarray of shape (r, K)
        The logarithms of the other kernels.
    place : ndarray of int, shape (c, 1 + n)
        The row of `table` where a kernel is given there, else -1.
    sources : ndarray of shape (n, w, steps, c)
        Where each value comes from: 0 the background row, 1 the explained row, 2 inactive.
    least : float
        The smallest sum.
    """
    n, walks, steps, c = sources.shape
    kernels = len(log_weights)
    out = np.empty((n, walks, steps))
    logs = np.zeros((3, c, kernels))  # by source
    shift = np.zeros((3, c))
    factor = np.ones((3, c, kernels))
    weights = np.exp(log_weights)
    joins = np.empty(steps, np.int64)
    others = np.empty(c, np.int64)
    total = np.empty(steps)
    behind = np.empty(_CHUNK)
    ahead = np.empty((steps, _CHUNK))
    ones = np.ones(_CHUNK)
    for i in range(-1, n):
        source = 0 if i >= 0 else 1
        for j in range(c):
            if place[j, i + 1] >= 0:
                own = table[place[j, i + 1]]
                for k in range(kernels):
                    logs[source, j, k] = own[k]
            elif np.isnan(values[j, i + 1]):
                logs[source, j] = 0.0
            else:
                for k in range(kernels):
                    z = (values[j, i + 1] - mu[j, k]) * inverse[j, k]
                    logs[source, j, k] = constant[j, k] - 0.5 * z * z
            # the largest kernel counts as 1, so that products do not underflow
            shift[source, j] = max(logs[source, j].max(), least)
            scaled_exp(logs[source, j], shift[source, j], factor[source, j])
        for w in range(walks if i >= 0 else 0):
            of = sources[i, w]
            joins[:] = -1
            n_others = 0
            for j in range(c):
                changes = 0
                joined = 0
                for s in range(1, steps):
                    if of[s, j] != of[s - 1, j]:
                        changes += 1
                        joined = s
                if changes == 1 and of[0, j] == 0 and of[joined, j] == 1:
                    joins[joined] = j
                else:
                    others[n_others] = j
                    n_others += 1
            total[:] = 0.0
            for start in range(0, kernels, _CHUNK):
                size = min(_CHUNK, kernels - start)
                end = start + size
                ahead[steps - 1] = 1.0
                for s in range(steps - 1, 0, -1):
                    after = ahead[s]
                    rest = ahead[s - 1]
                    b = (
                        ones
                        if joins[s] < 0
                        else factor[0, joins[s], start:end]
                    )
                    for k in range(size):
                        rest[k] = after[k] * b[k]
                for k in range(size):
                    behind[k] = weights[start + k]
                for s in range(steps):
                    rest = ahead[s]
                    for m in range(n_others):
                        here = factor[of[s, others[m]], others[m], start:end]
                        for k in range(size):
                            rest[k] *= here[k]
                    a = (
                        ones
                        if joins[s] < 0
                        else factor[1, joins[s], start:end]
                    )
                    part = 0.0
                    for k in range(size):
                        behind[k] *= a[k]
                        part += behind[k] * rest[k]
                    total[s] += part
            for s in range(steps):
                if total[s] > 1e-290:
                    value = np.log(total[s])
                    for j in range(c):
                        value += shift[of[s, j], j]
                else:  # added as logarithms, where the product underflows
                    whole = log_weights.copy()
                    for j in range(c):
                        whole += logs[of[s, j], j]
                    value = log_sum_of(whole, least)
                out[i, w, s] = max(value, least)
    return out


@compiled()
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
