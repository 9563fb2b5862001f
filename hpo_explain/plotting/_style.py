"""What all plots share: colors that color-blind people can tell apart, axes, and literal text."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter

from hpo_explain.plotting._canvas import MeasuringCanvas
from hpo_explain.plotting._engine import GridLayout
from hpo_explain.plotting._look import (
    LAST_RESORT,
    ink,
    is_for_pages,
    is_of_page,
    line_look,
    new_figure,
    settle_axes,
    settle_text,
)
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


LEGEND: dict[str, Any] = {
    "frameon": False, "fontsize": TEXT, "borderaxespad": 0.0, "borderpad": 0.1,
    "labelspacing": 0.2, "columnspacing": 1.5, "handleheight": 0.7, "handletextpad": 0.8,
    "markerscale": 1.0, "numpoints": 1, "scatterpoints": 1,
}  # fmt: skip

FILLS = (Fill(BLUE, ""), Fill(ORANGE, "////"), Fill(GREEN, "\\\\\\\\"), Fill(PURPLE, "xxxx"))

_FMT = {"linestyle", "marker"}
_TICKS_AND_MARGINS = 28.0  # above and below, in points


class PlainAxes(Axes):
    """Axes that look the same whatever the user's style is, on a page.

    Numbers along them are written out, without an offset that would stand over other texts.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for axis in (self.xaxis, self.yaxis):
            plain = axis.get_major_formatter()
            if isinstance(plain, ScalarFormatter):
                plain.set_useOffset(False)
        if is_of_page(self):
            settle_axes(self)

    def plot(self, *args: Any, **options: Any) -> list[Line2D]:
        """Draw lines, whose look is not left to the user's style on a page."""
        look = line_look(**options)
        if len(args) > 2:  # which says what the line and its marks are
            look = {key: value for key, value in look.items() if key in options or key not in _FMT}
        return super().plot(*args, **look)

    def errorbar(self, *args: Any, **options: Any) -> ErrorbarContainer:
        """Draw points with bars, as `plot` does."""
        if not is_of_page(self):
            return super().errorbar(*args, **options)
        look = {key: value for key, value in line_look().items() if key not in _FMT}
        if "capthick" in options:  # which is the same for the caps
            del look["markeredgewidth"]
        look["color"] = options.get("ecolor", ink())  # the caps', which have none of their own
        return super().errorbar(*args, **{"capsize": 0.0, **look, **options})

    def set_title(self, label: str, *args: Any, **options: Any) -> Text:
        """Write a title, whose look is not left to the user's style on a page."""
        if is_of_page(self):
            options = {"color": ink(), "fontweight": "normal", "pad": 6.0, **options}
        return super().set_title(label, *args, **options)

    def axvline(self, *args: Any, **options: Any) -> Line2D:
        """Draw an upright line, as `plot` does."""
        return super().axvline(*args, **line_look(**options))

    def axhline(self, *args: Any, **options: Any) -> Line2D:
        """Draw a line across, as `plot` does."""
        return super().axhline(*args, **line_look(**options))


class NotebookAxes(PlainAxes):
    """Axes that a notebook shows when they end a cell: their figure is unknown to pyplot."""

    def _repr_svg_(self) -> str:
        return figure_svg(self.figure.figure, alt=self.get_title(loc="left"))


def new_axes(width: float) -> Axes:
    """Return axes of a new figure, so many inches wide, that pyplot does not know."""
    figure = new_figure((width, width / 2.0), GridLayout())
    MeasuringCanvas(figure)
    axes: Axes = figure.add_subplot(axes_class=NotebookAxes)
    return axes


def shown_axes(width: float) -> Axes:
    """Return axes of a new figure, which pyplot knows where it is in use, so that it is shown.

    Not of a page, and not beside the main thread, as pyplot has no locks.
    """
    main = threading.current_thread() is threading.main_thread()
    if is_for_pages() or not main or not (_PYPLOT in sys.modules or _kernel_runs()):
        return new_axes(width)
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(width, width / 2.0), layout=GridLayout())
    axes: Axes = figure.add_subplot(axes_class=PlainAxes)
    return axes


_PYPLOT = "matplotlib.pyplot"


def _kernel_runs() -> bool:
    """Whether this is a notebook: a kernel of IPython that shows figures of pyplot."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def set_height(ax: Axes, points: float) -> None:
    """Make a new figure so high that its axes and texts have `points`, ticks and margins apart."""
    ax.figure.figure.set_figheight((points + _TICKS_AND_MARGINS) / 72.0)


def make_literal(texts: Iterable[Text]) -> None:
    """Have texts drawn as they are, without mathtext or TeX, in whatever script."""
    for text in texts:
        text.set_text(visible(text.get_text()))
        text.set_parse_math(False)
        text.set_usetex(False)
        if is_of_page(text):
            settle_text(text)
        font = get_font(findfont(text.get_fontproperties()))
        unknown = any(font.get_char_index(ord(c)) == 0 for c in text.get_text() if c != "\n")
        if unknown and _has_last_resort() and LAST_RESORT not in text.get_fontfamily():
            text.set_fontfamily([*text.get_fontfamily(), LAST_RESORT])
            text.set_fontweight("normal")  # the only one it has; others are looked for and logged


@cache
def _has_last_resort() -> bool:
    return LAST_RESORT in fontManager.get_font_names()
