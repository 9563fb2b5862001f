"""A figure of cells with colors between two axes: a heat map, a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.figures.curves import broken
from hpo_explain.base.figures.marks import Axis, Dots, Shown, Words, extent
from hpo_explain.base.figures.rows import Rows
from hpo_explain.base.phrases import counted
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
    texts : sequence of (sequence of str)
        What stands in each cell: X times Y.
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
    texts: Sequence[Sequence[str]] = ()
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


def triangle(
    names: Sequence[str],
    values: Array,
    texts: npt.ArrayLike,
    *,
    sizes: Array | None = None,
    by_size: bool = True,
    diagonal: bool = False,
    footer: str = "",
    **words: Any,
) -> Cells:
    """Return the lower part of a matrix as cells, the first name on top and at the left.

    Of more than 20 names those with the largest numbers are drawn, and the footer counts the rest.

    Parameters
    ----------
    names : sequence of str
        The names.
    values : ndarray of shape (d, d)
        The value of each pair; NaN is empty.
    texts : array_like of str of shape (d, d)
        What is written into the cells, where there are at most 8 names.
    sizes : ndarray of shape (d, d), optional
        By what names are ordered and left out; by default the values.
    by_size : bool, default True
        Whether the names with the largest numbers come first; else they are in their own order.
    diagonal : bool, default False
        Whether each name has a value of its own.
    footer : str, default ""
        What stands below.
    **words
        What else :class:`Cells` have.
    """
    sizes = np.nansum(np.abs(values if sizes is None else sizes), axis=1)
    order = np.argsort(-sizes, kind="stable")[: Rows.MOST]
    if not by_size:
        order = np.sort(order)
    left_out = len(names) - len(order)
    if left_out:
        footer += f" {counted(left_out, 'hyperparameter')} with smaller values not shown."
    shown = [names[j] for j in order]
    pairs = np.ix_(order, order)
    n, k = len(shown), 0 if diagonal else 1
    lower = np.where(np.tri(n, k=-k, dtype=bool), values[pairs], np.nan)
    lower = lower[k:, : n - k].T
    written = np.array(texts)[pairs][k:, : n - k].T
    return Cells(
        x=Axis(label="", names=shown[: n - k]),
        y=Axis(label="", names=shown[k:]),
        values=lower,
        texts=np.where(np.isnan(lower), "", written).tolist() if n <= 8 else (),
        footer=footer,
        **words,
    )
