"""What figures are made of: axes, lines, points, texts, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from hpo_explain.space import Array, Bools

# Okabe and Ito (2008), Color Universal Design: distinct in all common kinds of color blindness.
BLUE, ORANGE, GREEN, PURPLE, RED = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00")
SKY, OCHRE, GREY, INK = "#56B4E9", "#999933", "#6b6b6b", "#000000"
PAPER, RULE, TINT = "#ffffff", "#b0b0b0", "#fff4de"
VEIL = "rgba(255, 255, 255, 0.6)"  # over what is dimmed
ON_DARK = {
    INK: "#e4e9f0",
    PAPER: "#1b2129",
    GREY: "#a4b0bf",
    RULE: "#4a5562",
    TINT: "#33290f",
    BLUE: SKY,
    ORANGE: ORANGE,
    GREEN: "#2fc79a",
    PURPLE: "#e29bc2",
    RED: "#f08a4b",
    VEIL: "rgba(27, 33, 41, 0.6)",
}
"""What stands for a color on a dark page."""
# room for margins
_TINY, _HUGE = np.log([np.finfo(float).tiny, np.finfo(float).max / 4.0])


class Look(NamedTuple):
    """What a mark looks like.

    `dash` is "solid", "dash", "dot" or "dashdot"; `marker` "circle", "square", "diamond", "cross",
    "bar", "star" or a "triangle" that points "up", "down", "left" or "right".
    """

    color: str
    width: float = 1.8
    dash: str = "solid"
    marker: str = "circle"
    size: float = 6.0
    hollow: bool = False
    alpha: float = 1.0
    edge: str = ""


_SERIES = (BLUE, ORANGE, GREEN, PURPLE, RED, SKY, OCHRE, GREY)
_DASHES = ("solid", "dash", "dot", "dashdot")
_MARKERS = ("circle", "square", "diamond", "triangle-up", "triangle-down")
LOOKS: Mapping[str, Look] = {
    "main": Look(BLUE),
    "best": Look(GREEN),
    "doubt": Look(GREY, hollow=True),
    "second": Look(GREY, 1.4, "dash", "diamond", 4.0),
    "total": Look(INK, marker="diamond", edge="white"),
    "limit": Look(INK, 0.8, "dash"),
    "zero": Look(GREY, 0.8),
    "thin": Look(GREY, 0.6, alpha=0.35),
    "unfinished": Look(ORANGE, 0.8, marker="cross", size=4.0, alpha=0.8),
    "guide": Look(ORANGE, 1.8, "dash"),
    "goal": Look(GREEN, 1.3, "dash"),
    "turn": Look(RED, 1.2, "dot"),
    "proposed": Look(INK, 1.2, "dot"),
    "incumbent": Look(RED, 2.0, size=5.0),
    "top": Look(BLUE, 1.1, alpha=0.8),
    "aside": Look(ORANGE, 0.6, alpha=0.4),
    "star": Look(ORANGE, marker="star", size=13.0, edge=INK),
    "early": Look(GREY, size=3.5, hollow=True),
    "middle": Look(GREY, size=3.5, alpha=0.7),
    "late": Look(INK, size=3.5),
    "good": Look(ORANGE, size=5.0, edge=INK),
    "tried": Look("white", size=3.5, edge=INK),
    "colored": Look(GREY, size=4.5),
    "trial": Look(GREY, marker="square", size=4.5, hollow=True),
    "enqueued": Look(GREY, marker="diamond", size=4.5, hollow=True),
    "proposal": Look(BLUE, size=4.5),
    "behind": Look(GREY, size=2.5, alpha=0.45),
    "beyond": Look(GREY, marker="triangle-up", size=5.0),
    "others": Look(GREY, size=3.5, alpha=0.6),
    "infeasible": Look(PURPLE, marker="cross", size=4.5),
    "diverged": Look(PURPLE, marker="triangle-up", size=4.5),
    "failed": Look(RED, marker="cross", size=5.0),
    "pruned": Look(PURPLE, marker="bar", size=5.0),
    "running": Look(BLUE, marker="triangle-right", size=5.0, hollow=True),
    "waiting": Look(GREY, marker="triangle-right", size=5.0, hollow=True),
    "run": Look(INK, size=3.5, alpha=0.7),
    **{
        str(k): Look(color, 1.4, _DASHES[k % 4], _MARKERS[k % 5], 5.0)
        for k, color in enumerate(_SERIES)
    },
}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis.

    Attributes
    ----------
    label : str
        What stands along it.
    values : sequence
        Values that it shows; needed where it is logarithmic or of whole numbers.
    log, percent, whole : bool
        Whether it is logarithmic, of shares, or marked at whole numbers only, as trials are.
    names : sequence of str
        The names at 0, 1, 2, ... in place of numbers.
    limits : tuple of (float or None)
        Where it begins and ends; None where what is drawn says so.
    """

    label: str
    values: Sequence[Any] = ()
    log: bool = False
    percent: bool = False
    whole: bool = False
    names: Sequence[str] = ()
    limits: tuple[float | None, float | None] = (None, None)

    @property
    def unit(self) -> float:
        """What numbers are divided by so that those beyond an axis' ends do not overflow."""
        if self.log or self.names:
            return 1.0
        return 1e300 if max(map(abs, self.values), default=0.0) > 1e300 else 1.0

    @property
    def title(self) -> str:
        """The label, with the unit of what is divided by one."""
        return self.label if self.unit == 1.0 else f"{self.label} / {self.unit:g}"

    @property
    def integers(self) -> bool:
        """Whether its numbers are whole."""
        ints = all(isinstance(value, int) for value in self.values)
        return self.whole or (0 < len(self.values) <= 20 and ints)

    def limited(self, low: float, high: float) -> tuple[float, float]:
        """Return where it begins and ends: at its limits, else at these numbers."""
        first, last = self.limits
        return low if first is None else first, high if last is None else last

    def at(self, values: Any) -> Array:
        """Return where values stand along it."""
        return np.array([value / self.unit for value in values], dtype=float)

    @property
    def places(self) -> Array:
        """Where its values stand, or its names."""
        names = np.arange(len(self.names), dtype=float)
        return names if self.names else self.at(self.values)

    def edges(self) -> Array:
        """Return the edges of cells around its values: halfway, on its own scale."""
        places = np.log(self.places) if self.log else self.places
        if len(places) == 1:
            half = 0.1 if self.log else 0.5
            edges = places + [-half, half]
        else:
            middles = (places[:-1] + places[1:]) / 2.0
            first, last = 2.0 * places[[0, -1]] - middles[[0, -1]]
            edges = np.array([first, *middles, last])
        return np.exp(np.clip(edges, _TINY, _HUGE)) if self.log else edges

    def text(self, position: float) -> str:
        """Return what stands at a place along it: a name, or a number."""
        if self.names:
            k = round(position) if np.isfinite(position) else -1
            return str(self.names[k]) if 0 <= k < len(self.names) else ""
        return f"{position:.1%}" if self.percent else f"{position:.4g}"


@dataclass(frozen=True, eq=False)
class _Measured:
    """Values along an axis, each with a half width: (n,), or (2, n) for down and up.

    NaN is none, and so is None in place of all.
    """

    x: Array
    y: Array
    half: Any = np.nan
    look: str = "main"

    def __post_init__(self) -> None:
        for name in ("x", "y", "half"):
            values = np.asarray(getattr(self, name), dtype=float)
            object.__setattr__(self, name, values)

    @property
    def has_ends(self) -> bool:
        """Whether it has whiskers or a band."""
        return bool(np.isfinite(self.half).any())

    @property
    def reach(self) -> Array:
        """How far whiskers or the band reach down and up, (2, n)."""
        return np.broadcast_to(self.half, (2, len(self.x)))

    @property
    def ends(self) -> Array:
        """Where whiskers or the band end, (2, n); infinite and missing values have no ends."""
        down, up = self.reach
        return np.array([self.y - down, self.y + up])


@dataclass(frozen=True, eq=False)
class Line(_Measured):
    """A line, with half the width of a band around it: (n,), or (2, n) for down and up.

    A `step` line keeps each value up to the next one; one with `marks` has points at its values.
    """

    step: bool = False
    marks: bool = False

    @property
    def alone(self) -> Bools:
        """Which of its values have no neighbour, so that a line would not show them."""
        finite = np.isfinite(self.y)
        beside = np.zeros_like(finite)
        beside[1:] |= finite[:-1]
        beside[:-1] |= finite[1:]
        return finite & (self.marks | ~beside)


@dataclass(frozen=True, eq=False)
class Dots(_Measured):
    """Points, each with half the length of its whisker, as `Line`'s; along x in rows.

    `labels` stand beside them; `colors` from 0 to 1 are those of a scale, in place of the look's.
    `told` is what each says when it is pointed at, in place of its values along the axes.
    """

    labels: Sequence[str] = ()
    colors: Sequence[float] = ()
    told: Sequence[str] = ()

    def some(self, rows: Bools) -> Dots:
        """Return some of the points."""
        return replace(
            self,
            x=self.x[rows],
            y=self.y[rows],
            half=self.reach[:, rows],
            labels=[*compress(self.labels, rows)],
            colors=[*compress(self.colors, rows)],
            told=[*compress(self.told, rows)],
        )


class Note(NamedTuple):
    """An upright line at an x, and a short text beside its upper end."""

    x: float
    text: str = ""
    look: str = "turn"


class Shown(NamedTuple):
    """What a figure shows that its legend may name: looks of lines and of points, and signs."""

    strokes: set[str]
    points: set[str]
    signs: set[str]

    @classmethod
    def of(cls, lines: Sequence[Line] = (), dots: Sequence[Dots] = (), **signs: Any) -> Shown:
        """Return what lines, points and those signs show that there are any of."""
        return cls(
            strokes={line.look for line in lines},
            points={dot.look for dot in dots} | {line.look for line in lines if line.marks},
            signs={"band", *(sign for sign, any_ in signs.items() if any_)},
        )


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
        The legend, in its order: what looks mean, and "band", "marked", "dimmed" and "rug"; of
        `Rows` also the fills, by number. What is not drawn is left out.
    emphasis : bool
        Whether the figure, as one of several panels, stands on tinted paper.
    """

    heading: str
    subtitle: str = ""
    footer: str = ""
    caution: str = ""
    means: Mapping[str, str] = field(default_factory=dict)
    emphasis: bool = False

    @property
    def warning(self) -> str:
        """The caution as a sentence that says what it is; empty without one."""
        text = self.caution
        return text and f"Caution: {text[0].lower()}{text[1:]}"


def extent(values: Array) -> tuple[float, float]:
    """Return the least and the largest of some values; 0 and 1 where there are none."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    return float(finite.min()), float(finite.max())
