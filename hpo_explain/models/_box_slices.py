"""The compiled look-up of a tree's value along one hyperparameter, at many points of the others."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def slices(
    value: Array, ends: Ints, dims: Small, low: Array, high: Array, U: Array, j: int, points: Array
) -> Array:
    """Return the values at rows of `U` with column j replaced by each of `points`, (n, G).

    The boxes that contain the rest of a row partition its line along j, so one pass over the boxes
    is enough for all of `points`. With j = -1 nothing is replaced and any one point will do.
    """
    found = np.empty((len(U), len(points)))
    for i in range(len(U)):
        for box in range(len(value)):
            start, end, inside = 0.0, 1.0, True
            for e in range(ends[box], ends[box + 1]):
                k = dims[e]
                if k == j:
                    start, end = low[e], high[e]
                elif not low[e] <= U[i, k] < high[e]:
                    inside = False
                    break
            if inside:
                for g in range(len(points)):
                    if start <= points[g] < end:
                        found[i, g] = value[box]
    return found
