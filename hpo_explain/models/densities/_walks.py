"""A mixture's log-density while hyperparameters take the explained values one by one.

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

from hpo_explain.models._coalitions import BACKGROUND, EXPLAINED, INACTIVE, Sources
from hpo_explain.models.densities._loops import Ints, walked_log_sums
from hpo_explain.models.densities.kernels import values_of
from hpo_explain.models.densities.mixture import LEAST, ProductMixture
from hpo_explain.space import Array, Parameter, SearchSpace


def walk_sources(space: SearchSpace, x: Array, background: Array, orders: Ints) -> Sources:
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
    joins = np.full((n, walks, len(space)), p + 1)  # never, if it does not play
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
    shape, kernels = (len(parameters), len(rows)), len(density.weights)
    values, place = np.full(shape, np.nan), np.full(shape, -1)
    mu, inverse, constant = np.zeros((3, len(parameters), kernels))
    tables = [np.empty((0, kernels))]
    for j, (parameter, of) in enumerate(zip(parameters, density.kernels, strict=True)):
        present = ~np.isnan(rows[:, j])
        distinct, which = np.unique(values_of(parameter, rows[present, j]), return_inverse=True)
        curves = of.curves(distinct)
        if curves is None:
            place[j, present] = sum(map(len, tables)) + which
            tables.append(of.log_densities(distinct))
        else:
            values[j, present] = curves.values[which]
            mu[j], inverse[j], constant[j] = curves.mu, curves.inverse, curves.constant
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
