"""A figure of labelled rows, as a description: bars from one number to another, whiskers, dots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

MOST_ROWS = 20
_R = TypeVar("_R")


@dataclass(frozen=True)
class Bar:
    """A bar of a row: where it begins and ends, its fill, half its whisker, its place in the row.

    The fill says what it means; by default it is the place. A whisker that is not symmetric has
    two halves: how far it reaches down, and up.
    """

    row: int
    begin: float
    end: float
    half: float | tuple[float, float] | None = None
    place: int = 0
    fill: int | None = None

    @property
    def reach(self) -> tuple[float, float]:
        """How far its whisker reaches down and up."""
        return self.half if isinstance(self.half, tuple) else (self.half or 0.0, self.half or 0.0)


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows from top to bottom, and what is written around them.

    Attributes
    ----------
    labels : sequence of tuple of str
        What each row is of, in parts that may stand on lines of their own.
    bars : sequence of Bar
        The bars.
    heading, subtitle, label, footer : str
        What stands over and under the axes.
    fills : mapping of int to str
        What the fills mean; those of no bar are left out of the legend.
    levels : sequence of float
        Where a thin line leads from each row to the next one, as in a staircase.
    dots : mapping of int to float
        Where dots stand, by row.
    dots_mean : str
        What the dots mean.
    zero : bool
        Whether 0 is part of the axis, and marked.
    percent : bool
        Whether numbers along the axis are shares.
    """

    labels: Sequence[tuple[str, ...]]
    bars: Sequence[Bar]
    heading: str
    label: str
    subtitle: str = ""
    footer: str = ""
    fills: Mapping[int, str] = field(default_factory=dict)
    levels: Sequence[float] = ()
    dots: Mapping[int, float] = field(default_factory=dict)
    dots_mean: str = ""
    zero: bool = True
    percent: bool = False

    @property
    def places(self) -> int:
        """How many bars a row has room for."""
        return 1 + max((bar.place for bar in self.bars), default=0)

    def limits(self) -> tuple[float, float]:
        """Return where the axis begins and ends."""
        ends = [0.0] if self.zero else []
        for bar in self.bars:
            ends += [bar.begin, bar.end - bar.reach[0], bar.end + bar.reach[1]]
        low, high = min(ends, default=0.0), max(ends, default=0.0)
        margin = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        return low - margin, high + margin


def folded(order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return which rows are drawn, and which are summed in the last one, if they are too many."""
    kept = len(order) if len(order) <= MOST_ROWS else MOST_ROWS - 1
    return list(order[:kept]), list(order[kept:])


@dataclass(frozen=True)
class View(Generic[_R]):
    """One figure of a result: its description, its caption, and whether the report shows it."""

    describe: Callable[[_R], Rows]
    caption: str
    shown_if: Callable[[_R], bool] = lambda _: True
