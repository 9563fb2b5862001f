"""Equal rows: which of them repeat another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, Bools


def different_rows(X: Array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each different row of X (n, d) is first, and for all rows which one it equals.

    Both in the order of appearance; NaN is equal to NaN.

    Examples
    --------
    >>> import numpy as np
    >>> first, which = different_rows(np.array([[0.5, np.nan], [0.1, 0.2], [0.5, np.nan]]))
    >>> first.tolist(), which.tolist()
    ([0, 1], [0, 1, 0])
    """
    rows = np.where(np.isnan(X), np.inf, X)
    _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return first[order], number[place.ravel()]


def rows_among(X: Array, others: Array) -> Bools:
    """Return which rows of X (n, d) are among others (m, d), (n,); NaN is equal to NaN.

    Examples
    --------
    >>> import numpy as np
    >>> rows_among(np.array([[0.5, np.nan], [0.1, 0.2]]), np.array([[0.5, np.nan]])).tolist()
    [True, False]
    """
    _, which = different_rows(np.concatenate([others, X]))
    return np.isin(which[len(others) :], which[: len(others)])
