"""Configurations between two: some hyperparameters as in one, the others as in the other.

What is conditional follows: a change of a parent takes along the children that become inactive, and
those that become active, which have no other value than that of the second configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.base import INACTIVE
from hpo_explain.space import POSITION_TOLERANCE, Array, Bools, SearchSpace, value_text


@dataclass(frozen=True, eq=False)
class Mixtures:
    """What leads from one encoded row to another, and the rows on the way.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    x, y : ndarray of shape (d,)
        The two rows, encoded.
    """

    space: SearchSpace
    x: Array
    y: Array

    @cached_property
    def columns(self) -> list[int]:
        """What changes for no other reason than that it does: all else follows its parents."""
        both = np.stack([self.x, self.y])
        return [j for j in differing(self.x, self.y) if self.space.allowed(both, j).all()]

    def row(self, done: Sequence[int]) -> Array:
        """Return the row after the changes of some columns, and what follows."""
        return self.rows(np.isin(self.columns, done)[None])[0]

    def rows(self, changed: Bools) -> Array:
        """Return the row after each set of changes, (m, d); NaN where nothing has a value.

        `changed` (m, k) says which of the `columns` are as in the second configuration.
        """
        space = self.space
        rows = np.repeat(self.x[None], len(changed), axis=0)
        rows[:, self.columns] = np.where(changed, self.y[self.columns], self.x[self.columns])
        for j in space.parents_first:
            if not space.is_conditional(space.names[j]):
                continue
            allowed = space.allowed(rows, j)
            if j not in self.columns:
                rows[:, j] = np.where(np.isnan(rows[:, j]), self.y[j], rows[:, j])
            rows[~allowed, j] = np.nan
        return rows


def differing(a: Array, b: Array) -> list[int]:
    """Return the columns in which two rows differ, activity included."""
    apart = np.abs(a - b) > POSITION_TOLERANCE
    return np.flatnonzero(apart | (np.isnan(a) != np.isnan(b))).tolist()


def change_in_words(
    space: SearchSpace, name: str, source: Mapping[str, Any], target: Mapping[str, Any]
) -> str:
    """Return what changes between two configurations, as in "lr = 0.01 (was 0.1)"."""
    old, new = (value_text(space[name], config.get(name, INACTIVE)) for config in (source, target))
    return f"{name} = {new} (was {old})"
