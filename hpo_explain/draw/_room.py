"""How much room texts take in figures of plotly, which breaks no lines and cuts what has none.

Such a figure is as wide as its place: texts are broken as they fit on a phone.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from math import ceil

from hpo_explain.base.phrases import columns, shorten
from hpo_explain.draw._text import LINE, plain, visible, wrap

NARROW = 380  # pixels: what fits there fits everywhere
TEXT = 12  # pixels, of the font
HEADING, SMALL = TEXT + 2, TEXT - 1
# of a character and of a bold one, in sizes of its font
WIDE, BOLD = (0.6, 0.68)
NAME = 24  # columns of a name left of axes
MARGIN = 18  # pixels right of axes
MARK, ENTRY = 46, 21  # pixels of a mark in a legend, and of an entry


def legend_high(texts: Sequence[str]) -> int:
    """Return how many pixels a legend is high on a phone."""
    if not texts:
        return 0
    widths = [MARK + WIDE * SMALL * max(map(columns, text.split("<br>"))) for text in texts]
    room = NARROW - 2 * MARGIN
    beside = len(texts) if sum(widths) < room else max(1, int(room / max(widths)))
    broken = max(text.count("<br>") for text in texts)
    return ceil(len(texts) / beside) * int(ENTRY + broken * LINE * SMALL) + 8


def row_label(label: Iterable[str]) -> str:
    """Return a row's label on lines that leave room for the bars."""
    line = " ".join(map(plain, filter(None, label)))
    if columns(line) <= NAME:
        return whole(line)
    return "<br>".join(lines(shorten(plain(part), 3 * NAME), NAME) for part in label if part)


def left_of(labels: Iterable[str]) -> int:
    """Return how many pixels labels left of axes take."""
    widest = max((columns(line) for label in labels for line in label.split("<br>")), default=0)
    return int(widest * WIDE * SMALL) + 10


def below(title: str) -> int:
    """Return how many pixels the numbers along an axis take with its title."""
    return 24 + (high(title, TEXT) + 6 if title else 0)


def high(text: str, size: int) -> int:
    """Return how many pixels the lines of a text take."""
    return int((text.count("<br>") + 1) * LINE * size) if text else 0


def fitting(pixels: float, size: int = TEXT, wide: float = WIDE) -> int:
    """Return how many columns of a font fit on so many pixels."""
    return max(int((pixels - MARGIN) / (size * wide)), 10)


def within(text: str, pixels: float, size: int = TEXT, wide: float = WIDE) -> str:
    """Return a text as it is on lines of at most so many pixels."""
    return lines(text, fitting(pixels, size, wide))


def lines(text: str, width: int) -> str:
    """Return a text as it is, without any markup of its own, on lines of limited width."""
    return whole(wrap(visible(text), width)).replace("\n", "<br>")


def whole(text: str) -> str:
    """Return a text as it is, on one line: neither tags nor formulas of TeX."""
    return html.escape(text, quote=False).replace("$", "&#36;")
