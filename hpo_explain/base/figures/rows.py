"""A figure of labelled rows, as a description: bars from one number to another, whiskers, dots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from hpo_explain.base.figures.marks import BLUE, GREEN, GREY, ORANGE, PURPLE, Dots, Shown, Words
from hpo_explain.base.phrases import counted
from hpo_explain.space import Array

_R = TypeVar("_R")
# fills of what is given up, and of what stays although it was hardly tried
PALE = 8
HATCHED = 9
_FILLS = {
    0: (BLUE, ""),
    1: (ORANGE, "/"),
    2: (GREEN, "\\"),
    3: (PURPLE, "x"),
    4: (BLUE, "."),
    PALE: (GREY, ""),
    HATCHED: (BLUE, "/"),
}


def color_and_hatch(fill: int) -> tuple[str, str]:
    """Return the color and the hatch of a fill: either is enough to tell it from others."""
    return _FILLS[fill if fill in _FILLS else fill % 4]


@dataclass(frozen=True)
class Bar:
    """A bar of a row: where it begins and ends, its fill, half its whisker, its place in the row.

    The fill says what it means; by default it is the place. A whisker that is not symmetric has
    two halves: how far it reaches down, and up; NaN or None is none. `told` is what it says when it
    is pointed at, in place of its ends.
    """

    row: int
    begin: float
    end: float
    half: Any = np.nan
    place: int = 0
    fill: int | None = None
    told: str = ""

    @property
    def kind(self) -> int:
        """Its fill."""
        return self.place if self.fill is None else self.fill

    @property
    def length(self) -> float:
        """How far it leads."""
        return self.end - self.begin

    @property
    def bare(self) -> bool:
        """Whether it has no whisker."""
        return bool(np.isnan(np.asarray(self.half, dtype=float)).any())

    @property
    def reach(self) -> tuple[float, float]:
        """How far its whisker reaches down and up: not at all where the bar ends beyond it."""
        if self.bare:
            return 0.0, 0.0
        down, up = np.maximum(np.broadcast_to(self.half, 2), 0.0).tolist()
        return down, up


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows(Words):
    """Rows from top to bottom.

    Attributes
    ----------
    labels : sequence of tuple of str
        What each row is of, in parts that may stand on lines of their own.
    bars : sequence of Bar
        The bars.
    label : str
        What stands along the axis.
    fills : mapping of int to str
        What the fills mean; those of no bar are left out of the legend.
    levels : sequence of float
        Where a thin line leads from each row to the next one, as in a staircase.
    dots : sequence of Dots
        Points; y says in which row, fractions beside its middle. `means` has their legend.
    scale : tuple of str
        Where dots have colors: what the lowest and the highest mean, and what the scale is of.
    guides : sequence of (float, str)
        Where upright lines stand, and their looks.
    zero : bool
        Whether 0 is part of the axis, and marked.
    percent : bool
        Whether numbers along the axis are shares.
    positive : bool
        Whether what is drawn cannot be negative: the axis begins at 0.
    ends : tuple of float, optional
        Where the axis begins and ends, in place of around all that is drawn.
    quiet : int
        How many of the last labels are grey: rows without bars.
    negligible : float
        What is as small as this is rounding: the axis does not magnify it.
    """

    labels: Sequence[tuple[str, ...]]
    bars: Sequence[Bar]
    label: str
    fills: Mapping[int, str] = field(default_factory=dict)
    levels: Sequence[float] = ()
    dots: Sequence[Dots] = ()
    scale: tuple[str, str, str] | tuple[()] = ()
    guides: Sequence[tuple[float, str]] = ()
    zero: bool = True
    percent: bool = False
    positive: bool = False
    ends: tuple[float, float] | tuple[()] = ()
    quiet: int = 0
    negligible: float = 0.0

    MOST: ClassVar[int] = 20  # of which a reader sees each

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        values: Sequence[float] | Array,
        halves: Sequence[Any] | Array,
        *,
        footer: str = "",
        **words: Any,
    ) -> Rows:
        """Return rows of one bar each, from 0 to the value, with half a whisker; the first on top.

        Of more than MOST the last are left out, and the footer counts them.
        """
        left_out = len(labels) - cls.MOST
        if left_out > 0:
            footer += f" {counted(left_out, 'smaller one')} not shown."
        shown = list(zip(labels, values, halves, strict=True))[: cls.MOST]
        return cls(
            labels=[(label,) for label, _, _ in shown],
            bars=[Bar(row, 0.0, float(value), half) for row, (_, value, half) in enumerate(shown)],
            footer=footer,
            positive=True,
            **words,
        )

    @classmethod
    def folded(cls, order: Sequence[int], *, most: int = MOST) -> tuple[list[int], list[int]]:
        """Return which rows are drawn, and which the last one sums up, if they are too many."""
        room = len(order) if len(order) <= most else most - 1
        return list(order[:room]), list(order[room:])

    @property
    def places(self) -> int:
        """How many bars a row has room for."""
        return 1 + max((bar.place for bar in self.bars), default=0)

    @property
    def thickness(self) -> float:
        """How much of a row, which is 1 high, is for each bar."""
        return 0.78 / self.places

    def height_of(self, bar: Bar) -> float:
        """Return where the middle of a bar stands, the middle of the first row being 0."""
        return bar.row + (bar.place - (self.places - 1) / 2) * self.thickness

    def by_fill(self) -> list[tuple[int, list[Bar]]]:
        """Return the bars of each fill; pale ones, on which others stand, come first."""

        def order(bar: Bar) -> tuple[bool, int]:
            return bar.kind != PALE, bar.kind

        groups = groupby(sorted(self.bars, key=order), key=order)
        return [(kind, list(bars)) for (_, kind), bars in groups]

    @property
    def shown(self) -> Shown:
        """What its legend may name, without fills."""
        shown = Shown.of(dots=self.dots)
        shown.strokes.update(look for _, look in self.guides)
        return shown

    def limits(self) -> tuple[float, float]:
        """Return where the axis begins and ends."""
        if self.ends:
            return self.ends
        ends = [0.0] if self.zero else []
        ends += [x for x, _ in self.guides]
        for bar in self.bars:
            down, up = np.nan_to_num(bar.reach)
            ends += [bar.begin, bar.end - down, bar.end + up]
        for dots in self.dots:
            down, up = np.nan_to_num(dots.reach)
            ends += [*(dots.x - down), *(dots.x + up)]
        finite = [float(end) for end in ends if np.isfinite(end)]
        low, high = min(finite, default=0.0), max(finite, default=0.0)
        if 0.0 < self.negligible and high - low <= self.negligible:
            return 0.0 if self.positive else -1.0, 1.0
        margin = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        return 0.0 if self.positive else low - margin, high + margin


@dataclass(frozen=True)
class View(Generic[_R]):
    """One figure of a result: its description, its caption, and whether the report shows it."""

    describe: Callable[[_R], Any]
    caption: str
    shown_if: Callable[[_R], bool] = lambda _: True
