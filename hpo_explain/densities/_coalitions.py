"""A mixture's log-density at the rows that coalitions compose, kernel by kernel.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
A_jk       kernel k of hyperparameter j at the explained row, B_jk(b) at a background row b
S          a coalition: hyperparameters of S take A, the others B, inactive ones 1
p(S, b)    ``Σ_k w_k Π_j (A_jk or B_jk)``
=========  ============================================================================

Each A and B is worked out once. Hyperparameters are taken in groups of few, and in each group every
product that occurs once: with two groups p(S, b) is a matrix product over the kernels.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.densities.mixture import LEAST, log_sum
from hpo_explain.space import Array
from hpo_explain.surrogates._coalitions import EXPLAINED, INACTIVE, Sources

_GROUP = 8  # hyperparameters of a group: 256 products at most
_AT_ONCE = 2_000_000  # numbers held at once: 16 MB


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
        Where each value comes from, for all rows alike or for each.

    Returns
    -------
    ndarray of shape (n, m)
        At least the logarithm of the smallest normal number.
    """
    n, kernels, m = at_b.shape[1], at_b.shape[2], sources.shape[2]
    found = np.empty((n, m))
    alike = len(sources) == 1
    width = kernels * (m if not alike else min(m, 2**_GROUP))
    step = max(1, _AT_ONCE // width)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        if alike:
            found[rows] = _products(at_x, at_b[:, rows], log_weights, sources[0] == EXPLAINED)
        else:
            found[rows] = _sums(at_x, at_b[:, rows], log_weights, sources[rows])
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


def _products(
    at_x: Array,
    at_b: Array,
    log_weights: Array,
    member: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
) -> Array:
    """Return ``log p`` by multiplying kernels, the same coalitions for all rows."""
    c, n, _ = at_b.shape
    # each hyperparameter's largest kernel counts as 1, so that products do not underflow
    shift_x = np.maximum(at_x.max(axis=1), LEAST)
    shift_b = np.maximum(at_b.max(axis=2), LEAST)
    a, b = np.exp(at_x - shift_x[:, None]), np.exp(at_b - shift_b[:, :, None])
    groups = [
        range(start, min(start + size, c))
        for size in [_group_size(c)]
        for start in range(0, c, size)
    ]
    tables, places = [], []
    for group in groups:
        patterns, place = np.unique(member[list(group)].T, axis=0, return_inverse=True)
        table = np.ones((n, len(patterns), at_b.shape[2]))
        for i, j in enumerate(group):
            table *= np.where(patterns[:, i, None], a[j], b[j][:, None, :])
        tables.append(table)
        places.append(place.ravel())
    tables[0] *= np.exp(log_weights)
    if len(tables) == 1:
        total = tables[0].sum(axis=2)[:, places[0]]
    elif len(tables) == 2 and tables[0].shape[1] * tables[1].shape[1] <= 4 * member.shape[1]:
        pairs = tables[0] @ np.swapaxes(tables[1], 1, 2)
        total = pairs[:, places[0], places[1]]
    else:
        total = np.empty((n, member.shape[1]))
        for i in range(n):
            product = tables[0][i, places[0]]
            for table, place in zip(tables[1:], places[1:], strict=True):
                product *= table[i, place]
            total[i] = product.sum(axis=1)
    shifts = shift_b.T @ (~member).astype(float) + shift_x @ member.astype(float)
    with np.errstate(divide="ignore"):
        logs = np.log(total) + shifts
    for i, s in np.argwhere(total <= 1e3 * np.finfo(float).tiny):
        chosen = np.where(member[:, s, None], at_x, at_b[:, i])
        logs[i, s] = log_sum((chosen.sum(axis=0) + log_weights)[None, :])[0]
    return np.asarray(np.maximum(logs, LEAST), dtype=float)


def _group_size(c: int) -> int:
    """Return how many hyperparameters a group has: two groups where two are enough."""
    return max(1, -(-c // max(2, -(-c // _GROUP))))
