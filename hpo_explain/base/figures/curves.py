"""A figure of curves, points and bands along one axis, and one of cells, as descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array

Look = Literal["main", "best", "doubt", "second"]
_LARGE = 1e300  # beyond it an axis is drawn in this unit
_SPREAD = 0.3  # how far from its value a mark stands that others share
_TINY, _HUGE = np.log([np.finfo(float).tiny, np.finfo(float).max / 4.0])  # room for margins


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: its label, the values along it, and its scale; or the names at 0, 1, 2, ..."""

    label: str
    values: Sequence[Any] = ()
    log: bool = False
    names: Sequence[str] = ()

    @property
    def unit(self) -> float:
        """What numbers are divided by so that those beyond an axis' ends do not overflow."""
        largest = max(map(abs, self.values), default=0.0) if not (self.log or self.names) else 0.0
        return _LARGE if largest > _LARGE else 1.0

    @property
    def title(self) -> str:
        """The label, with the unit of what is divided by one."""
        return self.label if self.unit == 1.0 else f"{self.label} / {self.unit:g}"

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return all(isinstance(value, int) for value in self.values)

    def at(self, values: Any) -> Array:
        """Return where values stand along it."""
        return np.asarray([value / self.unit for value in values], dtype=float)

    @property
    def places(self) -> Array:
        """Where its values stand, or its names."""
        return np.arange(len(self.names), dtype=float) if self.names else self.at(self.values)

    def edges(self) -> Array:
        """Return the edges of cells around its values: halfway, on its own scale."""
        at = self.places
        if len(at) == 1 and not self.names:
            return np.array([0.9, 1.1]) * at if self.log else at + [-0.5, 0.5]
        if self.names:
            return np.arange(len(at) + 1) - 0.5
        scaled = np.log(at) if self.log else at
        middle = (scaled[:-1] + scaled[1:]) / 2.0
        ends = [2 * scaled[0] - middle[0]], middle, [2 * scaled[-1] - middle[-1]]
        edges = np.concatenate(ends)
        return np.asarray(np.exp(np.clip(edges, _TINY, _HUGE)) if self.log else edges)


@dataclass(frozen=True, eq=False)
class Line:
    """A line, with half the width of a band around it."""

    x: Array
    y: Array
    half: Array | None = None
    look: Look = "main"


@dataclass(frozen=True, eq=False)
class Dots:
    """Points, each with half the length of its whisker."""

    x: Array
    y: Array
    half: Array | None = None
    look: Look = "main"


@dataclass(frozen=True, kw_only=True, eq=False)
class Words:
    """What is written around a figure.

    Attributes
    ----------
    heading, subtitle, footer : str
        What stands over and under the axes.
    caution : str
        What stands over them in a box, so that nobody misses it.
    means : mapping of str to str
        The legend: what marks mean, by "line", "band", a look of points ("main", "best", "doubt"),
        "second", "marked", "dimmed", "thin", "guide", "star", "rug" or "dots".
    """

    heading: str
    subtitle: str = ""
    footer: str = ""
    caution: str = ""
    means: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Curves(Words):
    """Lines and points along an axis.

    Attributes
    ----------
    x, y : Axis
        The axes; an x of names is drawn from top to bottom, each a row.
    lines, dots : sequence of Line or Dots
        What is drawn.
    thin : tuple of (x, y)
        Faint lines behind, as one line that NaN breaks.
    dimmed, marked : sequence of (low, high)
        Stretches that are not to be relied on, and that are marked along the axis.
    rug : ndarray
        Where marks stand along the axis.
    guide : float, optional
        Where a dashed line stands.
    """

    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    dots: Sequence[Dots] = ()
    thin: tuple[Array, Array] | None = None
    dimmed: Sequence[tuple[float, float]] = ()
    marked: Sequence[tuple[float, float]] = ()
    rug: Array = field(default_factory=lambda: np.empty(0))
    guide: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells(Words):
    """Cells between two axes, with colors.

    Attributes
    ----------
    x, y : Axis
        The axes.
    values : ndarray of shape (X, Y)
        What the colors say; NaN is empty.
    scale : str
        What the values are.
    dimmed : ndarray of bool of shape (X, Y)
        Cells that are not to be relied on.
    dots : tuple of ndarray
        Where dots stand, along x and y.
    star : tuple of float, optional
        Where a star stands.
    """

    x: Axis
    y: Axis
    values: Array
    scale: str
    dimmed: npt.NDArray[np.bool_]
    dots: tuple[Array, Array] = field(default_factory=lambda: (np.empty(0), np.empty(0)))
    star: tuple[float, float] | None = None


def broken(x: Any, y: Any) -> tuple[Array, Array]:
    """Return curves as one line with gaps, whose SVG is much smaller than that of many lines."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), y)
    gap = np.full((len(x), 1), np.nan)
    return np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel()


def side_by_side(values: npt.ArrayLike, *, shuffled: bool = False) -> Array:
    """Return values with those that are equal spread evenly around their place.

    Both axes of cells in the same order would line dots up: one of them is shuffled.
    """
    spread, rng = np.array(values, dtype=float), np.random.default_rng(0)
    for value in np.unique(spread):
        same = np.flatnonzero(spread == value)
        if len(same) > 1:
            places = np.linspace(-_SPREAD, _SPREAD, len(same))
            spread[same] += rng.permutation(places) if shuffled else places
    return spread
