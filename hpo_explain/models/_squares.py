"""Squared distances of rows whose columns are numbers or categories, and Matérn-5/2 of them.

A category is one column, its number: two categories are as far apart as the two ends of a number's
range, whichever they are. One-hot columns would say the same, but there would be 5,000 of 5,000
categories. An inactive category stands amid all of K: ``(1 - 1/K) / 2`` from each, squared.
"""

from __future__ import annotations

import numpy as np

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
    from scipy.spatial.distance import cdist

    numbers = amid == 0.0
    scale = weight[numbers]
    out = cdist(Z[:, numbers] * scale, T[:, numbers] * scale, "sqeuclidean")
    for c in np.flatnonzero(~numbers):
        # rows of the same category are as far from all others
        categories, which = np.unique(Z[:, c], return_inverse=True)
        z, t = categories[:, None], T[:, c]
        is_away = np.where((z < 0.0) | (t < 0.0), amid[c], 1.0)
        out += (weight[c] ** 2 * np.where(z == t, 0.0, is_away))[which]
    return np.asarray(out)


def squares_by_column(Z: Array, amid: Array) -> Array:
    """Return the squared distances of all pairs of rows in each column, (p, number of pairs)."""
    from scipy.spatial.distance import squareform

    one = np.ones(1)
    squares = [
        squareform(squared_distances(Z[:, [c]], Z[:, [c]], one, amid[[c]]), checks=False)
        for c in range(Z.shape[1])
    ]
    return np.array(squares)


def matern_5_2(q: Array) -> Array:
    """Return (1 + s + s²/3) exp(-s) of q = s²/3.

    Examples
    --------
    >>> matern_5_2(np.array([0.0, 3.0])).round(3).tolist()
    [1.0, 0.349]
    """
    # in place: new arrays of this size take longer than the sums
    s = 3.0 * q
    np.sqrt(s, out=s)
    decay = -s
    np.exp(decay, out=decay)
    s += 1.0
    s += q
    s *= decay
    return s


def matern(r: Array) -> tuple[Array, Array]:
    """Return m(r), and what ``-dm/dr² ∝ (1 + √5 r) exp(-√5 r)`` is without its factor 5/6."""
    s = np.sqrt(5.0) * r
    decay = np.exp(-s)
    return (1.0 + s + s**2 / 3.0) * decay, (1.0 + s) * decay
