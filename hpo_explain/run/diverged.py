"""Which trials diverged, so that they must not decide what a surrogate learns."""

from __future__ import annotations

import numpy as np

from hpo_explain.space import Array

_ISOLATED = 100.0  # see `diverged_above`
_TAIL = 20.0
LARGEST = 1e150
"""Objectives beyond count as that for fitting, so that sums of their squares stay finite."""


def diverged_above(cost: Array) -> float:
    """Return the cost above which trials count as diverged (infinity if none does).

    Two rules, of which the lower bound holds. *Tail*: a cost further above the median than 20
    times the distance from the median to the 90 % quantile. *Isolation*: in sorted order, a cost
    in the worse half whose distance from the best is more than 100 times that of the one before
    it. Diverged trials are winsorized for fitting: they keep their place as the worst, at the
    bound of the tail rule, or at twice the range of the others. Whatever the others are, a cost
    above 1e150 counts as that, to avoid overflow.

    Parameters
    ----------
    cost : ndarray of shape (n,)
        Finite costs (smaller is better).

    Returns
    -------
    float
        The bound, in units of `cost`; costs above it are set to it.

    Examples
    --------
    >>> import numpy as np
    >>> diverged_above(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1e6]))  # 0.1 + 2 (0.5 - 0.1)
    0.9
    """
    bound = LARGEST if (cost > LARGEST).any() else np.inf
    ordered = np.sort(np.clip(cost, -LARGEST, LARGEST))
    n = len(ordered)
    if n < 4:
        return bound
    median = ordered[(n - 1) // 2]
    tail = ordered[int(0.9 * (n - 1))] - median
    if tail > 0:
        bound = min(bound, float(median + _TAIL * tail))
    above_best = ordered - ordered[0]
    worse = above_best[(n - 1) // 2 :]
    isolated = np.flatnonzero((worse[:-1] > 0) & (worse[1:] > _ISOLATED * worse[:-1]))
    if len(isolated):
        bound = min(bound, float(ordered[0] + 2.0 * worse[isolated[0]]))
    return bound if bound < np.max(cost) else np.inf


def winsorized(cost: Array) -> Array:
    """Return costs as surrogates learn them: what diverged counts as `diverged_above`.

    A cost below -1e150 counts as that.
    """
    return np.clip(cost, -LARGEST, diverged_above(cost))
