"""Densities in coalitions, and along walks through them.

A mixture's log-density at the rows that coalitions compose, kernel by kernel.

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

A mixture's log-density while hyperparameters take the explained values one by one.

Our own, because a walk exchanges one factor of each kernel a step, where composed rows or whole
coalitions multiply all of them again (tests/benchmarks/test_tpe.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x, b       the explained row, and a background row (latent), both encoded
π          an order of the players; a walk starts at b, and in step s the s-th player of π
           takes its value of x
log p      ``log Σ_k w_k Π_j κ_jk``, with κ_jk at the value of x or of b, or 1 where j is inactive
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.models._coalitions import (
    BACKGROUND,
    EXPLAINED,
    INACTIVE,
    Sources,
)
from hpo_explain.models.densities._loops import products, walked_log_sums
from hpo_explain.models.densities.kernels import values_of
from hpo_explain.models.densities.mixture import LEAST, ProductMixture, log_sum
from hpo_explain.space import Array, Bools, Ints, Parameter, SearchSpace

_MOST_PLAYERS = 12  # of products: 64 subsets of each group
_AT_ONCE = 1_000_000  # numbers held at once: 8 MB


def coalition_log_density(
    at_x: Array, at_b: Array, log_weights: Array, sources: Sources
) -> Array:
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
    n = at_b.shape[1]
    kernels = at_b.shape[2]
    m = sources.shape[2]
    out = np.empty((n, m))
    explained = (sources == EXPLAINED).any(axis=(0, 2))
    alike = len(sources) == 1 and explained.sum() <= _MOST_PLAYERS
    step = max(1, _AT_ONCE // (m if alike else m * kernels))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        if alike:
            out[rows] = _products(
                at_x, at_b[:, rows], log_weights, sources[0] == EXPLAINED
            )
        else:
            here = sources if len(sources) == 1 else sources[rows]
            out[rows] = _sums(at_x, at_b[:, rows], log_weights, here)
    return out


def _sums(
    at_x: Array, at_b: Array, log_weights: Array, sources: Sources
) -> Array:
    """Return ``log p`` by adding logarithms, whatever is active where."""
    explained = np.moveaxis(sources == EXPLAINED, 1, 2).astype(float)
    inactive = np.moveaxis(sources == INACTIVE, 1, 2)
    background = 1.0 - explained - inactive
    logs = explained @ _finite(at_x) + background @ np.moveaxis(
        _finite(at_b), 0, 1
    )
    return log_sum(logs + log_weights)


def _finite(logs: Array) -> Array:
    # a product with 0 must be 0 for a kernel that rules a value out as well
    return np.maximum(logs, 1e3 * LEAST)


def _products(
    at_x: Array, at_b: Array, log_weights: Array, member: Bools
) -> Array:
    """Return ``log p`` by multiplying kernels, the same coalitions for all rows."""
    # each hyperparameter's largest kernel counts as 1, so that products do not underflow
    shift_x = np.maximum(at_x.max(axis=1), LEAST)
    shift_b = np.maximum(at_b.max(axis=2), LEAST)
    a = np.exp(at_x - shift_x[:, None])
    b = np.exp(at_b - shift_b[:, :, None])
    players = member.any(axis=1)
    weights = np.exp(log_weights) * b[~players].prod(axis=0)
    first, second = np.array_split(np.flatnonzero(players), 2)
    pairs = np.stack(
        [
            (products(a[first], b[first, i]) * weights[i])
            @ products(a[second], b[second, i]).T
            for i in range(b.shape[1])
        ]
    )
    codes = [
        (1 << np.arange(len(group))) @ member[group]
        for group in (first, second)
    ]
    total = pairs[:, codes[0], codes[1]]
    shifts = shift_b.T @ (~member).astype(float) + shift_x @ member.astype(
        float
    )
    with np.errstate(divide="ignore"):
        logs = np.log(total) + shifts
    for i, s in np.argwhere(total <= 1e3 * np.finfo(float).tiny):
        chosen = np.where(member[:, s, None], at_x, at_b[:, i])
        logs[i, s] = log_sum((chosen.sum(axis=0) + log_weights)[None, :])[0]
    return np.asarray(np.maximum(logs, LEAST), dtype=float)


def walk_sources(
    space: SearchSpace, x: Array, background: Array, orders: Ints
) -> Sources:
    """Return where every value comes from in walks.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    x : ndarray of shape (d,)
        The explained row.
    background : ndarray of shape (n, d)
        Latent rows.
    orders : ndarray of int, shape (n, w, p)
        The orders of each background row: players by their columns.

    Returns
    -------
    ndarray of shape (n, w, p + 1, d)
        By step: before the first player joins, and after each.
    """
    n, walks, p = orders.shape
    # never, if it does not play
    joins = np.full((n, walks, len(space)), p + 1)
    np.put_along_axis(joins, orders, np.arange(1, p + 1), axis=2)
    joined = joins[:, :, None, :] <= np.arange(p + 1)[:, None]
    sources = np.where(joined, EXPLAINED, BACKGROUND).astype(np.uint8)
    if any(space.conditions):
        z = np.where(joined, x, background[:, None, None, :])
        active = ~np.isnan(space.project(z.reshape(-1, len(space))))
        sources[~active.reshape(sources.shape)] = INACTIVE
    return sources


def walked_log_density(
    density: ProductMixture,
    parameters: Sequence[Parameter],
    x: Array,
    background: Array,
    sources: Sources,
) -> Array:
    """Return ``log p`` at each step, (n, w, steps).

    Parameters
    ----------
    density : ProductMixture
        The mixture p.
    parameters : sequence of Parameter
        Its c hyperparameters.
    x : ndarray of shape (c,)
        Their explained positions.
    background : ndarray of shape (n, c)
        Their positions in the background.
    sources : ndarray of shape (n, w, steps, c)
        Where each value comes from.

    Returns
    -------
    ndarray of shape (n, w, steps)
        At least the logarithm of the smallest normal number.
    """
    rows = np.vstack([x, background])
    shape = (len(parameters), len(rows))
    kernels = len(density.weights)
    values = np.full(shape, np.nan)
    place = np.full(shape, -1)
    mu, inverse, constant = np.zeros((3, len(parameters), kernels))
    tables = [np.empty((0, kernels))]
    for j, (parameter, of) in enumerate(
        zip(parameters, density.kernels, strict=True)
    ):
        present = ~np.isnan(rows[:, j])
        distinct, which = np.unique(
            values_of(parameter, rows[present, j]), return_inverse=True
        )
        curves = of.curves(distinct)
        if curves is None:
            place[j, present] = sum(map(len, tables)) + which
            tables.append(of.log_densities(distinct))
        else:
            values[j, present] = curves.values[which]
            mu[j] = curves.mu
            inverse[j] = curves.inverse
            constant[j] = curves.constant
    return walked_log_sums(
        density.log_weights,
        values,
        mu,
        inverse,
        constant,
        np.vstack(tables),
        place,
        np.ascontiguousarray(sources),
        LEAST,
    )
