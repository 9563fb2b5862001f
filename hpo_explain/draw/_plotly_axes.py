"""Axes of plotly: lines and points on them, and what is written along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go

from hpo_explain.base.figures.marks import GREY, LOOKS, Axis, Dots, Line
from hpo_explain.base.phrases import columns, shorten
from hpo_explain.draw import _room as texts
from hpo_explain.draw._room import ENTRY, NAME, NARROW, SMALL
from hpo_explain.draw._text import LINE, abbreviated, plain

HIGH = 260  # pixels that axes are high
PANEL = 180  # the same of one of several
NUMBERS = 58  # pixels of numbers left of axes
SCALE = 80  # pixels of a scale of colors
_SYMBOLS = {"cross": "x-thin-open", "bar": "line-ns-open"}


Ends: TypeAlias = tuple[float, float]


class Room(NamedTuple):
    """How many pixels axes are high, and what stands left of them and below takes."""

    high: int
    left: int
    below: int


class Axes:
    """One of the axes of a figure: what is drawn lands there, each meaning named once.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        The figure.
    means : mapping of str to str
        What looks mean.
    wide : int, optional
        How many pixels wide they are on a phone.
    **cell : int
        The row and the column of a panel.
    """

    def __init__(self, figure: go.Figure, means: Any, wide: int = NARROW, **cell: int) -> None:
        self.figure = figure
        self.wide = wide
        self.cell = cell
        # of the description, lying or not: what is pointed at says its values along them
        self.x = self.y = Axis(label="")
        self.lying = False
        # of colors: its ends, and what the first dots along it are to show
        self.scale: tuple[float, float] = (0.0, 1.0)
        self.colorbar: dict[str, Any] = {}
        self._means = means
        self._ranks = {meaning: 1000 + k for k, meaning in enumerate(means)}

    def add(self, trace: Any, meaning: str = "", text: str = "") -> None:
        """Add a trace, in the legend as what its look means."""
        text = texts.within(text or self._means.get(meaning, ""), NARROW - texts.MARK, SMALL)
        named = {other.name for other in self.figure.data if other.showlegend}
        trace.update(
            name=text,
            legendgroup=text or None,
            showlegend=bool(text) and text not in named,
            legendrank=self._ranks.get(meaning, 999),
        )
        self.figure.add_trace(trace, **self.cell)

    def scatter(self, x: Any, y: Any, *, meaning: str = "", **how: Any) -> None:
        """Add lines or points."""
        x, y = (y, x) if self.lying else (x, y)
        self.add(go.Scatter(x=x, y=y, **how), meaning)

    def stroke(self, x: Any, y: Any, look: str, **how: Any) -> None:
        """Add a line with a look, which the legend names."""
        self.scatter(x, y, meaning=look, **{"mode": "lines", "line": stroke(look), **how})

    def key(self, meaning: str, **marker: Any) -> None:
        """Add what stands in the legend only."""
        self.scatter([None], [None], meaning=meaning, mode="markers", marker=marker)

    def update_x(self, **how: Any) -> None:
        """Update the x axis."""
        self.figure.update_xaxes(**how, **self.cell)

    def update_y(self, **how: Any) -> None:
        """Update the y axis."""
        self.figure.update_yaxes(**how, **self.cell)

    def told(self, marks: Line | Dots) -> list[str]:
        """Return what each value of a line or of points says when it is pointed at."""
        return [
            pointed_at((self.x, x), (self.y, y))
            + (f" ({self.y.text(low)} to {self.y.text(high)})" if low < high else "")
            for x, y, low, high in zip(marks.x, marks.y, *marks.ends, strict=True)
        ]


def pointed_at(*values: tuple[Axis, float]) -> str:
    said = ((axis.title, axis.text(value)) for axis, value in values)
    return "\n".join(": ".join(filter(None, words)) for words in said)


def hovertext(texts_of_points: Iterable[str]) -> list[str]:
    return [texts.within(text, NARROW) for text in texts_of_points]


# ---------------------------------------------------------------------- looks


def stroke(look: str) -> dict[str, Any]:
    """Return how a line with a look is drawn."""
    kind = LOOKS[look]
    return {"color": kind.color, "width": kind.width, "dash": kind.dash}


def point(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    return {
        "color": kind.color,
        "symbol": _SYMBOLS.get(kind.marker, kind.marker + "-open" * kind.hollow),
        "size": 1.4 * kind.size,
        "opacity": kind.alpha,
        "line": {"color": kind.edge or kind.color, "width": 0.8 if kind.edge else 1.2},
    }


def scale_of_colors(label: str, **how: Any) -> dict[str, Any]:
    """Return a scale of colors that stands right of axes, with its label along it."""
    text = texts.whole(shorten(plain(label), texts.fitting(PANEL)))
    return {
        "title": {"text": text, "side": "right", "font": {"size": SMALL}},
        "thickness": 10,
        "tickfont": {"size": SMALL},
        **how,
    }


def draw_line(axes: Axes, line: Line) -> None:
    look = LOOKS[line.look]
    if line.has_ends:
        has_band = np.isfinite(line.ends[0])
        x, (low, high) = line.x[has_band], line.ends[:, has_band]
        red, green, blue = (int(look.color[k : k + 2], 16) for k in (1, 3, 5))
        axes.scatter(
            np.concatenate([x, x[::-1]]),
            np.concatenate([high, low[::-1]]),
            meaning="band" if line.look == "main" else "",
            mode="none",
            fill="toself",
            fillcolor=f"rgba({red}, {green}, {blue}, 0.22)",
            hoverinfo="skip",
        )
    axes.stroke(
        line.x,
        line.y,
        line.look,
        mode="lines+markers" if line.alone.any() else "lines",
        line={**stroke(line.look), "shape": "hv" if line.step else None},
        marker={**point(line.look), "size": 5},
        opacity=look.alpha,
        hoverinfo="text",
        hovertext=hovertext(axes.told(line)),
    )


def draw_dots(axes: Axes, dots: Dots, *, marker: str = "") -> None:
    mark = point(dots.look)
    if marker:
        mark |= {"symbol": marker, "size": point("beyond")["size"]}
    if len(dots.colors):
        low, high = axes.scale
        mark = {
            "color": low + (high - low) * np.array(dots.colors),
            "colorscale": "Cividis",
            "cmin": low,
            "cmax": high,
            "symbol": mark["symbol"],
            "size": 6,
            "line": {"width": 1.5 if "thin" in mark["symbol"] else 0.0},
            "showscale": bool(axes.colorbar),
            "colorbar": axes.colorbar,
        }
        axes.colorbar = {}  # one scale for all
    whiskers: dict[str, Any] = {}
    if dots.has_ends:
        down, up = dots.reach
        color = LOOKS[dots.look].color
        whiskers = {"arrayminus": down, "array": up, "width": 3, "color": color}
    axes.scatter(
        dots.x,
        dots.y,
        meaning=dots.look,
        mode="markers+text" if dots.labels else "markers",
        marker=mark,
        hoverinfo="text",
        hovertext=hovertext(dots.told or axes.told(dots)),
        text=[texts.lines(label, NAME) for label in dots.labels] or None,
        textposition="top right",
        textfont_size=SMALL,
        cliponaxis=False,
        **{"error_x" if axes.lying else "error_y": whiskers},
    )


# ---------------------------------------------------------------------- axes


def row_high(labels: Sequence[str]) -> int:
    """Return how many pixels a row is high that has room for each of some labels."""
    return max([30, *(texts.high(label, SMALL) + 6 for label in labels)])


def write_at(figure: go.Figure, text: str, x: float, y: float, **how: Any) -> None:
    """Write a text at a place of a figure, whose corners are 0 and 1."""
    paper = {"xref": "paper", "yref": "paper", "xanchor": "left", "align": "left"}
    figure.add_annotation(text=text, x=x, y=y, showarrow=False, **{**paper, **how})


def names_down(axes: Axes, labels: Sequence[str], title: str = "", *, quiet: int = 0) -> int:
    """Write labels left of axes, the last ones quietly; return how many pixels they take."""
    n = len(labels)
    grey = f'<span style="color:{GREY}">{{}}</span>'
    axes.update_y(
        title=_beside(title, PANEL),
        range=[n - 0.5, -0.5],
        tickvals=[*range(n)],
        ticktext=[*labels[: n - quiet], *map(grey.format, labels[n - quiet :])],
    )
    return texts.left_of(labels) + (ENTRY if title else 0)


def _beside(title: str, pixels: int) -> str:
    room = texts.fitting(pixels)
    return texts.lines(shorten(plain(title), room), room)


def along_y(axes: Axes, axis: Axis, pixels: int, limits: Ends | None = None) -> None:
    """Give a y axis of numbers its label and its scale, which is so long on a phone."""
    title = _beside(axis.title, pixels)
    axes.update_y(title=title, **_numbers(axis, limits))


def along_x(axes: Axes, axis: Axis, pixels: int, limits: Ends | None = None) -> int:
    """Give an x axis what is written along it; return how many pixels that takes below."""
    title = texts.within(axis.title, pixels)
    axes.update_x(title=title)
    if axis.names:
        return texts.below(title) + _names_across(axes, axis.names, pixels)
    axes.update_x(**_numbers(axis, limits))
    return texts.below(title)


def _names_across(axes: Axes, names: Sequence[str], pixels: int) -> int:
    """Write names below axes; return how many pixels those take that are written upwards."""
    n, labels = len(names), [*map(plain, names)]
    wide = texts.WIDE * SMALL
    upwards = n * (max(map(columns, labels)) + 1) * wide > pixels
    if upwards:
        labels = abbreviated(labels, NAME)
    every = max(1, ceil(n * LINE * SMALL / pixels)) if upwards else 1
    axes.update_x(
        range=[-0.5, n - 0.5],
        tickvals=[*range(0, n, every)],
        ticktext=[*map(texts.whole, labels[::every])],
        tickangle=90 if upwards else 0,
    )
    return int(max(map(columns, labels)) * wide) if upwards else 0


def _numbers(axis: Axis, limits: Ends | None) -> dict[str, Any]:
    """Return how numbers along an axis are written, which ends at its limits or other ones."""
    how: dict[str, Any] = {
        "type": "log" if axis.log else "linear",
        "exponentformat": "power",
        "nticks": 6,
        "tickformat": ".0%" if axis.percent else None,
    }
    first, last = limits or axis.limits
    if first is not None and last is not None:
        ends = [first, last]
        how["range"] = np.log10(ends) if axis.log else ends
    values = [
        float(value) for value in (*axis.limits, *axis.values) if isinstance(value, (int, float))
    ]
    if values and axis.log:
        decades = np.log10(max(values)) - np.log10(min(values))
        how["dtick"] = ceil(decades / 4) if decades > 1.5 else "D2"
    elif values and axis.integers:
        how["dtick"] = 1 if max(values) - min(values) < 8 else None
    return how
