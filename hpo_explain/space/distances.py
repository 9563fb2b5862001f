"""Gower's distance: how far configurations with numbers, categories and conditions are apart.

The distance of two configurations is the root of the mean over hyperparameters of squared
dissimilarities: the difference of positions on the hyperparameter's own scale, in [0, 1], or
whether categories differ; one that is active in only one of the two differs by 1 (Gower, J. C.
(1971). A general coefficient of similarity and some of its properties. Biometrics 27).
"""

from __future__ import annotations

import numpy as np

from hpo_explain.space._values import Array, Bools
from hpo_explain.space.search_space import SearchSpace


def gower_distances(space: SearchSpace, A: Array, B: Array) -> Array:
    """Return the distances of encoded rows (n, d) from others (m, d), (n, m)."""
    squared = np.zeros((len(A), len(B)))
    for j, parameter in enumerate(space.parameters):
        a = A[:, j, None]
        b = B[:, j]
        off_a = np.isnan(a)
        off_b = np.isnan(b)
        apart = a != b if parameter.is_category else (a - b) ** 2
        if off_a.any() or off_b.any():
            apart = np.where(off_a | off_b, off_a != off_b, apart)
        squared += apart
    return np.sqrt(squared / len(space))


def nearest(space: SearchSpace, A: Array, B: Array) -> Array:
    """Return the distance of each of some encoded rows (n, d) from the nearest of others, (n,)."""
    if len(A) * len(B) > 200_000:
        a, b = _places(space, A), _places(space, B)
        if a is not None and b is not None:
            from scipy.spatial import cKDTree

            apart = cKDTree(b, balanced_tree=False).query(a)[0]
            return apart / np.sqrt(len(space))
    distances = np.full(len(A), np.inf)
    step = max(1, 1_000_000 // max(len(A), 1))
    for start in range(0, len(B), step):
        block = gower_distances(space, A, B[start : start + step])
        distances = np.minimum(distances, block.min(axis=1))
    return distances


def _places(space: SearchSpace, X: Array) -> Array | None:
    """Return places whose Euclidean distances are Gower's times √d; None where there are none.

    Different categories are 1 apart: each has an axis of its own, at 1 / √2. What is inactive is
    as far from every number, so it has no place.
    """
    choices = [p.size if p.is_category else 0 for p in space.parameters]
    if np.isnan(X).any() or sum(choices) > 64:
        return None
    axes = []
    for column, size in zip(X.T, choices, strict=True):
        if size:
            is_chosen = column[:, None] == np.arange(size)
            axes.append(is_chosen / np.sqrt(2.0))
        else:
            axes.append(column[:, None])
    return np.hstack(axes)


def among(space: SearchSpace, A: Array, B: Array) -> Bools:
    """Return which of some encoded rows (n, d) are one of others (m, d), to rounding, (n,)."""
    return np.isin(space.keys(A), space.keys(B))
