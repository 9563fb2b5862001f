"""Grids: whether nearly every combination of the values that were tried was tried."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from hpo_explain.base import Fact, declared_fact
from hpo_explain.space import Array

_MOST = 0.9  # of the combinations, from which a grid counts as enumerated
_FEWEST = 4

_ENUMERATED = declared_fact(
    "grid_enumerated",
    "grid: {tried:,} of {combinations:,} combinations tried: {left}",
    role="check",
    left=lambda fact: _left(fact["combinations"] - fact["tried"]),
)


def _left(n: int) -> str:
    if n == 0:
        return "nothing untried is left"
    return "1 is left" if n == 1 else f"{n:,} are left"


def untried(X: Array, tried: Array, notes: Iterable[Fact]) -> Array | None:
    """Return the combinations of an enumerated grid that were not tried; None for no such grid.

    Parameters
    ----------
    X, tried : ndarray of shape (n, d) and (m, d)
        Encoded configurations with a result, and all that were tried.
    notes : iterable of Fact
        What was noted of the run: whether it enumerates a grid.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> untried(X, X, [_ENUMERATED(tried=3, combinations=4)]), untried(X, X, [])
    (array([[1., 1.]]), None)
    """
    if not any(note.kind == "grid_enumerated" for note in notes):
        return None
    levels = [np.unique(column) for column in X.T]
    done = set(map(tuple, tried.tolist()))
    combinations = itertools.product(*(level.tolist() for level in levels))
    left = [row for row in combinations if row not in done]
    return np.array(left, dtype=float).reshape(-1, X.shape[1])


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
