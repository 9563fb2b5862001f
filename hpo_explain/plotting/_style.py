"""What all plots share: colors that color-blind people can tell apart, axes, and literal text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter

from hpo_explain.plotting._canvas import MeasuringCanvas
from hpo_explain.plotting._engine import GridLayout
from hpo_explain.plotting._text import visible
from hpo_explain.plotting.html import figure_svg

WIDTH = 8.0  # inches: what a page of text is wide on a screen
TEXT = 9.0  # points
HEADING = 11.0
GREY = "#6b6b6b"

# Okabe and Ito (2008), Color Universal Design: distinct in all common kinds of color blindness.
BLUE, ORANGE, GREEN, PURPLE, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00"


class Fill(NamedTuple):
    """How a kind of bars is filled: by color and by pattern, so that either is enough."""

    color: str
    hatch: str

    def patch(self) -> Patch:
        """Return its mark in a legend."""
        return Patch(facecolor=self.color, hatch=self.hatch, edgecolor="white", linewidth=0.0)


FILLS = (Fill(BLUE, ""), Fill(ORANGE, "////"), Fill(GREEN, "\\\\\\\\"), Fill(PURPLE, "xxxx"))

_TICKS_AND_MARGINS = 28.0  # above and below, in points
# Comes with matplotlib from 3.11 on and has a (nameless) glyph for every character, so that
# measuring a script that no other font has does not warn; in SVG the browser's fonts draw it.
_LAST_RESORT = "Last Resort High-Efficiency"


class NotebookAxes(Axes):
    """Axes that a notebook shows when they end a cell: their figure is unknown to pyplot.

    Numbers along them are written out, without an offset that would stand over other texts.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for axis in (self.xaxis, self.yaxis):
            plain = axis.get_major_formatter()
            if isinstance(plain, ScalarFormatter):
                plain.set_useOffset(False)

    def _repr_svg_(self) -> str:
        return figure_svg(self.figure.figure, alt=self.get_title(loc="left"))


def new_axes(width: float) -> Axes:
    """Return axes of a new figure, so many inches wide, that pyplot does not know."""
    figure = Figure(figsize=(width, width / 2.0), layout=GridLayout())
    MeasuringCanvas(figure)
    axes: Axes = figure.add_subplot(axes_class=NotebookAxes)
    return axes


def set_height(ax: Axes, points: float) -> None:
    """Make a new figure so high that its axes and texts have `points`, ticks and margins apart."""
    ax.figure.figure.set_figheight((points + _TICKS_AND_MARGINS) / 72.0)


def ink() -> str:
    """Return the color of text, in the user's style."""
    return str(matplotlib.rcParams["text.color"])


def make_literal(texts: Iterable[Text]) -> None:
    """Have texts drawn as they are, without mathtext or TeX, in whatever script."""
    for text in texts:
        text.set_text(visible(text.get_text()))
        text.set_parse_math(False)
        text.set_usetex(False)
        font = get_font(findfont(text.get_fontproperties()))
        unknown = any(font.get_char_index(ord(c)) == 0 for c in text.get_text() if c != "\n")
        if unknown and _has_last_resort() and _LAST_RESORT not in text.get_fontfamily():
            text.set_fontfamily([*text.get_fontfamily(), _LAST_RESORT])
            text.set_fontweight("normal")  # the only one it has; others are looked for and logged


@cache
def _has_last_resort() -> bool:
    return _LAST_RESORT in fontManager.get_font_names()
