"""Interaction effects of pairs of hyperparameters of a sum of kernels, in few coefficients each.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
T_iq        weight of a centre i and a summand q of the kernel's profile
H_j         factor of hyperparameter j at its nodes, relative to its mean, less 1
f_jk        ``Σ_iq β_i T_iq H_j[i, ·, q] H_k[i, ·, q]``, for hyperparameters of different
            components; parts of single hyperparameters take no part in it
==========  ============================================================================

As functions of a hyperparameter's value the H_j are smooth, and few directions span them all: f_jk
is found in an orthonormal basis of each, of 5 to 9 directions instead of 17 nodes.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hpo_explain.models._latent_means import LatentMeans
from hpo_explain.space import Array

_NEGLIGIBLE = 1e-12  # of the square sum of all directions


def pair_effects(means: LatentMeans, coefficients: Array) -> dict[tuple[int, ...], Array]:
    """Return the interaction effects of all pairs of hyperparameters in different components.

    Parameters
    ----------
    means : LatentMeans
        Means of the kernel.
    coefficients : ndarray of shape (m, draws)
        Coefficients β of each function.

    Returns
    -------
    dict
        For each pair, in ascending order, the effect's coefficients in an orthonormal basis,
        (size of the basis, draws): sums of their products are means over the space.
    """
    weight = means.weight
    bases = [_in_basis(*means.relative(j), weight) for j in range(len(means.nodes))]
    edges = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    together = np.concatenate(bases, axis=1).transpose(0, 2, 1)
    found: dict[tuple[int, ...], Array] = {}
    for j, basis in enumerate(bases[:-1]):
        both = (basis * weight[:, None]) @ together[:, :, edges[j + 1] :]
        effects = np.tensordot(both, coefficients, axes=(0, 0))
        for k, (start, end) in enumerate(pairwise(edges[j + 1 :] - edges[j + 1]), start=j + 1):
            if means.apart(j, k):
                found[j, k] = effects[:, start:end].reshape(-1, coefficients.shape[1])
    return found


def _in_basis(factor: Array, measure: Array, weight: Array) -> Array:
    """Return a factor (m, G, Q) in an orthonormal basis of its nodes, (m, at most G, Q)."""
    scaled = np.sqrt(measure)[:, None] * factor
    rows = (scaled * weight[:, None]).transpose(1, 0, 2).reshape(len(measure), -1)
    squares, directions = np.linalg.eigh(rows @ rows.T)
    kept = squares > _NEGLIGIBLE * squares.sum()
    return np.asarray(directions[:, kept].T @ scaled)
