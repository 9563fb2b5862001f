"""The look of figures that stand in pages: matplotlib's default, whatever the user's style is.

matplotlib reads its style (``rcParams``) whenever it makes an artist, and all threads share it. To
change it for a moment would change the figures that other threads draw in that moment, so it is
only ever read here: figures of pages are given the values of matplotlib's default style one by one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotParams
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import NullLocator, ScalarFormatter

FONT = "DejaVu Sans"  # one, since every text of an SVG names them all; it comes with matplotlib
# Comes with matplotlib from 3.11 on and has a (nameless) glyph for every character, so that
# measuring a script that no other font has does not warn; in SVG the browser's fonts draw it.
LAST_RESORT = "Last Resort High-Efficiency"

_for_pages: ContextVar[bool] = ContextVar("for_pages", default=False)
_INK, _PAPER = "black", "white"
_TICKS: dict[str, dict[str, Any]] = {
    "major": {"length": 3.5, "width": 0.8, "pad": 3.5},
    "minor": {"length": 2.0, "width": 0.6, "pad": 3.4},
}
_ALL_TICKS: dict[str, Any] = {
    "direction": "out", "color": _INK, "labelcolor": _INK, "labelsize": 10.0,
    "labelfontfamily": FONT, "zorder": 2.01, "grid_alpha": 1.0, "grid_color": "#b0b0b0",
    "grid_linewidth": 0.8, "grid_linestyle": "-",
}  # fmt: skip
_SIDES: dict[str, Any] = {
    "bottom": True, "left": True, "top": False, "right": False,
    "labelbottom": True, "labelleft": True, "labeltop": False, "labelright": False,
}  # fmt: skip
_LINE: dict[str, Any] = {
    "linestyle": "-", "linewidth": 1.5, "marker": "None", "markersize": 6.0, "markeredgewidth": 1.0,
    "markeredgecolor": "auto", "markerfacecolor": "auto", "fillstyle": "full", "antialiased": True,
    "solid_capstyle": "projecting", "solid_joinstyle": "round", "dash_capstyle": "butt",
    "dash_joinstyle": "round",
}  # fmt: skip


class PageFigure(Figure):
    """A figure in matplotlib's default style."""

    def __init__(self, figsize: tuple[float, float], layout: ConstrainedLayoutEngine) -> None:
        super().__init__(
            figsize, dpi=100.0, facecolor=_PAPER, edgecolor=_PAPER, linewidth=0.0, frameon=True,
            layout=layout, subplotpars=SubplotParams(0.125, 0.11, 0.9, 0.88, 0.2, 0.2),
        )  # fmt: skip
        layout.set(w_pad=0.04167, h_pad=0.04167, wspace=0.02, hspace=0.02)


@contextlib.contextmanager
def for_pages() -> Iterator[None]:
    """Have new figures of this thread be figures of pages."""
    before = _for_pages.set(True)
    try:
        yield
    finally:
        _for_pages.reset(before)


def is_for_pages() -> bool:
    """Whether new figures of this thread are figures of pages."""
    return _for_pages.get()


def new_figure(figsize: tuple[float, float], layout: ConstrainedLayoutEngine) -> Figure:
    """Return a figure in the user's style, or of a page."""
    if _for_pages.get():
        return PageFigure(figsize, layout)
    return Figure(figsize, layout=layout)


def is_of_page(artist: Artist) -> bool:
    """Whether an artist is drawn in matplotlib's default style."""
    return artist.figure is not None and isinstance(artist.figure.figure, PageFigure)


def ink() -> str:
    """Return the color of text and lines, in the user's style or on a page."""
    return _INK if _for_pages.get() else str(matplotlib.rcParams["text.color"])


def line_look(**look: Any) -> dict[str, Any]:
    """Return the look of a line, in which nothing is left to the user's style on a page."""
    look = normalize_kwargs(look, Line2D)
    return {**_LINE, **look} if _for_pages.get() else look


def line_mark(**look: Any) -> Line2D:
    """Return the mark of a line in a legend."""
    return Line2D([], [], **line_look(**look))


def settle_axes(ax: Axes, *, scale: bool = False) -> None:
    """Give new axes of a page the default style; a scale of colors has its ticks on the right."""
    ax.set_facecolor(_PAPER)
    ax.set_axisbelow("line")
    ax.margins(0.05, 0.05)
    ax.grid(visible=False, which="both")
    for spine in ax.spines.values():
        spine.set(edgecolor=_INK, linewidth=0.8, visible=not scale, antialiased=True)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.labelpad = 4.0
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_powerlimits((-5, 6))
            formatter.set_useMathText(False)
            formatter.set_useLocale(False)
            setattr(formatter, "_usetex", False)  # noqa: B010  # it has a setter from 3.10 on
    for which, look in _TICKS.items():
        ax.tick_params(which=which, **look, **_ALL_TICKS, **({} if scale else _SIDES))
    for text in (ax.xaxis.label, ax.yaxis.label, ax.xaxis.offsetText, ax.yaxis.offsetText):
        text.set(color=_INK, fontsize=10.0, fontweight="normal")
        settle_text(text)


def settle_text(text: Text) -> None:
    """Give a text of a page the default font."""
    family = [FONT, *(name for name in text.get_fontfamily() if name == LAST_RESORT)]
    text.set(fontfamily=family, fontstyle="normal", fontvariant="normal", fontstretch="normal")
    text.set(usetex=False, parse_math=False, antialiased=True)


def settle(figure: Figure) -> None:
    """Give all artists of a page's figure what they have from nobody but the style."""
    for artist in figure.findobj(include_self=True):
        artist.set_sketch_params(None)
        artist.set_path_effects([])
        if isinstance(artist, Text):
            settle_text(artist)
        elif isinstance(artist, (Patch, Collection)):
            artist.set_antialiased(True)
            setattr(artist, "_hatch_linewidth", 1.0)  # noqa: B010  # it has a setter from 3.10 on
