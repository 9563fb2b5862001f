"""Texts of figures of matplotlib: how wide and high they are, and names along axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import ceil

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.text import Text

from hpo_explain.base.figures.marks import GREY, INK
from hpo_explain.base.phrases import columns, shorten
from hpo_explain.draw._text import LINE, abbreviated, distinct, plain, visible, wrap

TEXT = 9.0  # points
HEADING, SMALL = TEXT + 2.0, TEXT - 1.0
# Comes with matplotlib from 3.11 on and has a glyph for every character, so that none is missing.
LAST_RESORT = "Last Resort High-Efficiency"
# width of an average character of DejaVu Sans, and of a bold one, in sizes of the font
CHARACTER, BOLD = 0.55, 0.64


def ink(color: str = INK) -> str:
    """Return a color, ink being that of texts in the user's style."""
    return str(matplotlib.rcParams["text.color"]) if color == INK else color


def characters(points: float, size: float = TEXT, wide: float = CHARACTER) -> int:
    """Return how many average characters of a font size fit on a line of so many points."""
    return max(int(points / (size * wide)), 8)


def literal(*texts: Text) -> None:
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
    return all(font.get_char_index(ord(c)) for c in text.get_text() if c != "\n")


def high(text: str, size: float) -> float:
    """Return how many points high a text is."""
    return (text.count("\n") + 1) * LINE * size if text else 0.0


# ---------------------------------------------------------------------- names along axes


def row_labels(rows: Iterable[Sequence[str]], width: int) -> list[str]:
    """Return a label for each row: its parts on a line, or below each other where they are long."""
    cleaned = [[plain(part) for part in row if part] for row in rows]
    names = list(dict.fromkeys(row[0] for row in cleaned))
    fitted = dict(zip(names, whole_names(names, width), strict=True))
    labels = []
    for row in cleaned:
        line = " ".join(row)
        if columns(line) > width:
            line = "\n".join([fitted[row[0]], *(shorten(part, width) for part in row[1:])])
        labels.append(line)
    return distinct(labels)


def whole_names(names: Sequence[str], width: int) -> list[str]:
    """Return names on as many lines as they need, but for those that are longer than three."""
    short = abbreviated([plain(name) for name in names], 3 * width)
    return distinct(wrap(name, width) for name in short)


def names_down(ax: Axes, labels: Sequence[str], *, tinted: bool = True) -> None:
    """Write labels along the y axis from the top down, every second row tinted."""
    n = len(labels)
    for i in range(1, n, 2) if tinted else ():
        ax.axhspan(i - 0.5, i + 0.5, color=GREY, alpha=0.07, linewidth=0.0, zorder=0)
    ax.set_ylim(max(n, 1) - 0.5, -0.5)
    ax.set_yticks(np.arange(n), labels, fontsize=TEXT)
    ax.tick_params(axis="y", length=0.0)
    literal(*ax.get_yticklabels())


def names_across(ax: Axes, names: Sequence[str], points: float) -> None:
    """Write names along the x axis, upwards where they are too wide.

    Names that have no room are left out.
    """
    width = int(points / max(len(names), 1) / (TEXT * CHARACTER)) - 1
    texts = [plain(name) for name in names]
    upright = max(map(columns, texts), default=0) > width
    labels = abbreviated(texts, 24 if upright else max(width, 1))
    every = max(1, ceil(1.1 * TEXT * len(names) / points)) if upright else 1
    ax.set_xticks(
        np.arange(0, len(names), every),
        labels[::every],
        fontsize=TEXT,
        rotation=90 if upright else 0,
    )
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.tick_params(axis="x", length=0.0)
    literal(*ax.get_xticklabels())
