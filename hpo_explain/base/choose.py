"""Which few of many are named."""

from __future__ import annotations

import numpy as np

from hpo_explain.space import Array

MAIN_SHARE, MOST = 0.75, 3  # so much of the whole is told by the first ones, at most so many


def leading(sizes: Array) -> list[int]:
    """Return the largest of some sizes that make up for most of the positive ones.

    Examples
    --------
    >>> leading(np.array([0.1, 0.6, 0.0, 0.3]))
    [1, 3]
    """
    chosen: list[int] = []
    enough = MAIN_SHARE * sizes[sizes > 0].sum()
    for i in np.argsort(-sizes, kind="stable")[:MOST].tolist():
        if sizes[i] <= 0.0 or (chosen and sizes[chosen].sum() >= enough):
            break
        chosen.append(i)
    return chosen
