"""Ranges of an effect's values that may be best, in the user's units and in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_explain.base import among, format_values
from hpo_explain.space import Array, Bools, Parameter

Mask = Bools


def kept_values(best: Mask, parameters: Sequence[Parameter]) -> list[Mask]:
    """Return which grid values of each hyperparameter may be best; of a pair a whole range."""
    masks = []
    for i, parameter in enumerate(parameters):
        others = tuple(k for k in range(best.ndim) if k != i)
        inside = np.array(best.any(axis=others))
        if others and not parameter.is_category:
            ends = np.flatnonzero(inside)
            inside[ends[0] : ends[-1] + 1] = True
        masks.append(inside)
    return masks


def range_of(
    parameter: Parameter, axis: Sequence[Any], positions: Array, inside: Mask
) -> tuple[Any, ...]:
    """Return values that are kept: categories, or both ends of a range, or several ranges.

    A value of a grid that is finer than it stands for all that is nearer to it than to others.
    """
    if parameter.is_category:
        return tuple(itertools.compress(axis, inside))
    middle = (positions[1:] + positions[:-1]) / 2.0
    edges = np.concatenate([positions[:1], middle, positions[-1:]])
    ranges = [
        (axis[low], axis[high - 1])
        if parameter.size == len(axis)
        else tuple(parameter.decode(edges[[low, high]]))
        for low, high in runs(inside)
    ]
    return ranges[0] if len(ranges) == 1 else tuple(ranges)


_WIDE = 0.2  # of a hyperparameter's range: of what lies in so wide a gap nothing was seen


def never_tried(
    parameter: Parameter, positions: Array, values: Sequence[Any], at: int, inside: Mask
) -> tuple[Any, ...]:
    """Return the stretch in which no trial lies, or the category that none has, where that is best.

    Parameters
    ----------
    parameter : Parameter
        The hyperparameter.
    positions : ndarray of shape (G,)
        The grid of its encoded values.
    values : sequence
        The values tried, in the user's units.
    at : int
        The place of the best one on the grid.
    inside : ndarray of bool
        Which of these may be best.

    Returns
    -------
    tuple
        Both ends in the user's units, or the category; empty where the best was tried, or where a
        gap between trials that holds it is narrower than a fifth of the range.
    """
    best, tried = positions[at], np.sort(parameter.encode(values))
    if parameter.is_category:
        missing = best not in tried
        return tuple(parameter.decode(positions[[at]])) if missing else ()
    ends = (positions[0], positions[-1])
    below = tried[tried <= best].max(initial=ends[0])
    above = tried[tried >= best].min(initial=ends[1])
    nearest = np.abs(tried[:, None] - positions).argmin(axis=1)
    seen = bool(inside[nearest].any())
    if best in tried or (above - below <= _WIDE * (ends[1] - ends[0]) and seen):
        return ()
    return tuple(parameter.decode(np.array([below, above])))


def where_best(parameters: Sequence[Parameter], values: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return the values that may be best in words."""
    said = []
    for parameter, values_of in zip(parameters, values, strict=True):
        name = parameter.name
        if parameter.is_category:
            said.append(among(name, values_of))
            continue
        ranges = values_of if isinstance(values_of[0], tuple) else (values_of,)
        ranges_of = [span(low, high, "= {}", "between {} and {}") for low, high in ranges]
        said.append(f"{name} {' or '.join(ranges_of)}")
    return said


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Return where stretches of True begin, and where they have ended."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in steps.reshape(-1, 2)]


def span(low: Any, high: Any, one: str = "{}", both: str = "{} to {}") -> str:
    """Return both ends of a range in words, or its one value."""
    ends = format_values([low, high])
    return one.format(ends[0]) if low == high else both.format(*ends)
