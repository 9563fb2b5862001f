"""A figure of cells with colors between two axes: a heat map, a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpo_explain.base.figures.curves import broken
from hpo_explain.base.figures.marks import Axis, Dots, Shown, Words, extent
from hpo_explain.space import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells(Words):
    """Cells between two axes, with colors.

    Attributes
    ----------
    x, y : Axis
        The axes; names along y stand from top to bottom.
    values : ndarray of shape (X, Y)
        What the colors say; NaN is empty.
    scale : str
        What the values are.
    dimmed : ndarray of bool of shape (X, Y), optional
        Cells that are not to be relied on: a thin stroke crosses each.
    dots : sequence of Dots
        What stands over the cells.
    low, high : float, optional
        Where the scale begins and ends; by default at the least and the largest value.
    percent : bool
        Whether values are shares.
    """

    x: Axis
    y: Axis
    values: Array
    scale: str
    dimmed: npt.NDArray[np.bool_] | None = None
    dots: Sequence[Dots] = ()
    low: float | None = None
    high: float | None = None
    percent: bool = False

    @property
    def shown(self) -> Shown:
        """What its legend may name."""
        return Shown.of(dots=self.dots, dimmed=np.any(self._dimmed))

    @property
    def _dimmed(self) -> npt.NDArray[np.bool_]:
        return np.atleast_2d(np.asarray(self.dimmed, dtype=bool))

    def ends(self) -> tuple[float, float]:
        """Return where the scale begins and ends."""
        return self.colors.limited(*extent(self.values))

    @property
    def colors(self) -> Axis:
        """The scale of the colors."""
        return Axis(label=self.scale, percent=self.percent, limits=(self.low, self.high))

    def crosses(self) -> tuple[Array, Array]:
        """Return a line with gaps: from corner to corner of each cell that is dimmed.

        Its color can be seen beside the stroke, whatever it is.
        """
        x, y = self.x.edges(), self.y.edges()
        i, j = np.nonzero(self._dimmed)
        return broken(np.column_stack([x[i], x[i + 1]]), np.column_stack([y[j], y[j + 1]]))
