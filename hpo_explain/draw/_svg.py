"""SVG that is written small, and in a page's colors: attributes are data until they are written."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

_DPI = 150.0  # of what is drawn as pixels
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_PLACES = ("d", "x", "y", "transform", "points")
_MARK = {"xlink:href", "x", "y", "style"}  # the attributes of one of many marks
_ESCAPED = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}  # of attributes
_HUNDREDTHS = re.compile(r"(\.\d\d)\d+")  # of a point
_AROUND_COMMANDS = re.compile(r"\s*([MLCQZz])\s*")  # of a path


class _Writer:
    """Writes what matplotlib draws, without what no eye sees.

    Parameters
    ----------
    inks : mapping of str to str
        What is written for colors; with any, fonts are left to the page.
    """

    def __init__(self, inks: Mapping[str, str]) -> None:
        self.text: list[str] = []
        self._inks = inks
        self._tags: list[str] = []
        self._content = ""  # of the tag that is open
        self._is_open = False  # whether a tag may have no content
        self._marks: list[dict[str, str]] = []  # alike, that are not written yet
        self._count = 0

    def start(self, tag: str, attrib: Mapping[str, str] | None = None, **extra: str) -> int:
        """Begin an element, and return where it stands among those that are open."""
        self._write_marks()
        self._begin_content()
        attributes = {**(attrib or {}), **extra}
        if tag == "g":  # nothing refers to groups
            attributes.pop("id", None)
        self.text.append(f"<{tag}")
        for name, value in self._small(attributes):
            self.text.append(f' {name}="{escape(value, _ESCAPED)}"')
        self._tags.append(tag)
        self._is_open = True
        return len(self._tags) - 1

    def data(self, text: str) -> None:
        """Write text into an element."""
        self._write_marks()
        self._begin_content()
        self.text.append(escape(text))

    def comment(self, comment: str) -> None:
        """Write no comment."""

    def end(self, tag: str = "", indent: bool = True) -> None:
        """End the element that was begun last."""
        self._write_marks()
        ended = self._tags.pop()
        self.text.append("/>" if self._is_open else f"</{ended}>")
        self._is_open = False

    def close(self, place: int) -> None:
        """End all elements from one on."""
        while len(self._tags) > place:
            self.end()

    def element(
        self, tag: str, text: str = "", attrib: Mapping[str, str] | None = None, **extra: str
    ) -> None:
        """Write an element; of marks that are alike, those after each other together."""
        attributes = {**(attrib or {}), **extra}
        if tag == "use" and {*attributes} == _MARK:
            if self._marks and _look(self._marks[0]) != _look(attributes):
                self._write_marks()
            self._marks.append(attributes)
            return
        self.start(tag, attributes)
        if text:
            self.data(text)
        self.end()

    def flush(self) -> None:
        """Write what was not written yet."""
        self._write_marks()

    def _begin_content(self) -> None:
        if self._is_open:
            self.text.append(">")
            self._is_open = False

    def _small(self, attributes: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return attributes in which places are hundredths of points, and colors the page's."""
        small = []
        for name, value in attributes.items():
            if name in _PLACES:
                value = _HUNDREDTHS.sub(r"\1", value)
                value = _AROUND_COMMANDS.sub(r"\1", value) if name == "d" else value
            elif name in ("fill", "stroke"):
                value = self._ink(value)
            elif name == "style":
                value = self._style(value)
            if value:
                small.append((name, value))
        return small

    def _style(self, style: str) -> str:
        entries = [entry.split(": ", 1) for entry in style.split("; ") if ": " in entry]
        left_out = "font-family" if self._inks else ""
        return "; ".join(f"{k}: {self._ink(value)}" for k, value in entries if k != left_out)

    def _ink(self, color: str) -> str:
        return self._inks.get(color.lower(), color)

    def _write_marks(self) -> None:
        """Write marks that are alike as markers of a line: a quarter of their size."""
        marks, self._marks = self._marks, []
        if len(marks) == 1:
            self.start("use", marks[0])
            self.end()
        elif marks:
            shape, style = _look(marks[0])
            self._count += 1
            marker = f"{shape[1:]}-{self._count}"
            self.start("marker", id=marker, markerUnits="userSpaceOnUse", overflow="visible")
            self.element("use", attrib={"xlink:href": shape, "style": style})
            self.end()
            points = " ".join(f"{mark['x']},{mark['y']}" for mark in marks)
            line = f"fill: none; marker: url(#{marker})"
            self.element("polyline", attrib={"points": points, "style": line})


def _look(mark: Mapping[str, str]) -> tuple[str, str]:
    return mark["xlink:href"], mark["style"]


class _Renderer(RendererSVG):
    """Draws into an element of a page: no file of its own."""

    def __init__(self, width: float, height: float, inks: Mapping[str, str], alt: str) -> None:
        options: dict[str, Any] = {"image_dpi": _DPI, "metadata": _NO_METADATA}
        # what begins a file is written elsewhere
        super().__init__(width, height, io.StringIO(), **options)  # type: ignore[no-untyped-call]
        self.writer: Any = _Writer(inks)
        look = (
            f"display: block; width: 100%; max-width: {width:g}pt; height: auto; "
            "stroke-linejoin: round; stroke-linecap: butt"
        )
        attributes = {
            "viewBox": f"0 0 {width:g} {height:g}",
            "xmlns": "http://www.w3.org/2000/svg",
            "xmlns:xlink": "http://www.w3.org/1999/xlink",
            "version": "1.1",
            "style": look,
            "role": "img",
            "aria-label": alt,
        }
        self.writer.start("svg", attributes)


def figure_svg(figure: Figure, *, alt: str, inks: Mapping[str, str]) -> str:
    """Return a figure as inline SVG; its ids are by matplotlib's ``svg.hashsalt``."""
    width, height = figure.get_size_inches()
    figure.set_dpi(72.0)
    own = _Renderer(72.0 * width, 72.0 * height, inks, alt)
    renderer: Any = MixedModeRenderer(figure, width, height, _DPI, own)  # type: ignore[no-untyped-call]
    figure.draw(renderer)
    renderer.finalize()
    return "".join(own.writer.text)
