"""A figure of curves, points and bands along one axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.figures.marks import Axis, Dots, Line, Note, Shown, Words, extent
from hpo_explain.space import Array

_EVERYWHERE = (-np.inf, np.inf)


@dataclass(frozen=True, kw_only=True, eq=False)
class Curves(Words):
    """Lines and points along an axis.

    Attributes
    ----------
    x, y : Axis
        The axes; an x of names is drawn from top to bottom, each a row, unless it is `upright`.
    lines : sequence of Line
    dots : sequence of Dots
        What is drawn. A y of inf or -inf is at the end of the axes; points beyond limits stand
        there as triangles, which `means` calls "beyond".
    thin : tuple of (x, y)
        Faint lines behind, as one line that NaN breaks.
    dimmed, marked : sequence of (low, high)
        Stretches that are not to be relied on, and that are marked along the axis.
    rug : ndarray
        Where marks stand along the axis.
    guide : float, optional
        Where a dashed line stands.
    levels : sequence of (float, str)
        Lines across, and their looks.
    notes : sequence of Note
        Upright lines with a text.
    empty : str
        What stands in place of all where there is nothing to draw.
    upright : bool
        Whether names along x stand under the axes.
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
    levels: Sequence[tuple[float, str]] = ()
    notes: Sequence[Note] = ()
    empty: str = ""
    upright: bool = False

    @property
    def lying(self) -> bool:
        """Whether each name has a row."""
        return bool(self.x.names) and not self.upright

    @property
    def uprights(self) -> list[Note]:
        """The upright lines: the notes, and the guide."""
        guides = [] if self.guide is None else [self.guide]
        return [*self.notes, *(Note(x, look="guide") for x in guides)]

    @property
    def shown(self) -> Shown:
        """What its legend may name."""
        shown = Shown.of(
            self.lines,
            self.dots,
            beyond=self.has_beyond,
            dimmed=self.dimmed,
            marked=self.marked,
            rug=len(self.rug),
        )
        shown.strokes.update(look for _, look in self.levels)
        shown.strokes.update(note.look for note in self.uprights)
        shown.strokes.update(["thin"] if self.thin else [])
        return shown

    def across(self) -> tuple[float, float]:
        """Return where the x axis begins and ends, without a margin."""
        marks: list[Line | Dots] = [*self.lines, *self.dots]
        xs = np.concatenate([*(mark.x for mark in marks), self.rug])
        return self.x.limited(*extent(xs))

    @property
    def has_beyond(self) -> bool:
        """Whether points stand at an end of the axes as they lie beyond it."""
        return any(marker for dots in self.dots for _, marker in self.placed(dots))

    def placed(self, dots: Dots) -> Iterator[tuple[Dots, str]]:
        """Yield points in their places, and the marker of those that lie beyond an end of the axes.

        It points there; the marker of the others is empty.
        """
        low, high = self.limits()
        left, right = self.x.limited(*_EVERYWHERE)
        with_value = np.isfinite(dots.y)
        beyond = [
            with_value & (dots.y > high),
            with_value & (dots.y < low),
            dots.x > right,
            dots.x < left,
        ]
        ends = ("right", "left", "down", "up") if self.lying else ("up", "down", "right", "left")
        inside = ~np.any(beyond, axis=0)
        at_ends = replace(dots, x=np.clip(dots.x, left, right), y=np.clip(dots.y, low, high))
        if inside.any():
            yield at_ends.some(inside), ""
        for end, is_there in zip(ends, beyond, strict=True):
            if is_there.any():
                yield replace(at_ends.some(is_there), half=np.nan), f"triangle-{end}"

    def limits(self) -> tuple[float, float]:
        """Return where the y axis begins and ends: around all that is drawn."""
        marks: list[Line | Dots] = [*self.lines, *self.dots]
        ys = np.concatenate(
            [
                np.array([level for level, _ in self.levels], dtype=float),
                *(mark.y for mark in marks),
                *(mark.ends.ravel() for mark in marks),
                self.thin[1] if self.thin else [],
            ]
        )
        # what lies beyond an end that is given leaves no room at the other one
        bounds = self.y.limited(*_EVERYWHERE)
        ends = np.array(extent(np.clip(ys[np.isfinite(ys)], *bounds)))
        scaled = np.log(ends) if self.y.log else ends
        margin = 0.05 * np.ptp(scaled) or 0.05 * abs(scaled[1]) or 0.05
        scaled += [-margin, margin]
        low, high = (np.exp(scaled) if self.y.log else scaled).tolist()
        return self.y.limited(low, high)


def usual_ends(
    values: npt.ArrayLike, *, lower_is_better: bool
) -> tuple[float | None, float | None]:
    """Return where an axis ends, so that a few values that are far worse leave room to the others.

    That is at twice the distance from the best to the 80 % quantile, if the axis would be more than
    twice as long otherwise; None where it needs no end.

    Examples
    --------
    >>> usual_ends([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], lower_is_better=True)
    (None, None)
    >>> usual_ends([0.0, 1.0, 2.0, 3.0, 4.0, 90.0], lower_is_better=True)
    (None, 8.0)
    >>> usual_ends([0.0, -1.0, -2.0, -3.0, -4.0, -90.0], lower_is_better=False)
    (-8.0, None)
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    costs = finite if lower_is_better else -finite
    if not costs.size:
        return None, None
    best, inner = np.quantile(costs, [0.0, 0.8]).tolist()
    end = best + 2.0 * (inner - best)
    if not best < end < (best + costs.max()) / 2.0:
        return None, None
    return (None, end) if lower_is_better else (-end, None)


def broken(x: Any, y: Any) -> tuple[Array, Array]:
    """Return curves as one line with gaps, whose SVG is much smaller than that of many lines."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), y)
    gap = np.full((len(x), 1), np.nan)
    return np.hstack([x, gap]).ravel(), np.hstack([y, gap]).ravel()


def side_by_side(values: npt.ArrayLike, *, shuffled: bool = False) -> Array:
    """Return values with those that are equal spread evenly around their place, up to 0.3 away.

    Both axes of cells in the same order would line dots up: one of them is shuffled.
    """
    spread = np.array(values, dtype=float)
    rng = np.random.default_rng(0)
    for value in np.unique(spread):
        same = np.flatnonzero(spread == value)
        if len(same) > 1:
            places = np.linspace(-0.3, 0.3, len(same))
            spread[same] += rng.permutation(places) if shuffled else places
    return spread
