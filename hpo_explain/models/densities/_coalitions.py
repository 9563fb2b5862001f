"""Densities in all coalitions of hyperparameters that are sampled together.

Our own, because composing the rows of 2¹¹ coalitions takes 10 times as long
(tests/benchmarks/test_tpe.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
A_jk       kernel k of hyperparameter j at the explained row, B_jk(b) at a background row b
S          a coalition: hyperparameters of S take A, the others B
p(S, b)    ``Σ_k w_k Π_j (A_jk or B_jk)``
=========  ============================================================================

The hyperparameters are split into two groups, and the product over each subset of a group is
computed once: p(S, b) is a matrix product over the kernels.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.models.densities.mixture import LEAST, log_sum
from hpo_explain.space import Array, Bools

_AT_ONCE = 100_000  # numbers of each group of products: 0.8 MB stay near the processor


def coalition_log_density(at_x: Array, at_b: Array, log_weights: Array, member: Bools) -> Array:
    """Return ``log p(S, b)``, (n, m).

    Parameters
    ----------
    at_x : ndarray of shape (c, K)
        ``log A``.
    at_b : ndarray of shape (c, n, K)
        ``log B``.
    log_weights : ndarray of shape (K,)
        Logarithms of the weights.
    member : ndarray of bool, shape (c, m)
        Which hyperparameters have the explained value in each coalition.

    Returns
    -------
    ndarray of shape (n, m)
        At least the logarithm of the smallest normal number.
    """
    n, kernels = at_b.shape[1:]
    products = 2 ** -(-len(at_x) // 2)
    step = max(1, _AT_ONCE // (products * max(kernels, products)))
    return np.concatenate(
        [_log_sums(at_x, at_b[:, i : i + step], log_weights, member) for i in range(0, n, step)]
    )


def _log_sums(at_x: Array, at_b: Array, log_weights: Array, member: Bools) -> Array:
    # each hyperparameter's largest kernel counts as 1, so that products do not underflow
    shift_x = np.maximum(at_x.max(axis=1), LEAST)
    shift_b = np.maximum(at_b.max(axis=2), LEAST)
    a = np.exp(at_x - shift_x[:, None])
    b = np.exp(at_b - shift_b[:, :, None])
    players = member.any(axis=1)
    weights = np.exp(log_weights) * b[~players].prod(axis=0)
    groups = np.array_split(np.flatnonzero(players), 2)
    first, second = (_of_subsets(a[group], b[group]) for group in groups)
    sums = (first * weights[:, None, :]) @ second.swapaxes(1, 2)
    codes = [(1 << np.arange(len(group))) @ member[group] for group in groups]
    total = sums[:, codes[0], codes[1]]
    shifts = shift_b.T @ (~member).astype(float) + shift_x @ member.astype(float)
    with np.errstate(divide="ignore"):
        logs = np.log(total) + shifts
    for i, s in np.argwhere(total <= 1e3 * np.finfo(float).tiny):
        chosen = np.where(member[:, s, None], at_x, at_b[:, i])
        logs[i, s] = log_sum((chosen.sum(axis=0) + log_weights)[None, :])[0]
    return np.maximum(logs, LEAST)


def _of_subsets(a: Array, b: Array) -> Array:
    """Return ``Π_j (a_j or b_j)`` for each subset of a group, (n, 2ᵍ, K).

    `a` is (g, K), `b` (g, n, K); hyperparameter j has a in subset s where bit j of s is set.
    """
    products = np.ones((b.shape[1], 1, b.shape[2]))
    for a_j, b_j in zip(a, b, strict=True):
        products = np.concatenate([products * b_j[:, None, :], products * a_j], axis=1)
    return products
