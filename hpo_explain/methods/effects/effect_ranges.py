"""Ranges of an effect's values that may be best, in the user's units and in words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.numbers import among, format_value

if TYPE_CHECKING:
    from hpo_explain.methods.effects.effect_result import Effect

Mask = npt.NDArray[np.bool_]


def kept_values(effect: Effect) -> list[Mask]:
    """Return which grid values of each hyperparameter may be best; of a pair a whole range."""
    best, found = effect.best, []
    for i, named in enumerate(effect.categorical):
        others = tuple(k for k in range(best.ndim) if k != i)
        inside = np.array(best.any(axis=others))
        if others and not named:
            ends = np.flatnonzero(inside)
            inside[ends[0] : ends[-1] + 1] = True
        found.append(inside)
    return found


def range_of(effect: Effect, i: int, inside: Mask) -> tuple[Any, ...]:
    """Return values that are kept: categories, or both ends of a range, or several ranges.

    A value of a grid that is finer than it stands for all that is nearer to it than to others.
    """
    axis, positions = effect.axes[i], effect.positions[i]
    if effect.categorical[i]:
        return tuple(itertools.compress(axis, inside))
    parameter = effect.subject.space[effect.names[i]]
    middle = (positions[1:] + positions[:-1]) / 2.0
    edges = np.concatenate([positions[:1], middle, positions[-1:]])
    found = [
        (axis[low], axis[high - 1])
        if parameter.size == len(axis)
        else tuple(parameter.decode(edges[[low, high]]))
        for low, high in runs(inside)
    ]
    return found[0] if len(found) == 1 else tuple(found)


def where_best(effect: Effect, values: tuple[Any, ...]) -> list[str]:
    """Return the values that may be best in words."""
    said = []
    for name, kept, named in zip(effect.names, values, effect.categorical, strict=True):
        if named:
            said.append(among(name, kept))
            continue
        ranges = kept if isinstance(kept[0], tuple) else (kept,)
        parts = [span(low, high, "= {}", "between {} and {}") for low, high in ranges]
        said.append(f"{name} {' or '.join(parts)}")
    return said


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Return where stretches of True begin, and where they have ended."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in steps.reshape(-1, 2)]


def span(low: Any, high: Any, one: str = "{}", both: str = "{} to {}") -> str:
    """Return both ends of a range in words, or its one value."""
    ends = format_value(low), format_value(high)
    return one.format(ends[0]) if low == high else both.format(*ends)
