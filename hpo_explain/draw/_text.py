"""Texts in plots and tables: one line, of bounded width, numbers that line up."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

from wcwidth import iter_graphemes

from hpo_explain.base.phrases import first_columns, printable, shorten

_BREAKS = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_LEFT_TO_RIGHT = "\u200e"
LINE = 1.3  # height of a line, in sizes of its font


def plain(text: object) -> str:
    """Return a text on one line in which every character can be seen."""
    line = printable(_BREAKS.sub("↵", str(text)).replace("\t", " "))
    if any(unicodedata.bidirectional(character) in {"R", "AL"} for character in line):
        # "name = 2" stays in this order: without the mark, "= 2" would be read as its continuation
        return f"{_LEFT_TO_RIGHT}{line}{_LEFT_TO_RIGHT}"
    return line


def visible(text: str) -> str:
    """Return a text on the lines that it has, in which every character can be seen."""
    lines = [_BREAKS.sub("↵", line) for line in text.split("\n")]
    marked = [line.split(_LEFT_TO_RIGHT) for line in lines]
    return "\n".join(_LEFT_TO_RIGHT.join(map(printable, runs)) for runs in marked)


def abbreviated(texts: Iterable[str], width: int) -> list[str]:
    """Return texts of at most `width` columns; those that would look alike show where they differ.

    Where that is not enough to tell them apart, they are numbered.
    """
    texts = list(texts)
    short = [shorten(text, width) for text in texts]
    for label in {label for label in short if short.count(label) > 1}:
        alike = [i for i, other in enumerate(short) if other == label]
        names = {i: list(iter_graphemes(texts[i])) for i in alike}
        if len({texts[i] for i in alike}) > 1:
            start = _common(names.values())
            end = _common([name[start:][::-1] for name in names.values()])
            for i, name in names.items():
                short[i] = _around(name, start, len(name) - end, width)
    return distinct(short)


def _common(texts: Collection[Sequence[str]]) -> int:
    """Return how many characters texts have in common at their beginnings."""
    same = takewhile(lambda here: len({*here}) == 1, zip(*texts, strict=False))
    return len([*same])


def _around(text: Sequence[str], start: int, end: int, width: int) -> str:
    """Return what stands around a part of a text, with an ellipsis where it is cut."""
    room = max(width - 2, 1)
    left = max(0, min(start - max(0, room - (end - start)) // 2, len(text) - room))
    part = first_columns(text[left:], room)
    before, after = left > 0, left + len(part) < len(text)
    cut = f"{'…' * before}{''.join(part)}{'…' * after}"
    return f"{_LEFT_TO_RIGHT}{cut}{_LEFT_TO_RIGHT}" if text[0] == _LEFT_TO_RIGHT else cut


def distinct(labels: Iterable[str]) -> list[str]:
    """Return labels in which those that are equal are numbered."""
    seen: dict[str, int] = {}
    told_apart = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        told_apart.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return told_apart


class _Wrapper(textwrap.TextWrapper):
    """Breaks names after an underscore, not within their words."""

    wordsep_re = re.compile(r"(\s+|[^\s_]+_+(?=[^\s_]))")


def wrap(text: str, width: int) -> str:
    """Return a text with its lines broken to about `width` characters, never around "="."""
    lines = text.replace(" = ", "\u00a0=\u00a0").split("\n")
    broken = [_Wrapper(max(width, 10)).wrap(line) or [""] for line in lines]
    return "\n".join(part for line in broken for part in line).replace("\u00a0", " ")
