"""Texts of figures of matplotlib: over, under and left of the axes, never on what is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import ceil
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from hpo_explain.base.figures.marks import GREY, INK, ORANGE, Words
from hpo_explain.base.width import columns, shorten
from hpo_explain.draw._place import Around, Shape, room_beside
from hpo_explain.draw._text import abbreviated, distinct, plain, visible, wrap

TEXT, HEADING, SMALL = 9.0, 11.0, 8.0  # points
LINE = 1.3  # height of a line, in sizes of its font
MARGINS = 20.0  # left and right of axes with their labels, in points
# Comes with matplotlib from 3.11 on and has a glyph for every character, so that none is missing.
LAST_RESORT = "Last Resort High-Efficiency"
_CHARACTER = (
    0.55  # width of an average character of DejaVu Sans, in sizes of the font
)
_BOLD = 0.64
_UNBROKEN = (
    1.18  # times as wide are the letters of a word that is broken, at most
)
_MARK = 34.0  # points of a mark in a legend, with the room around it
_UPRIGHT = 24  # columns of a name that is written upwards
_MOST_LINES = 3  # of a name left of axes
_CALLOUT: dict[str, Any] = {
    "bbox": {"facecolor": ORANGE, "alpha": 0.25, "linewidth": 0.0, "pad": 1.5},
    "fontweight": "bold",
}
LEGEND: dict[str, Any] = {
    "frameon": False,
    "fontsize": TEXT,
    "borderaxespad": 0.0,
    "borderpad": 0.1,
    "labelspacing": 0.2,
    "columnspacing": 1.5,
    "handlelength": 1.8,
    "handletextpad": 0.8,
}


def ink(color: str = INK) -> str:
    """Return a color, ink being that of texts in the user's style."""
    return str(matplotlib.rcParams["text.color"]) if color == INK else color


def characters(
    points: float, size: float = TEXT, wide: float = _CHARACTER
) -> int:
    """Return how many average characters of a font size fit on a line of so many points."""
    return max(int(points / (size * wide)), 8)


def literal(texts: Iterable[Text]) -> None:
    """Have texts drawn as they are, without mathtext or TeX, in whatever script."""
    for text in texts:
        text.set_text(visible(text.get_text()))
        text.set_parse_math(False)
        text.set_usetex(False)
        if LAST_RESORT in _fonts() and not _has_glyphs(text):
            text.set_fontfamily([*text.get_fontfamily(), LAST_RESORT])
            text.set_fontweight("normal")  # the only one it has


@cache
def _fonts() -> set[str]:
    return {*fontManager.get_font_names()}


def _has_glyphs(text: Text) -> bool:
    if text.get_text().isascii():
        return True
    font = get_font(findfont(text.get_fontproperties()))
    return all(
        font.get_char_index(ord(c)) for c in text.get_text() if c != "\n"
    )


def points_across(ax: Axes) -> float:
    """Return the width that is there for axes with their labels, in points."""
    figure, place = ax.figure.figure, ax.get_subplotspec()
    if figure.get_layout_engine() is None or place is None:
        return float(ax.get_window_extent().width / figure.dpi * 72.0)
    share = len(place.colspan) / place.get_gridspec().ncols
    return float(figure.get_figwidth() * 72.0 * share)


def high(text: str, size: float) -> float:
    """Return how many points high a text is."""
    return (text.count("\n") + 1) * LINE * size if text else 0.0


# ---------------------------------------------------------------------- names along axes


def row_labels(rows: Iterable[Sequence[str]], width: int) -> list[str]:
    """Return a label for each row: its parts on a line, or below each other where they are long."""
    parts = [[plain(part) for part in row if part] for row in rows]
    names = list(dict.fromkeys(row[0] for row in parts))
    fitted = dict(zip(names, abbreviated(names, width), strict=True))
    labels = []
    for row in parts:
        line = " ".join(row)
        if columns(line) > width:
            line = "\n".join(
                [fitted[row[0]], *(shorten(part, width) for part in row[1:])]
            )
        labels.append(line)
    return distinct(labels)


def whole_names(names: Sequence[str], width: int) -> list[str]:
    """Return names on as many lines as they need, but for those that are longer than three."""
    short = abbreviated([plain(name) for name in names], _MOST_LINES * width)
    return distinct(wrap(name, width) for name in short)


def names_down(
    ax: Axes, labels: Sequence[str], *, tinted: bool = True
) -> None:
    """Write labels along the y axis from the top down, every second row tinted."""
    n = len(labels)
    for i in range(1, n, 2) if tinted else ():
        ax.axhspan(
            i - 0.5, i + 0.5, color=GREY, alpha=0.07, linewidth=0.0, zorder=0
        )
    ax.set_ylim(max(n, 1) - 0.5, -0.5)
    ax.set_yticks(np.arange(n), labels, fontsize=TEXT)
    ax.tick_params(axis="y", length=0.0)
    literal(ax.get_yticklabels())


def names_across(ax: Axes, names: Sequence[str], points: float) -> None:
    """Write names along the x axis, upwards where they are too wide.

    Names that have no room are left out.
    """
    width = int(points / max(len(names), 1) / (TEXT * _CHARACTER)) - 1
    texts = [plain(name) for name in names]
    upright = max(map(columns, texts), default=0) > width
    labels = abbreviated(texts, _UPRIGHT if upright else max(width, 1))
    every = max(1, ceil(1.1 * TEXT * len(names) / points)) if upright else 1
    at = np.arange(0, len(names), every)
    ax.set_xticks(
        at, labels[::every], fontsize=TEXT, rotation=90 if upright else 0
    )
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.tick_params(axis="x", length=0.0)
    literal(ax.get_xticklabels())


# ---------------------------------------------------------------------- around axes


def write_around(
    ax: Axes,
    words: Words,
    legend: Sequence[tuple[Artist, str]],
    shape: Shape,
    points: float,
) -> Around:
    """Write what stands around axes; return how many points it takes.

    Under them is what stands below the label of the x axis.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    words : Words
        What is written over and under them.
    legend : sequence of (artist, str)
        Marks and what they mean.
    shape : Shape
        The height of the axes, and their labels.
    points : float
        How wide the axes are with their labels.
    """
    ax.set_ylabel(
        _upright(plain(shape.beside), 0.95 * shape.height), fontsize=TEXT
    )
    literal([ax.yaxis.label])
    upright, across = room_beside(ax.yaxis), room_beside(ax.xaxis)
    left = (upright | across).left
    wide = max(points - MARGINS, 100.0)
    over = write_legend(ax, legend, left, wide) + 4.0
    for text, style in ((_caution(words), _CALLOUT), (words.subtitle, {})):
        if text:
            body = wrap(
                _lines(text),
                _columns(text, wide, wide=_BOLD if style else _CHARACTER),
            )
            written = ax.annotate(
                body,
                (0.0, 1.0),
                (-left, over),
                xycoords="axes fraction",
                color=ink(),
                textcoords="offset points",
                fontsize=TEXT,
                va="bottom",
                annotation_clip=False,
                **style,
            )
            literal([written])
            over += high(body, TEXT) + 4.0
    heading = wrap(
        _lines(words.heading), _columns(words.heading, wide, HEADING, _BOLD)
    )
    title = ax.set_title(
        heading,
        loc="left",
        fontsize=HEADING,
        fontweight="bold",
        color=ink(),
        pad=over + 1.0,
        y=1.0,
    )
    shift = ScaledTranslation(
        -left / 72.0, 0.0, ax.figure.figure.dpi_scale_trans
    )
    title.set_transform(title.get_transform() + shift)
    ax.set_xlabel(
        wrap(plain(shape.label), _columns(shape.label, wide - left)),
        fontsize=TEXT,
    )
    footer = wrap(visible(words.footer), characters(wide, SMALL))
    under = ax.annotate(
        footer,
        (0.0, 0.0),
        (-left, -3.0),
        xycoords=(ax.transAxes, ax.xaxis.label),
        textcoords="offset points",
        fontsize=SMALL,
        va="top",
        color=GREY,
        annotation_clip=False,
    )
    literal([title, ax.xaxis.label, under])
    return Around(
        over=over + high(heading, HEADING),
        under=high(footer, SMALL) + 3.0,
        across=across,
        upright=upright,
    )


def _upright(text: str, points: float) -> str:
    """Return a label beside axes: on two lines where it needs them, shortened beyond that."""
    room = _columns(text, points)
    broken = wrap(text, room)
    return broken if broken.count("\n") <= 1 else shorten(text, room)


def _columns(
    text: str, points: float, size: float = TEXT, wide: float = _CHARACTER
) -> int:
    """Return how many characters of a text stand on a line.

    Fewer of one with a word that may not fit: its letters may all be wide ones.
    """
    room = characters(points, size, wide)
    longest = max(map(len, text.split()), default=0)
    return room if longest * _UNBROKEN <= room else int(room / _UNBROKEN)


def write_legend(
    ax: Axes, entries: Sequence[tuple[Artist, str]], left: float, points: float
) -> float:
    """Write a legend over the axes, so far left of them; return how many points high it is."""
    if not entries:
        return 0.0
    texts = [shorten(plain(text), 60) for _, text in entries]
    shift = ScaledTranslation(
        -left / 72.0, 3.0 / 72.0, ax.figure.figure.dpi_scale_trans
    )
    across = legend_columns(texts, points)
    # Texts are set afterwards: a legend leaves out labels that begin with an underscore.
    legend = ax.legend(
        [mark for mark, _ in entries],
        ["-"] * len(entries),
        loc="lower left",
        ncols=across,
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=ax.transAxes + shift,
        **LEGEND,
    )
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set_text(text)
    literal(legend.get_texts())
    return -(-len(texts) // across) * TEXT * 1.45 + 4.0


def legend_columns(texts: Sequence[str], points: float) -> int:
    """Return how many entries of a legend stand beside each other."""
    widest = max(map(columns, texts)) * TEXT * _CHARACTER + _MARK
    total = sum(columns(text) * TEXT * _CHARACTER + _MARK for text in texts)
    return len(texts) if total <= points else max(1, int(points / widest))


def _caution(words: Words) -> str:
    text = words.caution
    return f"Caution: {text[0].lower()}{text[1:]}" if text else ""


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))
