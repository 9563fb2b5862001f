"""Gower's distance: how far configurations with numbers, categories and conditions are apart.

The distance of two configurations is the root of the mean over hyperparameters of squared
dissimilarities: the difference of positions on the hyperparameter's own scale, in [0, 1], or
whether categories differ; one that is active in only one of the two differs by 1 (Gower, J. C.
(1971). A general coefficient of similarity and some of its properties. Biometrics 27).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hpo_explain.space import Array, CategoricalParameter, SearchSpace


def squared_differences(space: SearchSpace, A: Array, B: Array) -> Iterator[Array]:
    """Yield the squared dissimilarities (n, m) of rows (n, d) and (m, d) by hyperparameter."""
    for j, parameter in enumerate(space.parameters):
        a, b = A[:, j, None], B[:, j]
        off_a, off_b = np.isnan(a), np.isnan(b)
        a, b = np.where(off_a, 0.0, a), np.where(off_b, 0.0, b)
        if isinstance(parameter, CategoricalParameter):
            apart = (a != b).astype(float)
        else:
            apart = (a - b) ** 2
        yield np.asarray(np.where(off_a | off_b, off_a != off_b, apart), dtype=float)


def gower_distances(space: SearchSpace, A: Array, B: Array) -> Array:
    """Return the distances of encoded rows (n, d) from others (m, d), (n, m)."""
    squared = np.zeros((len(A), len(B)))
    for part in squared_differences(space, A, B):
        squared += part
    return np.asarray(np.sqrt(squared / len(space)))


def nearest(space: SearchSpace, A: Array, B: Array) -> Array:
    """Return the distance of each of some encoded rows (n, d) from the nearest of others, (n,)."""
    return np.asarray(gower_distances(space, A, B).min(axis=1, initial=np.inf))
