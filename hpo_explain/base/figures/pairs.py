"""A value of each pair of names, as cells below the diagonal of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.marks import Axis
from hpo_explain.space import Array

MOST_NAMES = 20
_MOST_NUMBERS = 8  # names up to which values are written into the cells


def triangle(
    names: Sequence[str], values: Array, texts: npt.ArrayLike, *, diagonal: bool = False,
    **words: Any,
) -> Cells:  # fmt: skip
    """Return the lower part of a matrix as cells, the first name on top and at the left.

    Parameters
    ----------
    names : sequence of str
        The names.
    values : ndarray of shape (d, d)
        The value of each pair; NaN is empty.
    texts : array_like of str of shape (d, d)
        What is written into the cells, where there are at most 8 names.
    diagonal : bool, default False
        Whether each name has a value of its own.
    **words
        What else :class:`Cells` have.
    """
    n, k = len(names), 0 if diagonal else 1
    there = (np.tri(n, k=-k, dtype=bool) & ~np.isnan(values))[k:, : n - k].T
    lower, told = values[k:, : n - k].T, np.asarray(texts)[k:, : n - k].T
    return Cells(
        x=Axis(label="", names=names[: n - k]),
        y=Axis(label="", names=names[k:]),
        values=np.where(there, lower, np.nan),
        texts=np.where(there, told, "").tolist() if n <= _MOST_NUMBERS else (),
        **words,
    )
