"""Trials of one configuration, which are held out together: to have seen one is to know all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

TOGETHER = "repeated configurations together"


def configuration_of(X: Array) -> npt.NDArray[np.int64]:
    """Return a number for each row (n, d): equal rows share it, in order of appearance.

    Examples
    --------
    >>> import numpy as np
    >>> configuration_of(np.array([[0.5, np.nan], [0.1, 0.2], [0.5, np.nan]])).tolist()
    [0, 1, 0]
    """
    rows = np.where(np.isnan(X), np.inf, X)
    _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return np.asarray(number[place.ravel()])
