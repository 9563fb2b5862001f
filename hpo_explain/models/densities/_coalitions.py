"""A mixture's log-density at the rows that coalitions compose, kernel by kernel.

Our own, because composing the rows takes 9 times as long (tests/benchmarks/test_shapley.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
A_jk       kernel k of hyperparameter j at the explained row, B_jk(b) at a background row b
S          a coalition: hyperparameters of S take A, the others B, inactive ones 1
p(S, b)    ``Σ_k w_k Π_j (A_jk or B_jk)``
=========  ============================================================================

Each A and B is computed once. Hyperparameters are split into two groups, and the product over each
subset of a group is computed once: p(S, b) is a matrix product over the kernels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.models._coalitions import EXPLAINED, INACTIVE, Sources
from hpo_explain.models.densities._loops import products
from hpo_explain.models.densities.mixture import LEAST, log_sum
from hpo_explain.space import Array

Members = npt.NDArray[np.bool_]

_MOST_PLAYERS = 12  # of products: 64 subsets of each group
_AT_ONCE = 1_000_000  # numbers held at once: 8 MB


def coalition_log_density(at_x: Array, at_b: Array, log_weights: Array, sources: Sources) -> Array:
    """Return ``log p(S, b)``, (n, m).

    Parameters
    ----------
    at_x : ndarray of shape (c, K)
        ``log A``.
    at_b : ndarray of shape (c, n, K)
        ``log B``.
    log_weights : ndarray of shape (K,)
        Logarithms of the weights.
    sources : ndarray of shape (1 or n, c, m)
        Where each value comes from, the same for all rows or for each row.

    Returns
    -------
    ndarray of shape (n, m)
        At least the logarithm of the smallest normal number.
    """
    n, kernels, m = at_b.shape[1], at_b.shape[2], sources.shape[2]
    found = np.empty((n, m))
    explained = (sources == EXPLAINED).any(axis=(0, 2))
    alike = len(sources) == 1 and explained.sum() <= _MOST_PLAYERS
    step = max(1, _AT_ONCE // (m if alike else m * kernels))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        if alike:
            found[rows] = _products(at_x, at_b[:, rows], log_weights, sources[0] == EXPLAINED)
        else:
            here = sources if len(sources) == 1 else sources[rows]
            found[rows] = _sums(at_x, at_b[:, rows], log_weights, here)
    return found


def _sums(at_x: Array, at_b: Array, log_weights: Array, sources: Sources) -> Array:
    """Return ``log p`` by adding logarithms, whatever is active where."""
    explained = np.moveaxis(sources == EXPLAINED, 1, 2).astype(float)
    inactive = np.moveaxis(sources == INACTIVE, 1, 2)
    background = 1.0 - explained - inactive
    logs = explained @ _finite(at_x) + background @ np.moveaxis(_finite(at_b), 0, 1)
    return log_sum(logs + log_weights)


def _finite(logs: Array) -> Array:
    # a product with 0 must be 0 for a kernel that rules a value out as well
    return np.maximum(logs, 1e3 * LEAST)


def _products(at_x: Array, at_b: Array, log_weights: Array, member: Members) -> Array:
    """Return ``log p`` by multiplying kernels, the same coalitions for all rows."""
    # each hyperparameter's largest kernel counts as 1, so that products do not underflow
    shift_x = np.maximum(at_x.max(axis=1), LEAST)
    shift_b = np.maximum(at_b.max(axis=2), LEAST)
    a, b = np.exp(at_x - shift_x[:, None]), np.exp(at_b - shift_b[:, :, None])
    players = member.any(axis=1)
    weights = np.exp(log_weights) * b[~players].prod(axis=0)
    first, second = np.array_split(np.flatnonzero(players), 2)
    pairs = np.stack(
        [
            (products(a[first], b[first, i]) * weights[i]) @ products(a[second], b[second, i]).T
            for i in range(b.shape[1])
        ]
    )
    codes = [(1 << np.arange(len(group))) @ member[group] for group in (first, second)]
    total = pairs[:, codes[0], codes[1]]
    shifts = shift_b.T @ (~member).astype(float) + shift_x @ member.astype(float)
    with np.errstate(divide="ignore"):
        logs = np.log(total) + shifts
    for i, s in np.argwhere(total <= 1e3 * np.finfo(float).tiny):
        chosen = np.where(member[:, s, None], at_x, at_b[:, i])
        logs[i, s] = log_sum((chosen.sum(axis=0) + log_weights)[None, :])[0]
    return np.asarray(np.maximum(logs, LEAST), dtype=float)
