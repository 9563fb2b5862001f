"""Grids: whether nearly every combination of the values that were tried was tried."""

from __future__ import annotations

import math

import numpy as np

from hpo_explain.base import Fact, declared_fact
from hpo_explain.space import Array

_MOST = 0.9  # of the combinations, from which a grid counts as enumerated
_FEWEST = 4

_ENUMERATED = declared_fact(
    "grid_enumerated",
    "grid: {tried:,} of {combinations:,} combinations tried: {left}",
    left=lambda fact: _left(fact["combinations"] - fact["tried"]),
)


def _left(n: int) -> str:
    if n == 0:
        return "nothing untried is left"
    return "1 is left" if n == 1 else f"{n:,} are left"


def enumerated(X: Array) -> list[Fact]:
    """Return a note where rows enumerate a grid: all combinations of the values of several columns.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Encoded configurations; NaN where a hyperparameter is inactive, which no grid has.

    Examples
    --------
    >>> import itertools
    >>> X = np.array([*itertools.product([0.0, 0.5, 1.0], [0.0, 1.0])])
    >>> str(enumerated(X)[0]), enumerated(X[:, :1])
    ('grid: 6 of 6 combinations tried: nothing untried is left', [])
    """
    if np.isnan(X).any():
        return []
    levels = [len(np.unique(column)) for column in X.T]
    combinations = math.prod(levels)
    several = sum(n > 1 for n in levels) > 1
    tried = len(np.unique(X, axis=0))
    if several and combinations >= _FEWEST and tried >= _MOST * combinations:
        return [_ENUMERATED(tried=tried, combinations=combinations)]
    return []
