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

EDGE = 5.0  # points around all that a figure shows
_BETWEEN = 9.0  # points between columns of panels
_UNDER_ROW = 5.0  # points under a row of panels
_AFTER = 6.0  # points right of axes at least: half of a mark at their end
_SCALE = 9.0  # points, width of a scale of colors without its texts
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


@dataclass(frozen=True)
class Room:
    """How many points the numbers and labels of axes reach beyond them."""

    left: float = 0.0
    right: float = 0.0
    below: float = 0.0

    def __or__(self, other: Room) -> Room:
        """Return the room that both need."""
        return Room(
            max(self.left, other.left), max(self.right, other.right), max(self.below, other.below)
        )


def room_of(ax: Axes) -> Room:
    """Return how far the numbers and labels of axes reach beyond them, as they are by now."""
    return room_beside(ax.xaxis) | room_beside(ax.yaxis)


def room_beside(axis: Axis) -> Room:
    """Return how far the numbers and the label of one axis reach beyond the axes."""
    box = axis.get_tightbbox()
    if box is None:
        return Room()
    inner = axis.axes.bbox
    pixel = 72.0 / axis.axes.figure.figure.dpi
    return Room(
        left=max(0.0, pixel * (inner.x0 - box.x0)),
        right=max(0.0, pixel * (box.x1 - inner.x1)),
        below=max(0.0, pixel * (inner.y0 - box.y0)),
    )


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


def place(ax: Axes, shape: Shape, marked: Sequence[Text], around: Around) -> None:
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
    left = EDGE + room.left
    below = EDGE + around.under + room.below
    width = 72.0 * figure.get_figwidth()
    total = below + shape.height + around.over + EDGE
    figure.set_figheight(total / 72.0)
    wide = width - left - EDGE - _right_of(room, shape.scale)
    size = (width, total)
    _put(ax, shape.scale, (left, below, wide, shape.height), size)
    beyond = _beyond(marked, width)
    if beyond > 0.0:
        _put(ax, shape.scale, (left, below, wide - beyond, shape.height), size)


def _beyond(texts: Sequence[Text], width: float) -> float:
    """Return how many points texts reach beyond the right end of a figure."""
    ends = [
        72.0 / text.figure.figure.dpi * text.get_window_extent().x1
        for text in texts
        if text.get_text() and text.figure is not None
    ]
    return max(ends, default=0.0) - width + EDGE


def _right_of(room: Room, scale: Axes | None) -> float:
    """Return how many points are taken right of axes."""
    right = max(room.right, _AFTER)
    return right if scale is None else right + _SCALE + room_of(scale).right


def _put(
    ax: Axes, scale: Axes | None, rect: tuple[float, float, float, float], size: tuple[float, float]
) -> None:
    """Put axes, and the scale right of them, at a place in a figure, all in points."""
    left, below, wide, high = rect
    wide = max(wide, _LEAST)
    _move(ax, (left, below, wide, high), size)
    if scale is not None:
        _move(scale, (left + wide + _AFTER, below, _SCALE, high), size)


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

    def place(
        self, part: Any, *, is_whole: bool, over: float, under: float, beside: float
    ) -> float:
        """Place the panels between texts of so many points; return the middle of their height.

        The figure becomes as high as it has to be, if it is the `whole` of it; else
        rows are as high as there is room.
        """
        rows = -(-len(self.axes) // self.columns)
        heights = self._most([shape.height for shape in self.shapes])
        points = 72.0 / part.dpi * part.bbox.height
        for i, ax in enumerate(self.axes):
            # as high as its row: which numbers there are depends on it
            high = heights[i // self.columns] / points
            ax.set_position((0.0, 0.0, 0.5, high))
        rooms = [room_of(ax) for ax in self.axes]
        lefts = self._most([room.left for room in rooms], across=True)
        rights = self._most(
            [_right_of(room, shape.scale) for room, shape in zip(rooms, self.shapes, strict=True)],
            across=True,
        )
        belows = self._most([room.below for room in rooms]) + _UNDER_ROW
        titles = self._most(self.titles)
        pixel = 72.0 / part.dpi
        width = pixel * part.bbox.width
        around = float(belows.sum() + titles.sum()) + over + under + 2 * EDGE
        if is_whole:
            total = around + float(heights.sum())
            part.set_figheight(total / 72.0)
        else:
            total = pixel * part.bbox.height
            heights *= max(total - around, _LEAST * rows) / heights.sum()
        taken = float(lefts.sum() + rights.sum()) + beside + 2 * EDGE
        if self.scale is not None:
            taken += _AFTER + _SCALE + room_of(self.scale).right
        wide = (width - taken - _BETWEEN * (self.columns - 1)) / self.columns
        top = total - EDGE - over
        starts = EDGE + beside + np.cumsum(lefts) + np.cumsum(rights) - rights
        starts += np.arange(self.columns) * (max(wide, _LEAST) + _BETWEEN)
        ends = top - np.cumsum(titles + heights + belows) + belows
        for i, (ax, shape) in enumerate(zip(self.axes, self.shapes, strict=True)):
            row, column = divmod(i, self.columns)
            rect = (starts[column], ends[row], wide, heights[row])
            _put(ax, shape.scale, rect, (width, total))
        bottom = EDGE + under
        if self.scale is not None:
            end = width - EDGE - _SCALE - room_of(self.scale).right
            _move(self.scale, (end, bottom, _SCALE, top - bottom), (width, total))
        return (top + bottom) / 2.0 / total

    def _most(self, points: Sequence[float], *, across: bool = False) -> Any:
        """Return the largest number of each row, or `across` of each column."""
        rows = -(-len(self.axes) // self.columns)
        padded = np.zeros(rows * self.columns)
        padded[: len(points)] = points
        return padded.reshape(rows, self.columns).max(axis=0 if across else 1)
