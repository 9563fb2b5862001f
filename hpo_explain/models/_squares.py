"""Squared distances of rows whose columns are numbers or categories.

A category is one column, its number: two categories are as far apart as the two ends of a number's
range, whichever they are. One-hot columns would say the same, but there would be 5,000 of 5,000
categories. An inactive category stands amid all of K: ``(1 - 1/K) / 2`` from each, squared.
"""

from __future__ import annotations

import numba
import numpy as np
from scipy.spatial.distance import squareform

from hpo_explain.space import Array

INACTIVE_CATEGORY = -1.0


def squared_distances(Z: Array, T: Array, weight: Array, amid: Array) -> Array:
    """Return the weighted squared distances (n, m) of rows (n, p) and (m, p).

    Parameters
    ----------
    Z, T : ndarray of shape (n, p), (m, p)
        Columns as `KernelColumns` returns them.
    weight : ndarray of shape (p,)
        What a distance in a column is multiplied by.
    amid : ndarray of shape (p,)
        For a column of categories the squared distance of an inactive one to any other, 0 for a
        number.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.0, 3.0], [0.5, 3.0], [0.5, 0.0], [0.5, -1.0]])
    >>> squared_distances(rows, rows, np.array([2.0, 1.0]), np.array([0.0, 0.375])).tolist()[0]
    [0.0, 1.0, 2.0, 1.375]
    """
    out = np.zeros((len(Z), len(T)))
    numbers = np.where(amid > 0.0, 1.0, weight)
    _add_up(
        np.ascontiguousarray(Z * numbers), np.ascontiguousarray((T * numbers).T),
        np.square(weight), amid, out,
    )  # fmt: skip
    return out


def squares_by_column(Z: Array, amid: Array) -> Array:
    """Return the squared distances of all pairs of rows in each column, (p, number of pairs)."""
    one = np.ones(1)
    found = [
        squareform(squared_distances(Z[:, [c]], Z[:, [c]], one, amid[[c]]), checks=False)
        for c in range(Z.shape[1])
    ]
    return np.array(found)


@numba.njit(cache=True, nogil=True)
def _add_up(Z: Array, T: Array, weight: Array, amid: Array, out: Array) -> None:
    """Add the squares of each column to (n, m): of rows (n, p) and of columns (p, m)."""
    n, p = Z.shape
    m = T.shape[1]
    for i in range(n):
        row = out[i]
        for c in range(p):
            z, column = Z[i, c], T[c]
            if amid[c] == 0.0:
                for k in range(m):
                    away = z - column[k]
                    row[k] += away * away
                continue
            near = weight[c] * amid[c]
            if z < 0.0:
                for k in range(m):
                    row[k] += near if column[k] >= 0.0 else 0.0
                continue
            for k in range(m):
                other = near if column[k] < 0.0 else weight[c]
                row[k] += 0.0 if column[k] == z else other
