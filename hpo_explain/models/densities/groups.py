"""The trials of the two densities."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Group:
    """The trials of one density, in the order of its kernels.

    Attributes
    ----------
    rows : ndarray of shape (n, d)
        Their encoded configurations; NaN where a hyperparameter was not suggested.
    cost : ndarray of shape (n,)
        Their objectives, smaller is better; NaN where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> len(Group(np.array([[0.5], [0.2]]), np.array([1.0, np.nan])))
    2
    """

    rows: Array
    cost: Array

    def __len__(self) -> int:
        return len(self.rows)
