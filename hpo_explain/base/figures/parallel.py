"""A figure of parallel axes, along which each line is one thing, such as a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from hpo_explain.base.figures.curves import broken
from hpo_explain.base.figures.marks import Line, Shown, Words
from hpo_explain.space import Array


class Tick(NamedTuple):
    """Where a text stands along an axis, from 0 to 1."""

    at: float
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Parallel(Words):
    """Lines through several axes.

    Attributes
    ----------
    labels : sequence of tuple of str
        What each axis is of, and what its ends are.
    ticks : sequence of (sequence of Tick)
        What is written along each axis, where there is room.
    at : ndarray of shape (n, axes)
        Where each line crosses each axis, from 0 to 1; without a value (NaN) it does so aside.
    looks : sequence of str
        What each line looks like. Those of the look that `means` has last are on top.
    """

    ASIDE: ClassVar[float] = -0.1  # where lines without a value cross an axis

    labels: Sequence[tuple[str, ...]]
    ticks: Sequence[Sequence[Tick]]
    at: Array
    looks: Sequence[str]

    @property
    def shown(self) -> Shown:
        """What its legend may name."""
        return Shown.of(self.lines)

    @property
    def crossed(self) -> Array:
        """Where each line crosses each axis, aside included, (n, axes)."""
        return np.where(np.isnan(self.at), self.ASIDE, self.at)

    @property
    def lines(self) -> list[Line]:
        """The lines of each look as one with gaps, the axis as x."""
        axes = np.arange(self.at.shape[1], dtype=float)
        looks = np.array(self.looks, dtype=object)
        return [
            Line(*broken(axes, self.crossed[looks == look]), look=look)
            for look in self.means
            if (looks == look).any()
        ]
