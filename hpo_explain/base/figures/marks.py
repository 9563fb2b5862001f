"""What figures are made of: axes, lines, points, texts, and what they look like."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from hpo_explain.space import Array

# Okabe and Ito (2008), Color Universal Design: distinct in all common kinds of color blindness.
BLUE, ORANGE, GREEN, PURPLE, RED = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
)
SKY, OCHRE, GREY, INK = "#56B4E9", "#999933", "#6b6b6b", "#000000"
PAPER, RULE, TINT = "#ffffff", "#b0b0b0", "#fff4de"
_LARGE = 1e300  # beyond it an axis is drawn in this unit
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
    "total": Look(INK, 1.8, marker="diamond", edge="white"),
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
    "early": Look(GREY, marker="circle", size=3.5, hollow=True),
    "middle": Look(GREY, marker="circle", size=3.5, alpha=0.7),
    "late": Look(INK, marker="circle", size=3.5),
    "good": Look(ORANGE, marker="circle", size=5.0, edge=INK),
    "tried": Look("white", marker="circle", size=3.5, edge=INK),
    "colored": Look(GREY, marker="circle", size=4.5),
    "trial": Look(GREY, marker="square", size=4.5, hollow=True),
    "enqueued": Look(GREY, marker="diamond", size=4.5, hollow=True),
    "proposal": Look(BLUE, marker="circle", size=4.5),
    "behind": Look(GREY, marker="circle", size=2.5, alpha=0.45),
    "beyond": Look(GREY, marker="triangle-up", size=5.0),
    "others": Look(GREY, marker="circle", size=3.5, alpha=0.6),
    "infeasible": Look(PURPLE, marker="cross", size=4.5),
    "diverged": Look(PURPLE, marker="triangle-up", size=4.5),
    "failed": Look(RED, marker="cross", size=5.0),
    "pruned": Look(PURPLE, marker="bar", size=5.0),
    "running": Look(BLUE, marker="triangle-right", size=5.0, hollow=True),
    "waiting": Look(GREY, marker="triangle-right", size=5.0, hollow=True),
    "run": Look(INK, marker="circle", size=3.5, alpha=0.7),
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
        largest = (
            max(map(abs, self.values), default=0.0)
            if not (self.log or self.names)
            else 0.0
        )
        return _LARGE if largest > _LARGE else 1.0

    @property
    def title(self) -> str:
        """The label, with the unit of what is divided by one."""
        return (
            self.label if self.unit == 1.0 else f"{self.label} / {self.unit:g}"
        )

    @property
    def integers(self) -> bool:
        """Whether its numbers are whole."""
        ints = all(isinstance(value, int) for value in self.values)
        return self.whole or (0 < len(self.values) <= 20 and ints)

    def at(self, values: Any) -> Array:
        """Return where values stand along it."""
        return np.asarray([value / self.unit for value in values], dtype=float)

    @property
    def places(self) -> Array:
        """Where its values stand, or its names."""
        return (
            np.arange(len(self.names), dtype=float)
            if self.names
            else self.at(self.values)
        )

    def edges(self) -> Array:
        """Return the edges of cells around its values: halfway, on its own scale."""
        at = self.places
        if len(at) == 1 and not self.names:
            ends = (
                np.array([0.9, 1.1]) * at
                if self.log
                else at + np.array([-0.5, 0.5])
            )
            return np.asarray(ends, dtype=float)
        if self.names:
            return np.arange(len(at) + 1, dtype=float) - 0.5
        scaled = np.log(at) if self.log else at
        middle = (scaled[:-1] + scaled[1:]) / 2.0
        outer = (
            [2 * scaled[0] - middle[0]],
            middle,
            [2 * scaled[-1] - middle[-1]],
        )
        edges = np.concatenate(outer)
        return np.asarray(
            np.exp(np.clip(edges, _TINY, _HUGE)) if self.log else edges
        )


@dataclass(frozen=True, eq=False)
class Line:
    """A line, with half the width of a band around it: (n,), or (2, n) for down and up.

    A `step` line keeps each value up to the next one; a `bare` one is its band only; one with
    `marks` has points at its values.
    """

    x: Array
    y: Array
    half: Array | None = None
    look: str = "main"
    step: bool = False
    bare: bool = False
    marks: bool = False

    @property
    def alone(self) -> Any:
        """Which of its values have no neighbour, so that a line would not show them."""
        finite = np.isfinite(np.asarray(self.y, dtype=float))
        beside = np.zeros_like(finite)
        beside[1:] |= finite[:-1]
        beside[:-1] |= finite[1:]
        return finite & (self.marks | ~beside)


@dataclass(frozen=True, eq=False)
class Dots:
    """Points, each with half the length of its whisker, as `Line`'s; along x in rows.

    `labels` stand beside them; `colors` from 0 to 1 are those of a scale, in place of the look's.
    `told` is what each says when it is pointed at, in place of its values along the axes.
    """

    x: Array
    y: Array
    half: Array | None = None
    look: str = "main"
    labels: Sequence[str] = ()
    colors: Array | None = None
    told: Sequence[str] = ()

    def some(self, rows: Any, at: Array) -> Dots:
        """Return some of the points, where all of them stand at these places, (n, 2)."""

        def chosen(texts: Sequence[str]) -> list[str]:
            return [*itertools.compress(texts, rows)]

        half = self.half
        if half is not None:
            half = np.broadcast_to(half, np.shape(half)[:-1] + rows.shape)
        return replace(
            self,
            x=at[rows, 0],
            y=at[rows, 1],
            half=None if half is None else half[..., rows],
            labels=chosen(self.labels),
            colors=None if self.colors is None else self.colors[rows],
            told=chosen(self.told),
        )


class Note(NamedTuple):
    """An upright line at an x, and a short text beside its upper end."""

    x: float
    text: str = ""
    look: str = "turn"


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


def pointing(end: str, lying: bool) -> str:
    """Return the marker that points beyond an end of axes, whose y lies along them if `lying`."""
    if lying:
        turned = {"up": "right", "down": "left", "right": "down", "left": "up"}
        end = turned.get(end, "")
    return f"triangle-{end}" if end else ""


def reach(half: Any) -> tuple[Any, Any]:
    """Return how far whiskers or bands reach down and up."""
    if isinstance(half, tuple) or np.ndim(half) == 2:
        return half[0], half[1]
    return half, half
