"""What is written over and under axes and panels, never on what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from hpo_explain.base.figures.marks import GREY, INK, ORANGE, Words
from hpo_explain.base.figures.panels import Panels
from hpo_explain.base.phrases import shorten
from hpo_explain.draw._layout import EDGE, Around, Room, Shape, label_below, room_beside
from hpo_explain.draw._legend import legend_of_panels, write_legend
from hpo_explain.draw._text import plain, visible, wrap
from hpo_explain.draw._texts import (
    BOLD,
    CHARACTER,
    HEADING,
    SMALL,
    TEXT,
    characters,
    high,
    ink,
    literal,
)

MARGINS = 20.0  # left and right of axes with their labels, in points
_UNBROKEN = 1.18  # times as wide are the letters of a word that is broken, at most
_CALLOUT: dict[str, Any] = {
    "bbox": {"facecolor": ORANGE, "alpha": 0.25, "linewidth": 0.0, "pad": 1.5},
    "fontweight": "bold",
}


def write_around(
    ax: Axes, words: Words, marks: Mapping[str, Artist], shape: Shape, points: float
) -> Around:
    """Write what stands around axes; return how many points it takes, and what they need.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    words : Words
        What is written over and under them.
    marks : mapping of str to artist
        The legend.
    shape : Shape
        The height of the axes, and their labels.
    points : float
        How wide the axes are with their labels.
    """
    label = _upright(plain(shape.beside), 0.95 * shape.height)
    ax.set_ylabel(label, fontsize=TEXT)
    literal(ax.yaxis.label)
    upright, across = room_beside(ax.yaxis), room_beside(ax.xaxis)
    left = (upright | across).left
    wide = max(points - MARGINS, 100.0)
    over = 4.0
    if marks:
        corner = ax.transAxes + _shift(ax, -left, 3.0)
        over += 4.0 + write_legend(ax, marks, wide, corner, "lower left")
    for text, style, width in ((words.warning, _CALLOUT, BOLD), (words.subtitle, {}, CHARACTER)):
        if text:
            body = _wrapped(text, wide, wide=width)
            how = {"xycoords": "axes fraction", "va": "bottom", "fontsize": TEXT, **style}
            _write_beside(ax, body, (0.0, 1.0), (-left, over), color=ink(), **how)
            over += high(body, TEXT) + 4.0
    heading = _wrapped(words.heading, wide, HEADING, BOLD)
    title = ax.set_title(
        heading, loc="left", fontsize=HEADING, fontweight="bold", color=ink(), pad=over + 1.0, y=1.0
    )
    title.set_transform(title.get_transform() + _shift(ax, -left, 0.0))
    label = wrap(plain(shape.label), _columns(shape.label, wide - left))
    ax.set_xlabel(label, fontsize=TEXT)
    footer = wrap(visible(words.footer), characters(wide, SMALL))
    how = {"xycoords": (ax.transAxes, ax.xaxis.label), "va": "top", "fontsize": SMALL}
    _write_beside(ax, footer, (0.0, 0.0), (-left, -3.0), color=GREY, **how)
    literal(title, ax.xaxis.label)
    numbers = Room(below=across.below + label_below(ax.xaxis))
    return Around(
        over=over + high(heading, HEADING),
        under=high(footer, SMALL) + 3.0,
        room=upright | across | numbers,
    )


def _write_beside(
    ax: Axes, text: str, xy: tuple[float, float], away: tuple[float, float], **style: Any
) -> None:
    """Write a text so many points away from a place of axes."""
    how: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False, **style}
    literal(ax.annotate(text, xy, away, **how))


def write_around_panels(part: Any, figure: Panels, points: float) -> tuple[float, float]:
    """Write what all panels have in common; return how many points it takes over and under."""
    heading = wrap(plain(figure.heading), characters(points, HEADING, BOLD))
    bold: dict[str, Any] = {"size": HEADING, "va": "top", "fontweight": "bold"}
    write_at_side(part, heading, 1.0, (EDGE, -EDGE), **bold)
    over = high(heading, HEADING) + 2.0
    said = "\n".join(filter(None, [figure.subtitle, figure.warning]))
    if said:
        body = wrap(said, characters(points))
        write_at_side(part, body, 1.0, (EDGE, -EDGE - over), va="top")
        over += high(body, TEXT) + 2.0
    if marks := legend_of_panels(figure):
        corner = part.transSubfigure + _shift(part, EDGE, -EDGE - over)
        over += 2.0 + write_legend(part, marks, points, corner, "upper left")
    footer = wrap(visible(figure.footer), characters(points, SMALL))
    if footer:
        quiet: dict[str, Any] = {"size": SMALL, "color": GREY, "va": "bottom"}
        write_at_side(part, footer, 0.0, (EDGE, EDGE), **quiet)
    return over + 4.0, high(footer, SMALL) + 2.0


def write_at_side(
    part: Any,
    text: str,
    y: float,
    away: tuple[float, float],
    *,
    size: float = TEXT,
    color: str = INK,
    **style: Any,
) -> None:
    """Write a text at the left side of a figure, so many points away from a height in it."""
    written = part.text(
        0.0,
        y,
        text,
        fontsize=size,
        color=ink(color),
        transform=part.transSubfigure + _shift(part, *away),
        **style,
    )
    literal(written)


def _shift(part: Any, right: float, up: float) -> ScaledTranslation:
    """Return a move by so many points in a figure, or in that of axes."""
    figure = part.figure.figure if isinstance(part, Axes) else part
    return ScaledTranslation(right / 72.0, up / 72.0, figure.dpi_scale_trans)


def _upright(text: str, points: float) -> str:
    """Return a label beside axes: on two lines where it needs them, shortened beyond that."""
    room = _columns(text, points)
    broken = wrap(text, room)
    return broken if broken.count("\n") <= 1 else shorten(text, room)


def _wrapped(text: str, points: float, size: float = TEXT, wide: float = CHARACTER) -> str:
    """Return a text on lines of so many points."""
    lines = "\n".join(map(plain, text.split("\n")))
    return wrap(lines, _columns(text, points, size, wide))


def _columns(text: str, points: float, size: float = TEXT, wide: float = CHARACTER) -> int:
    """Return how many characters of a text stand on a line.

    Fewer of one with a word that may not fit: its letters may all be wide ones.
    """
    room = characters(points, size, wide)
    longest = max(map(len, text.split()), default=0)
    return room if longest * _UNBROKEN <= room else int(room / _UNBROKEN)
