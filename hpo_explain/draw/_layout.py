"""Where axes stand in a figure: around them is as much room as their texts measure.

Matplotlib's constrained layout measures everything several times, which took half of the time of a
figure; and of what is written over axes it knows a heading only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.text import Text

EDGE = 5.0  # points around all that a figure shows, and under a row of panels
_GAP = 9.0  # points between columns of panels, and of a scale of colors without its texts
_AFTER = 6.0  # points right of axes at least: half of a mark at their end
_LEAST = 20.0  # points of axes, however little room there is


@dataclass(frozen=True)
class Shape:
    """What was drawn on axes, as far as it says how much room they need.

    Attributes
    ----------
    height : float
        How high the axes are to be, in points.
    label, beside : str
        The labels of the x axis and of the y axis.
    scale : matplotlib.axes.Axes, optional
        The scale of its colors, which stands right of them.
    """

    height: float
    label: str
    beside: str
    scale: Axes | None = None


class Room(NamedTuple):
    """How many points the numbers and labels of axes reach beyond them."""

    left: float = 0.0
    right: float = 0.0
    below: float = 0.0

    def __or__(self, other: Room) -> Room:
        """Return the room that both need."""
        return Room(*map(max, self, other))


def room_of(ax: Axes) -> Room:
    """Return how far the numbers and labels of axes reach beyond them, as they are by now."""
    return room_beside(ax.xaxis) | room_beside(ax.yaxis)


def room_beside(axis: Axis) -> Room:
    """Return how far the numbers and the label of one axis reach beyond the axes."""
    inner = axis.axes.bbox
    box = axis.get_tightbbox() or inner
    pixels = (inner.x0 - box.x0, box.x1 - inner.x1, inner.y0 - box.y0)
    return Room() | Room(*(72.0 / axis.axes.figure.figure.dpi * length for length in pixels))


def label_below(axis: Axis) -> float:
    """Return how many points the label of an x axis takes under its numbers.

    Its box says how high it is before it has its place, for which all numbers are measured.
    """
    if not axis.label.get_text():
        return 0.0
    pixel = 72.0 / axis.axes.figure.figure.dpi
    return float(axis.labelpad + pixel * axis.label.get_window_extent().height)


class Around(NamedTuple):
    """How many points texts take over and under axes, and what their axes need beside them."""

    over: float
    under: float
    room: Room


def lay_out(ax: Axes, shape: Shape, marked: Sequence[Text], around: Around) -> None:
    """Place axes in a figure of their own, which becomes as high as it has to be.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    shape : Shape
        What was drawn on them.
    marked : sequence of matplotlib.text.Text
        Texts at marks, which may reach beyond the right end.
    around : Around
        What was written around the axes.
    """
    figure = ax.figure.figure
    room = around.room
    left, below = EDGE + room.left, EDGE + around.under + room.below
    size = (72.0 * figure.get_figwidth(), below + shape.height + around.over + EDGE)
    figure.set_figheight(size[1] / 72.0)
    wide = size[0] - left - EDGE - _right_of(room, shape.scale)
    _put(ax, shape.scale, (left, below, wide, shape.height), size)
    ends = [72.0 / figure.dpi * text.get_window_extent().x1 for text in marked if text.get_text()]
    beyond = max(ends, default=0.0) - size[0] + EDGE
    if beyond > 0.0:
        _put(ax, shape.scale, (left, below, wide - beyond, shape.height), size)


def _right_of(room: Room, scale: Axes | None) -> float:
    """Return how many points are taken right of axes."""
    right = max(room.right, _AFTER)
    return right + _GAP + room_of(scale).right if scale else right


def _put(
    ax: Axes, scale: Axes | None, rect: tuple[float, float, float, float], size: tuple[float, float]
) -> None:
    """Put axes, and the scale right of them, at a place in a figure, all in points."""
    left, below, wide, high = rect
    wide = max(wide, _LEAST)
    _move(ax, (left, below, wide, high), size)
    if scale:
        _move(scale, (left + wide + _AFTER, below, _GAP, high), size)


def _move(ax: Axes, rect: tuple[float, float, float, float], size: tuple[float, float]) -> None:
    left, below, wide, high = rect
    width, total = size
    ax.set_box_aspect(None)
    ax.set_position((left / width, below / total, wide / width, high / total))


@dataclass(frozen=True)
class Grid:
    """Panels in rows and columns, which take a figure, or a part of one.

    Attributes
    ----------
    axes : sequence of matplotlib.axes.Axes
        The panels, row by row.
    columns : int
        Number of columns.
    shapes : sequence of Shape
        What was drawn on each.
    titles : sequence of float
        How many points high the title of each is.
    scale : matplotlib.axes.Axes, optional
        The scale of colors of all.
    """

    axes: Sequence[Axes]
    columns: int
    shapes: Sequence[Shape]
    titles: Sequence[float]
    scale: Axes | None = None

    def lay_out(
        self, part: Any, *, is_whole: bool, over: float, under: float, beside: float
    ) -> float:
        """Place the panels between texts of so many points; return the middle of their height.

        The figure becomes as high as it has to be, if it is the `whole` of it; else
        rows are as high as there is room.
        """
        heights = self._most([shape.height for shape in self.shapes])
        pixel = 72.0 / part.dpi
        width, total = pixel * part.bbox.width, pixel * part.bbox.height
        for i, ax in enumerate(self.axes):
            # as high as its row: which numbers there are depends on it
            ax.set_position((0.0, 0.0, 0.5, heights[i // self.columns] / total))
        rooms = [room_of(ax) for ax in self.axes]
        scales = [shape.scale for shape in self.shapes]
        lefts = self._most([room.left for room in rooms], across=True)
        rights = self._most([*map(_right_of, rooms, scales)], across=True)
        belows = self._most([room.below for room in rooms]) + EDGE
        titles = self._most(self.titles)
        around = float(belows.sum() + titles.sum()) + over + under + 2 * EDGE
        if is_whole:
            total = around + float(heights.sum())
            part.set_figheight(total / 72.0)
        else:
            heights *= max(total - around, _LEAST * len(heights)) / heights.sum()
        taken = float(lefts.sum() + rights.sum()) + beside + 2 * EDGE
        of_scale = 0.0
        if self.scale:
            of_scale = _GAP + room_of(self.scale).right
            taken += _AFTER + of_scale
        wide = (width - taken - _GAP * (self.columns - 1)) / self.columns
        top, bottom = total - EDGE - over, EDGE + under
        starts = EDGE + beside + np.cumsum(lefts) + np.cumsum(rights) - rights
        starts += np.arange(self.columns) * (max(wide, _LEAST) + _GAP)
        ends = top - np.cumsum(titles + heights + belows) + belows
        for i, (ax, scale) in enumerate(zip(self.axes, scales, strict=True)):
            row, column = divmod(i, self.columns)
            rect = (starts[column], ends[row], wide, heights[row])
            _put(ax, scale, rect, (width, total))
        if self.scale:
            rect = (width - EDGE - of_scale, bottom, _GAP, top - bottom)
            _move(self.scale, rect, (width, total))
        return (top + bottom) / 2.0 / total

    def _most(self, points: Sequence[float], *, across: bool = False) -> Any:
        """Return the largest number of each row, or `across` of each column."""
        padded = np.zeros((-(-len(self.axes) // self.columns), self.columns))
        padded.flat[: len(points)] = points
        return padded.max(axis=0 if across else 1)
