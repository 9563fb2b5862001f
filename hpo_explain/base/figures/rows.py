"""A figure of labelled rows, as a description: bars from one number to another, whiskers, dots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from hpo_explain.base.figures.marks import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    Dots,
    Words,
)
from hpo_explain.base.figures.marks import reach as both
from hpo_explain.base.phrases import counted
from hpo_explain.space import Array

_R = TypeVar("_R")
# fills of what is given up, and of what stays although it was hardly tried
PALE = 8
HATCHED = 9
FILLS = {
    0: (BLUE, ""),
    1: (ORANGE, "/"),
    2: (GREEN, "\\"),
    3: (PURPLE, "x"),
    4: (BLUE, "."),
    PALE: (GREY, ""),
    HATCHED: (BLUE, "/"),
}
"""Color and hatch of the fills of bars: either is enough to tell them apart."""


@dataclass(frozen=True)
class Bar:
    """A bar of a row: where it begins and ends, its fill, half its whisker, its place in the row.

    The fill says what it means; by default it is the place. A whisker that is not symmetric has
    two halves: how far it reaches down, and up; NaN is none. `model`: half of what a model does not
    know. `told` is what it says when it is pointed at, in place of its ends.
    """

    row: int
    begin: float
    end: float
    half: float | tuple[float, float] | None = None
    place: int = 0
    fill: int | None = None
    model: float = np.nan
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
        return self.half is None or bool(np.isnan(self.half).any())

    @property
    def reach(self) -> tuple[float, float]:
        """How far its whisker reaches down and up: not at all where the bar ends beyond it."""
        down, up = both(0.0 if self.bare else self.half)
        return max(down, 0.0), max(up, 0.0)


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
    ends: tuple[float, float] | None = None
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
        several = zip(labels, values, halves, strict=True)
        shown = list(several)[: cls.MOST]
        return cls(
            labels=[(label,) for label, _, _ in shown],
            bars=[
                Bar(row, 0.0, float(value), half)
                for row, (_, value, half) in enumerate(shown)
            ],
            footer=footer,
            positive=True,
            **words,
        )

    @classmethod
    def folded(
        cls, order: Sequence[int], *, most: int = MOST
    ) -> tuple[list[int], list[int]]:
        """Return which rows are drawn, and which the last one sums up, if they are too many."""
        room = len(order) if len(order) <= most else most - 1
        return list(order[:room]), list(order[room:])

    @property
    def places(self) -> int:
        """How many bars a row has room for."""
        return 1 + max((bar.place for bar in self.bars), default=0)

    def limits(self) -> tuple[float, float]:
        """Return where the axis begins and ends."""
        if self.ends is not None:
            return self.ends
        ends = [0.0] if self.zero else []
        ends += [at for at, _ in self.guides]
        for bar in self.bars:
            down, up = (max(half, bar.model or 0.0) for half in bar.reach)
            ends += [bar.begin, bar.end - down, bar.end + up]
        for dots in self.dots:
            down, up = both(
                0.0 if dots.half is None else np.nan_to_num(dots.half)
            )
            ends += [*(np.asarray(dots.x) - down), *(np.asarray(dots.x) + up)]
        ends = [float(end) for end in ends if np.isfinite(end)]
        low = min(ends, default=0.0)
        high = max(ends, default=0.0)
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
