"""What all plots share: colors that color-blind people can tell apart, axes, and literal text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from hpo_explain.plotting._text import columns, wrap
from hpo_explain.plotting.html import figure_svg

WIDTH = 8.0  # inches: what a page of text is wide on a screen
TEXT = 9.0  # points
HEADING = 11.0
LINE = 1.3  # height of a line, in sizes of its font
GREY = "#6b6b6b"

# Okabe and Ito (2008), Color Universal Design: distinct in all common kinds of color blindness.
BLUE, ORANGE, GREEN, PURPLE, RED = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00"


class Fill(NamedTuple):
    """How a kind of bars is filled: by color and by pattern, so that either is enough."""

    color: str
    hatch: str


FILLS = (Fill(BLUE, ""), Fill(ORANGE, "////"), Fill(GREEN, "\\\\\\\\"), Fill(PURPLE, "xxxx"))

MARGINS = 20.0  # left and right of axes with their labels, in points
_TICKS_AND_MARGINS = 28.0
_CHARACTER = 0.57  # width of an average character of DejaVu Sans, in sizes of the font
_BOLD_CHARACTER = 0.66
# Comes with matplotlib and has a (nameless) glyph for every character, so that measuring a script
# that no other font has does not warn; in SVG the browser's fonts draw it.
_LAST_RESORT = "Last Resort High-Efficiency"


class NotebookAxes(Axes):
    """Axes that a notebook shows when they end a cell: their figure is unknown to pyplot."""

    def _repr_svg_(self) -> str:
        return figure_svg(self.figure.figure, alt=self.get_title(loc="left"))


def new_axes(width: float) -> Axes:
    """Return axes of a new figure, so many inches wide, that pyplot does not know."""
    figure = Figure(figsize=(width, width / 2.0), layout="constrained")
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
        text.set_parse_math(False)
        text.set_usetex(False)
        font = get_font(findfont(text.get_fontproperties()))
        if any(font.get_char_index(ord(c)) == 0 for c in text.get_text() if c != "\n"):
            text.set_fontfamily([*text.get_fontfamily(), _LAST_RESORT])
            text.set_fontweight("normal")  # the only one it has; others are looked for and logged


def label_points(ax: Axes) -> float:
    """Return the width that the labels of the y axis take, in points."""
    widths = [label.get_window_extent().width for label in ax.get_yticklabels()]
    pad = ax.yaxis.get_tick_padding() if widths else 0.0
    return float(max(widths, default=0.0) / ax.figure.figure.dpi * 72.0 + pad)


def limit_ticks(ax: Axes, points: float) -> None:
    """Have no more ticks on an x axis of so many points than their labels have room."""
    ax.xaxis.set_major_locator(MaxNLocator(nbins=max(2, min(9, int(points / 48.0)))))


def lines_high(text: str, size: float = TEXT) -> float:
    """Return how many points high a text is."""
    return (text.count("\n") + 1) * LINE * size if text else 0.0


def points_across(ax: Axes) -> float:
    """Return the width that is there for axes with their labels, in points."""
    figure, place = ax.figure.figure, ax.get_subplotspec()
    if figure.get_layout_engine() is None or place is None:
        return float(ax.get_window_extent().width / figure.dpi * 72.0)
    share = len(place.colspan) / place.get_gridspec().ncols
    return float(figure.get_figwidth() * 72.0 * share)


def characters(points: float, size: float = TEXT, *, bold: bool = False) -> int:
    """Return how many characters of a font size fit on a line of so many points."""
    return int(points / (size * (_BOLD_CHARACTER if bold else _CHARACTER)))


def write_legend(
    ax: Axes, entries: Sequence[tuple[Artist, str]], *, left: float, points: float
) -> float:
    """Write a legend over the axes, where it covers nothing.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    entries : sequence of (matplotlib.artist.Artist, str)
        The marks and what they mean.
    left : float
        How far left of the axes the legend begins, in points.
    points : float
        How wide it may be.

    Returns
    -------
    float
        How many points high it is.
    """
    if not entries:
        return 0.0
    wide = [columns(label) + 7 for _, label in entries]
    room = characters(points)
    n_columns = len(entries) if sum(wide) <= room else max(1, room // max(wide))
    shift = ScaledTranslation(-left / 72.0, 3.0 / 72.0, ax.figure.figure.dpi_scale_trans)
    legend = ax.legend(
        [mark for mark, _ in entries], ["-"] * len(entries), loc="lower left",
        bbox_to_anchor=(0.0, 1.0), bbox_transform=ax.transAxes + shift,
        ncols=n_columns, frameon=False, fontsize=TEXT, borderaxespad=0.0,
        borderpad=0.1, labelspacing=0.2, handlelength=1.8, columnspacing=1.5,
    )  # fmt: skip
    # Set afterwards: a legend leaves out labels that begin with an underscore.
    for text, (_, label) in zip(legend.get_texts(), entries, strict=True):
        text.set_text(label)
    make_literal(legend.get_texts())
    return ceil(len(entries) / n_columns) * TEXT * LINE * 1.12 + 4.0


def write_header(
    ax: Axes, heading: str, text: str, *, above: float, left: float, points: float
) -> float:
    """Write a heading and a text over the axes, wrapped to `points`.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    heading, text : str
        What to write; lines of the text stay lines.
    above, left : float
        How far above and left of the corner of the axes the text begins, in points.
    points : float
        How wide it may be.

    Returns
    -------
    float
        How many points high the two are.
    """
    heading = wrap(heading, characters(points, HEADING, bold=True))
    text = wrap(text, characters(points))
    body = ax.annotate(
        text, (0.0, 1.0), (-left, above + 4.0), xycoords="axes fraction",
        textcoords="offset points", fontsize=TEXT, va="bottom", annotation_clip=False,
    )  # fmt: skip
    height = lines_high(text)
    title = ax.set_title(
        heading, loc="left", fontsize=HEADING, fontweight="bold", pad=above + height + 7.0
    )
    shift = ScaledTranslation(-left / 72.0, 0.0, ax.figure.figure.dpi_scale_trans)
    title.set_transform(title.get_transform() + shift)
    make_literal([body, title])
    return height + 7.0 + lines_high(heading, HEADING)


def write_footer(ax: Axes, label: str, text: str, *, left: float, points: float) -> float:
    """Write the label of the x axis and under it a text in grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    label, text : str
        What to write.
    left : float
        How far left of the axes the text begins, in points.
    points : float
        How wide the axes are, in points; the text may be wider by `left`.

    Returns
    -------
    float
        How many points high the two are.
    """
    size = TEXT - 1.0
    label = wrap(label, characters(points))
    text = wrap(text, characters(points + left, size))
    ax.set_xlabel(label, fontsize=TEXT)
    footer = ax.annotate(
        text, (0.0, 0.0), (-left, -3.0), xycoords=(ax.transAxes, ax.xaxis.label),
        textcoords="offset points", fontsize=size, va="top", color=GREY, annotation_clip=False,
    )  # fmt: skip
    make_literal([ax.xaxis.label, footer])
    return lines_high(label) + 3.0 + lines_high(text, size)
