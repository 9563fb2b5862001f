"""Makes figures of plotly from descriptions; how much room texts take is said in `_room`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import (
    GREEN,
    GREY,
    INK,
    LOOKS,
    RULE,
    TINT,
    Axis,
    Dots,
    Line,
    pointing,
    reach,
)
from hpo_explain.base.figures.panels import Figure, Panels
from hpo_explain.base.figures.parallel import Parallel, Tick
from hpo_explain.base.figures.rows import FILLS, PALE, Bar, Rows
from hpo_explain.base.width import columns, shorten
from hpo_explain.draw import _room as texts
from hpo_explain.draw._room import (
    BOLD,
    ENTRY,
    MARGIN,
    NAME,
    NARROW,
    SMALL,
    TEXT,
)
from hpo_explain.draw._text import abbreviated, plain

# pixels, of what is high without what is around
_AXES, _PANEL, _ROW, _CELL = (260, 180, 30, 26)
# columns of a name that is written upright; panels beside each other
_UPRIGHT, _PANELS = (24, 2)
# of parallel axes: pixels left of the first, of texts along them, and beside these
_ASIDE, _TINY, _GAP = (36, 9, 8)
# of a parallel axis of numbers, marks; a character of no width
_MARKS, _UNSEEN = (26, "\u200b")
# pixels of numbers left of axes, and of a scale of colors
_NUMBERS, _SCALE = (58, 80)
_APART = 5  # pixels between an axis and its numbers, so that those of both do not touch
_SYMBOLS = {"cross": "x-thin-open", "bar": "line-ns-open"}
_VEIL = "rgba({0}, {0}, {0}, 0.6)"
_STROKE = "rgb(255, 255, 255)"  # over colors, in the dark as well
_DARK = {
    INK: "white",
    "black": "white",
    "white": "#111111",
    _VEIL.format(255): _VEIL.format(17),
    GREY: "#a8a8a8",
    TINT: "#33290f",
}


class _Room(NamedTuple):
    """How many pixels axes are high, and what stands left of them and below takes."""

    high: int
    left: int
    below: int


class _Axes:
    """One of the axes of a figure: what is drawn lands there, each meaning named once."""

    def __init__(
        self, figure: go.Figure, means: Any, place: dict[str, int], wide: int
    ) -> None:
        self.figure, self.means, self.place, self.wide = (
            figure,
            means,
            place,
            wide,
        )
        # as the description has them, lying or not
        self.x = self.y = Axis(label="")

    def add(self, trace: Any, meaning: str = "", text: str = "") -> None:
        """Add a trace, in the legend as what its look means."""
        room = texts.fitting(NARROW - texts.MARK, SMALL)
        text = texts.lines(text or self.means.get(meaning, ""), room)
        told = {trace.name for trace in self.figure.data if trace.showlegend}
        trace.update(name=text, legendgroup=text or None)
        if not isinstance(trace, go.Heatmap):
            trace.update(showlegend=bool(text) and text not in told)
            order = [*self.means]
            trace.update(
                legendrank=1000
                + (order.index(meaning) if meaning in order else -1)
            )
        self.figure.add_trace(trace, **self.place)

    def scatter(
        self,
        x: Any,
        y: Any,
        *,
        lying: bool = False,
        meaning: str = "",
        **how: Any,
    ) -> None:
        """Add lines or points."""
        x, y = (y, x) if lying else (x, y)
        self.add(go.Scatter(x=x, y=y, **how), meaning)

    def update(self, x: bool, **how: Any) -> None:
        """Update the x axis, or the y axis."""
        (self.figure.update_xaxes if x else self.figure.update_yaxes)(
            **how, **self.place
        )


def drawn(figure: Figure, *, dark: bool = False) -> go.Figure:
    """Return a description as a figure, on white or on black."""
    if isinstance(figure, Panels):
        made = _panels(figure)
    elif isinstance(figure, Parallel):
        made = _parallel(figure)
    else:
        axes = _Axes(go.Figure(), figure.means, {}, NARROW)
        made = _written(axes.figure, figure, _drawn(axes, figure))
    if dark:
        made = go.Figure(_darkened(made.to_dict()))
    return made.update_layout(
        template="plotly_dark" if dark else "plotly_white"
    )


def script_of_pages() -> bytes:
    """Return plotly's own script, which draws in a page."""
    return str(get_plotlyjs()).encode()


def _darkened(part: Any) -> Any:
    """Return a part of a figure with the colors that it has on black."""
    if isinstance(part, dict):
        return {key: _darkened(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_darkened(value) for value in part]
    return (
        _DARK.get(part, part.replace(GREY, _DARK[GREY]))
        if isinstance(part, str)
        else part
    )


def _drawn(axes: _Axes, figure: Rows | Curves | Cells) -> _Room:
    draw: Any = {Rows: _rows, Curves: _curves, Cells: _cells}[type(figure)]
    room: _Room = draw(axes, figure)
    return room


def _panels(figure: Panels) -> go.Figure:
    """Draw panels, two beside each other unless names stand left of them."""
    n, parts = len(figure.panels), figure.panels
    named = any(
        isinstance(p, Rows)
        or (p.lying if isinstance(p, Curves) else p.y.names)
        for p in parts
    )
    across = 1 if named else min(_PANELS, n)
    same_y = figure.same_y and all(
        isinstance(p, Curves) and not p.lying for p in parts
    )
    wide = (NARROW - MARGIN + same_y * _NUMBERS * (across - 1)) // across
    # the room of each is known once it is drawn: first to measure, then in its place
    rooms = [
        _drawn(_Axes(go.Figure(), {}, {}, wide), panel) for panel in parts
    ]
    left = max(r.left for r in rooms)
    room = texts.fitting(wide - left, SMALL, BOLD)
    short = abbreviated([plain(p.heading) for p in parts], 3 * room)
    titles = [
        "<b>" * p.emphasis + texts.lines(text, room) + "</b>" * p.emphasis
        for p, text in zip(parts, short, strict=True)
    ]
    above = (
        texts.high(max(titles, key=lambda title: title.count("<br>")), SMALL)
        + 8
    )
    heights, belows = (
        [max(v[k : k + across]) for k in range(0, n, across)]
        for v in (
            [_PANEL if r.high == _AXES else r.high for r in rooms],
            [r.below for r in rooms],
        )
    )
    below = belows.pop()
    high = sum(heights) + sum(below + above for below in belows)
    tops = np.cumsum(
        [0, *(h + b + above for h, b in zip(heights, belows, strict=False))]
    )
    grid = make_subplots(
        len(heights),
        across,
        subplot_titles=titles,
        horizontal_spacing=0.04 if same_y else 0.2,
        shared_yaxes="all" if same_y else False,
        shared_xaxes="all" if figure.same_x else False,
    )
    for k, (top, height) in enumerate(zip(tops, heights, strict=True)):
        grid.update_yaxes(
            domain=[1.0 - (top + height) / high, 1.0 - top / high], row=k + 1
        )
    scales = {(p.ends(), p.scale) for p in parts if isinstance(p, Cells)}
    for k, panel in enumerate(parts):
        place = {"row": k // across + 1, "col": k % across + 1}
        axes = _Axes(grid, figure.legend(), place, wide)
        _drawn(axes, panel)
        x, y = (
            next(grid.select_xaxes(**place)).domain,
            next(grid.select_yaxes(**place)).domain,
        )
        grid.layout.annotations[k].update(
            x=x[0],
            y=y[1],
            yshift=2,
            xanchor="left",
            align="left",
            font={"size": SMALL},
        )
        if panel.emphasis:
            place = {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]}
            grid.add_shape(
                **place,
                type="rect",
                xref="paper",
                yref="paper",
                layer="below",
                fillcolor=TINT,
                line={"width": 0},
            )
        if same_y and k % across:
            axes.update(False, title="")
        if figure.same_x and k + across < n:
            axes.update(True, title="")
        if isinstance(panel, Cells) and len(scales) > 1:
            grid.data[-1].update(
                colorbar={"x": x[1], "y": sum(y) / 2, "len": y[1] - y[0]}
            )
    if len(scales) == 1:
        maps = [trace for trace in grid.data if isinstance(trace, go.Heatmap)]
        for one in maps[1:]:
            one.update(showscale=False)
    if same_y:
        ends = np.array(
            [panel.limits() for panel in parts if isinstance(panel, Curves)]
        )
        low, top = ends[:, 0].min(), ends[:, 1].max()
        log = isinstance(parts[0], Curves) and parts[0].y.log
        grid.update_yaxes(range=np.log10([low, top]) if log else [low, top])
    return _written(grid, figure, _Room(high, left, below), above=above)


# ---------------------------------------------------------------------- rows


def _rows(axes: _Axes, rows: Rows) -> _Room:
    thickness, n = 0.78 / rows.places, len(rows.labels)
    names = [" ".join(filter(None, parts)) for parts in rows.labels]
    axes.x, axes.y = (
        Axis(label="", names=names),
        Axis(label=rows.label, percent=rows.percent),
    )
    kinds = {(bar.kind != PALE, bar.kind, bar.bare) for bar in rows.bars}
    for _, kind, bare in sorted(kinds):
        bars = [
            bar for bar in rows.bars if (bar.kind, bar.bare) == (kind, bare)
        ]
        color, hatch = FILLS[kind if kind in FILLS else kind % 4]
        part = thickness / (3 if kind == PALE else 1)
        down, up = zip(*(bar.reach for bar in bars), strict=True)
        whiskers = {
            "arrayminus": down,
            "array": up,
            "color": "black",
            "width": 2,
        }
        bar = go.Bar(
            orientation="h",
            y=[bar.row for bar in bars],
            x=[bar.end - bar.begin for bar in bars],
            base=[bar.begin for bar in bars],
            width=part,
            opacity=0.3 if kind == PALE else 1.0,
            offset=[
                (bar.place + 0.5 - rows.places / 2) * thickness - part / 2
                for bar in bars
            ],
            marker={"color": color, "pattern": {"shape": hatch}},
            error_x=None if bare else whiskers,
            hovertext=[
                _told_of(
                    bar.told or f"{names[bar.row]}: {_reached(rows, bar)}"
                )
                for bar in bars
            ],
            hoverinfo="text",
        )
        axes.add(bar, text=rows.fills.get(kind, ""))
    for bar in rows.bars:
        if bar.model > 0.0:
            y = bar.row + (bar.place - (rows.places - 1) / 2) * thickness
            ends = [bar.end - bar.model, bar.end + bar.model]
            axes.scatter(
                ends,
                [y, y],
                mode="lines",
                opacity=0.45,
                hoverinfo="skip",
                line={"color": GREY, "width": 5},
            )
    for i, level in enumerate(rows.levels):
        axes.scatter(
            [level, level],
            [i, i + 1],
            mode="lines",
            hoverinfo="skip",
            line={"color": GREY, "width": 1},
        )
    for at, look in rows.guides:
        axes.scatter(
            [at, at],
            [-0.5, n - 0.5],
            mode="lines",
            meaning=look,
            line=_stroke(look),
        )
    for dots in rows.dots:
        _dots(axes, dots, dots.x, dots.y, lying=True)
    if rows.scale:
        low, high, label = rows.scale
        marks = {
            "tickvals": [0, 1],
            "ticktext": [texts.lines(end, NAME) for end in (low, high)],
        }
        colored = [
            trace
            for trace in axes.figure.select_traces(**axes.place)
            if trace.type == "scatter" and trace.marker.cmax is not None
        ]
        for trace in colored[:1]:  # one scale for all
            trace.update(
                marker_showscale=True,
                marker_colorbar={**_scale(label), **marks},
            )
    labels = [texts.row_label(parts) for parts in rows.labels]
    shown = [
        f'<span style="color:{GREY}">{label}</span>'
        if i >= n - rows.quiet
        else label
        for i, label in enumerate(labels)
    ]
    left = texts.left_of(labels)
    title = texts.lines(rows.label, texts.fitting(axes.wide - left - MARGIN))
    axes.update(
        True,
        range=rows.limits(),
        title=title,
        zeroline=rows.zero,
        nticks=6,
        tickformat=".0%" if rows.percent else None,
    )
    axes.update(
        False, range=[n - 0.5, -0.5], tickvals=[*range(n)], ticktext=shown
    )
    lines = max((label.count("<br>") for label in labels), default=0)
    row = max(
        _ROW, int((lines + 1) * texts.LINE * SMALL) + 6, 12 * rows.places
    )
    return _Room(max(n, 3) * row, left, texts.below(title))


def _reached(rows: Rows, bar: Bar) -> str:
    """Return from where to where a bar leads, and its whisker, as text."""
    axis, (down, up) = Axis(label="", percent=rows.percent), bar.reach
    ends = [
        _value(axis, at)
        for at in (bar.begin, bar.end, bar.end - down, bar.end + up)
    ]
    begin = f"{ends[0]} to " if bar.begin else ""
    return f"{begin}{ends[1]}" + (
        f" ({ends[2]} to {ends[3]})" if down or up else ""
    )


# ---------------------------------------------------------------------- curves


def _curves(axes: _Axes, curves: Curves) -> _Room:
    lying, (low, high) = curves.lying, curves.limits()
    axes.x, axes.y = curves.x, curves.y
    if curves.thin is not None:
        axes.scatter(
            *curves.thin,
            lying=lying,
            meaning="thin",
            mode="lines",
            hoverinfo="skip",
            opacity=0.35,
            line=_stroke("thin"),
        )
    for line in curves.lines:
        _line(axes, line, lying)
    for dots in curves.dots:
        told = dots.told
        if not len(told):  # before points stand at an end of the axes
            told = _told(axes, dots.x, dots.y, dots.half)
        for some, end in curves.placed(replace(dots, told=told)):
            x, y = (some.y, some.x) if lying else (some.x, some.y)
            _dots(axes, some, x, y, lying=lying, marker=pointing(end, lying))
    if curves.has_beyond:
        mark = _point("beyond")
        axes.scatter(
            [None], [None], meaning="beyond", mode="markers", marker=mark
        )
    marks: list[Line | Dots] = [*curves.lines, *curves.dots]
    across = [mark.x for mark in marks if len(mark.x)]
    known = (
        np.concatenate(across).astype(float)
        if across
        else np.array([0.0, 1.0])
    )
    ends = [np.nanmin(known), np.nanmax(known)]
    for level, look in curves.levels:
        axes.scatter(
            ends,
            [level, level],
            lying=lying,
            meaning=look,
            mode="lines",
            line=_stroke(look),
        )
    upright = [(note.x, note.look, note.text) for note in curves.notes]
    upright += [] if curves.guide is None else [(curves.guide, "guide", "")]
    for at, look, text in upright:
        axes.scatter(
            [at, at],
            [low, high],
            lying=lying,
            meaning=look,
            mode="lines+text",
            text=["", texts.lines(text, NAME)],
            textposition="bottom right",
            textfont={"size": SMALL},
            line=_stroke(look),
        )
    for first, last in curves.marked:
        axes.scatter(
            [first, last],
            [low, low],
            meaning="marked",
            mode="lines",
            line={"color": GREEN, "width": 6},
        )
    for first, last in curves.dimmed:
        axes.scatter(
            [first, last, last, first],
            [low, low, high, high],
            meaning="dimmed",
            mode="none",
            fill="toself",
            hoverinfo="skip",
            fillpattern={
                "shape": "/",
                "fgcolor": RULE,
                "bgcolor": _VEIL.format(255),
            },
        )
    if len(curves.rug):
        axes.scatter(
            curves.rug,
            np.full(len(curves.rug), low),
            meaning="rug",
            mode="markers",
            hoverinfo="x",
            marker={"symbol": "line-ns-open", "color": "black", "size": 8},
        )
    if curves.empty:
        axes.figure.add_annotation(
            text=texts.lines(curves.empty, NAME),
            x=0.5,
            y=0.5,
            xref="paper",
            yref="paper",
            showarrow=False,
            font={"color": GREY},
        )
    limits = np.log10([low, high]) if curves.y.log else [low, high]
    if lying:
        labels = [texts.row_label((name,)) for name in curves.x.names]
        left = texts.left_of(labels) + ENTRY
        _along(axes, False, curves.x, _PANEL, turned=True)
        below = _along(axes, True, curves.y, axes.wide - left, limits=limits)
        axes.update(False, ticktext=labels)
        lines = max((label.count("<br>") for label in labels), default=0)
        row = max(_ROW, int((lines + 1) * texts.LINE * SMALL) + 4)
        return _Room(max(len(labels), 3) * row, left, below)
    below = _along(axes, True, curves.x, axes.wide - _NUMBERS)
    _along(axes, False, curves.y, _PANEL + _NUMBERS, limits=limits)
    return _Room(_AXES, _NUMBERS, below)


def _line(axes: _Axes, line: Line, lying: bool) -> None:
    look = LOOKS[line.look]
    x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
    shape = {"shape": "hv"} if line.step else {}
    if line.half is not None:
        down, up = reach(np.asarray(line.half, dtype=float))
        known = np.isfinite(y - down)
        ends = np.concatenate([(y + up)[known], (y - down)[known][::-1]])
        axes.scatter(
            np.concatenate([x[known], x[known][::-1]]),
            ends,
            lying=lying,
            fill="toself",
            meaning="band" if line.look == "main" else "",
            mode="none",
            hoverinfo="skip",
            fillcolor=_faint(look.color, 0.22),
        )
    if not line.bare:
        axes.scatter(
            x,
            y,
            lying=lying,
            meaning=line.look,
            opacity=look.alpha,
            hoverinfo="text",
            mode="lines+markers" if line.alone.any() else "lines",
            hovertext=[*map(_told_of, _told(axes, x, y, line.half))],
            line={**_stroke(line.look), **shape},
            marker={**_point(line.look), "size": 5},
        )


def _dots(
    axes: _Axes,
    dots: Dots,
    x: Any,
    y: Any,
    *,
    lying: bool,
    marker: str = "",
) -> None:
    bars: dict[str, Any] = {}
    if dots.half is not None:
        down, up = (
            np.broadcast_to(v, np.shape(dots.x))
            for v in reach(np.asarray(dots.half))
        )
        color = LOOKS[dots.look].color
        whiskers = {
            "array": up,
            "arrayminus": down,
            "color": color,
            "width": 3,
        }
        bars = {"error_x" if lying else "error_y": whiskers}
    mark = _point(dots.look)
    if marker:
        mark["symbol"] = marker
        mark["size"] = _point("beyond")["size"]
    if dots.colors is not None:
        mark = {
            "color": dots.colors,
            "colorscale": "Cividis",
            "symbol": mark["symbol"],
            "size": 6,
            "line": {"width": 1.5 if "thin" in mark["symbol"] else 0.0},
            "cmin": 0,
            "cmax": 1,
        }
    told = dots.told
    if not len(told):
        told = _told(axes, *((y, x) if lying else (x, y)), dots.half)
    axes.scatter(
        x,
        y,
        meaning=dots.look,
        mode="markers+text" if len(dots.labels) else "markers",
        marker=mark,
        hoverinfo="text",
        **bars,
        textposition="top right",
        cliponaxis=False,
        hovertext=[*map(_told_of, told)],
        text=[texts.lines(label, NAME) for label in dots.labels] or None,
        textfont={"size": SMALL},
    )


# ---------------------------------------------------------------------- cells


def _cells(axes: _Axes, cells: Cells) -> _Room:
    axes.x, axes.y = cells.x, cells.y
    x, y, values = (
        cells.x.edges(),
        cells.y.edges(),
        np.asarray(cells.values, dtype=float),
    )
    low, high = cells.ends()
    written: dict[str, Any] = {}
    if len(cells.texts):
        written = {
            "text": np.array(cells.texts).T,
            "texttemplate": "%{text}",
            "textfont": {"size": SMALL},
        }
    said = [
        [
            _told_of(
                _hover(
                    (cells.x, a),
                    (cells.y, b),
                    (Axis(label=cells.scale), value),
                )
            )
            for a, value in zip(cells.x.places, row, strict=True)
        ]
        for b, row in zip(cells.y.places, values.T, strict=True)
    ]
    bar = _scale(cells.scale) | {
        "tickformat": ".0%" if cells.percent else None,
        "nticks": 6,
    }
    colors = go.Heatmap(
        x=x,
        y=y,
        z=values.T,
        colorscale="Cividis",
        zmin=low,
        zmax=high,
        hoverongaps=False,
        hoverinfo="text",
        hovertext=said,
        colorbar=bar,
        **written,
    )
    axes.add(colors)
    if cells.dimmed is not None and cells.dimmed.any():
        axes.scatter(
            *cells.strokes(),
            mode="lines",
            hoverinfo="skip",
            opacity=0.7,
            line={"color": _STROKE, "width": 1},
        )
        patch = {
            "symbol": "square-x-open",
            "color": GREY,
            "size": 9,
            "line": {"color": GREY, "width": 1},
        }
        axes.scatter(
            [None], [None], meaning="dimmed", mode="markers", marker=patch
        )
    for line in cells.lines:
        _line(axes, line, lying=False)
    for dots in cells.dots:
        _dots(axes, dots, dots.x, dots.y, lying=False)
    if not np.isfinite(values).any():
        _scaled_by_dots(axes, (low, high), bar)
    _along(axes, False, cells.y, _PANEL, turned=bool(cells.y.names))
    left = _NUMBERS
    if cells.y.names:
        labels = [
            *map(texts.whole, abbreviated(map(plain, cells.y.names), NAME))
        ]
        axes.update(False, ticktext=labels)
        left = texts.left_of(labels) + (ENTRY if cells.y.label else 0)
    below = _along(axes, True, cells.x, axes.wide - left - _SCALE)
    return _Room(max(_AXES, len(cells.y.names) * _CELL), left, below)


def _scaled_by_dots(
    axes: _Axes, ends: tuple[float, float], bar: dict[str, Any]
) -> None:
    """Have dots show the scale of colors: cells without any value show none."""
    low, high = ends
    colored = [
        trace
        for trace in axes.figure.select_traces(**axes.place)
        if trace.type == "scatter" and trace.marker.cmax is not None
    ]
    for k, trace in enumerate(colored):
        values = low + (high - low) * np.asarray(trace.marker.color)
        trace.update(
            marker={
                "color": values,
                "cmin": low,
                "cmax": high,
                "colorbar": bar,
                "showscale": k == 0,
            }
        )


def _scale(label: str) -> dict[str, Any]:
    """Return a scale of colors that stands right of axes, with its label along it."""
    text = texts.whole(shorten(plain(label), texts.fitting(_PANEL)))
    return {
        "title": {"text": text, "side": "right", "font": {"size": SMALL}},
        "thickness": 10,
        "tickfont": {"size": SMALL},
    }


# ---------------------------------------------------------------------- parallel axes


def _along_upright(ticks: Sequence[Tick], width: int) -> dict[str, Any]:
    """Return what is written along an upright axis: texts that differ stay different.

    A stretch that is chosen ends between two marks, so numbers have many. Plotly takes marks with
    the same text for one: those without a text have so many characters that are not seen.
    """
    written = [tick for tick in ticks if tick.text]
    places = [tick.at for tick in ticks]
    if all(at < 0.0 for at, _ in written):
        places = [*(at for at, _ in written), *np.linspace(0.0, 1.0, _MARKS)]
    short = abbreviated([plain(tick.text) for tick in written], width)
    text_at = dict(zip((at for at, _ in written), short, strict=True))
    return {
        "tickvals": places,
        "ticktext": [
            texts.whole(text_at.get(at, _UNSEEN * (k + 1)))
            for k, at in enumerate(places)
        ],
    }


def _parallel(figure: Parallel) -> go.Figure:
    """Draw lines through upright axes, along which stretches can be chosen."""
    n = figure.at.shape[1]
    room = (NARROW - _ASIDE - MARGIN) / max(n - 1, 1)
    ticks_fit = max(int((room - _GAP) / (_TINY * texts.WIDE)), 4)
    names = abbreviated([plain(label[0]) for label in figure.labels], NAME)
    labels = [
        "<br>".join(texts.whole(part) for part in (name, *rest))
        for name, rest in zip(
            names,
            (
                [shorten(plain(part), NAME) for part in label[1:]]
                for label in figure.labels
            ),
            strict=True,
        )
    ]
    looks = [look for look in figure.means if look in figure.looks] or ["thin"]
    codes = np.array([looks.index(look) for look in figure.looks])
    order = np.argsort(codes, kind="stable")  # the last ones are on top
    colors = [RULE if look == "thin" else LOOKS[look].color for look in looks]
    steps = np.linspace(0.0, 1.0, len(colors) + 1).tolist()
    # the legend is that of traces without points, whose axes are out of the way
    axes = _Axes(go.Figure(), figure.means, {}, NARROW)
    for look in looks:
        axes.scatter(
            [None], [None], meaning=look, mode="lines", line=_stroke(look)
        )
    axes.update(True, visible=False, domain=[0.0, 0.01], fixedrange=True)
    axes.update(False, visible=False, domain=[0.0, 0.01], fixedrange=True)
    above = texts.left_of(labels) + MARGIN
    made = _written(
        axes.figure, figure, _Room(_AXES, _ASIDE, MARGIN), above=above
    )
    return made.add_trace(
        go.Parcoords(
            dimensions=[
                {
                    "label": label,
                    "values": at[order],
                    "range": [figure.ASIDE - 0.02, 1.05],
                    **_along_upright(ticks, ticks_fit),
                }
                for label, at, ticks in zip(
                    labels, figure.crossed.T, figure.ticks, strict=True
                )
            ],
            line={
                "color": codes[order],
                "cmin": -0.5,
                "cmax": len(colors) - 0.5,
                "colorscale": [
                    [end, color]
                    for k, color in enumerate(colors)
                    for end in steps[k : k + 2]
                ],
            },
            labelangle=-90,
            labelfont={"size": SMALL},
            tickfont={"size": _TINY},
        )
    )


# ---------------------------------------------------------------------- axes and words


def _told(axes: _Axes, x: Any, y: Any, half: Any) -> list[str]:
    """Return what is shown of each point, or of each value of a line, when it is pointed at."""
    y = np.asarray(y, dtype=float)
    down, up = reach(
        np.zeros(y.shape) if half is None else np.asarray(half, dtype=float)
    )
    ends = np.broadcast_arrays(y - down, y + up)
    return [
        _hover((axes.x, a), (axes.y, b))
        + (
            f" ({_value(axes.y, low)} to {_value(axes.y, high)})"
            if low < high
            else ""
        )
        for a, b, low, high in zip(x, y, *ends, strict=True)
    ]


def _hover(*parts: tuple[Axis, Any]) -> str:
    return "\n".join(
        ": ".join(filter(None, [axis.title, _value(axis, at)]))
        for axis, at in parts
    )


def _told_of(text: str) -> str:
    return texts.lines(text, texts.fitting(NARROW))


def _value(axis: Axis, at: Any) -> str:
    """Return a value along an axis as text."""
    if axis.names:
        place = round(float(at)) if np.isfinite(at) else -1
        return str(axis.names[place]) if 0 <= place < len(axis.names) else ""
    return f"{at:.1%}" if axis.percent else f"{at:.4g}"


def _along(
    axes: _Axes,
    x: bool,
    axis: Axis,
    pixels: float,
    *,
    turned: bool = False,
    limits: Any = None,
) -> int:
    """Give an axis its label, scale and names; return how many pixels these take below it.

    `pixels` is how long it is on a phone.
    """
    room = texts.fitting(pixels)
    how: dict[str, Any] = {
        "title": texts.lines(
            axis.title if x else shorten(plain(axis.title), room), room
        ),
        "type": "log" if axis.log else "linear",
        "exponentformat": "power",
        "nticks": 6,
        "tickformat": ".0%" if axis.percent else None,
    }
    upright = 0
    if axis.names:
        n, names = len(axis.names), [plain(name) for name in axis.names]
        stands = (
            x
            and n * (max(map(columns, names)) + 1) * texts.WIDE * SMALL
            > pixels
        )
        labels = abbreviated(names, _UPRIGHT) if stands else names
        every = max(1, ceil(n * texts.LINE * SMALL / pixels)) if stands else 1
        upright = int(max(map(columns, labels)) * texts.WIDE * SMALL) * stands
        how |= {
            "tickvals": [*range(0, n, every)],
            "tickangle": 90 if stands else 0,
            "ticktext": [*map(texts.whole, labels[::every])],
            "range": [n - 0.5, -0.5] if turned else [-0.5, n - 0.5],
        }
    elif limits is not None or None not in axis.limits:
        ends: Any = axis.limits if limits is None else limits
        how["range"] = np.log10(ends) if limits is None and axis.log else ends
    known = [
        float(at)
        for at in (*axis.limits, *axis.values)
        if isinstance(at, (int, float))
    ]
    if axis.names:
        known = []
    if known and axis.log:
        decades = np.log10(max(known)) - np.log10(min(known))
        how["dtick"] = ceil(decades / 4) if decades > 1.5 else "D2"
    elif known and axis.integers:
        how["dtick"] = 1 if max(known) - min(known) < 8 else None
    axes.update(x, **how)
    return texts.below(how["title"]) + upright


def _written(
    figure: go.Figure, words: Any, room: _Room, *, above: int = 0
) -> go.Figure:
    """Return a figure with what stands over and under it, and as high as it is on a phone."""
    heading = texts.lines(
        words.heading, texts.fitting(NARROW, texts.HEADING, BOLD)
    )
    text = f"<b>{heading}</b>"
    if words.subtitle:
        said = texts.lines(words.subtitle, texts.fitting(NARROW))
        text += f'<br><span style="font-size:{TEXT}px">{said}</span>'
    if words.caution:
        caution = f"Caution: {words.caution[0].lower()}{words.caution[1:]}"
        said = texts.lines(caution, texts.fitting(NARROW, wide=BOLD))
        text += f'<br><span style="font-size:{TEXT}px"><b>{said}</b></span>'
    under = (
        texts.lines(words.footer, texts.fitting(NARROW, SMALL))
        if words.footer
        else ""
    )
    over = texts.high(text, texts.HEADING) + MARGIN
    legend = texts.legend_high(
        [trace.name for trace in figure.data if trace.showlegend]
    )
    below = room.below + (texts.high(under, SMALL) + MARGIN if under else 0)
    height = over + legend + above + room.high + below
    figure.update_layout(
        height=height,
        barmode="overlay",
        font={"size": TEXT},
        hoverlabel={"align": "left"},
        margin={
            "t": over + above + legend * bool(above),
            "b": below,
            "l": room.left,
            "r": MARGIN,
        },
        title={
            "text": text,
            "font": {"size": texts.HEADING},
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 22, "l": 8},
        },
        legend={
            "orientation": "h",
            "xref": "container",
            "yref": "container",
            "x": 8 / NARROW,
            "xanchor": "left",
            "y": 1.0 - over / height,
            "yanchor": "top",
            "font": {"size": SMALL},
            "tracegroupgap": 0,
        },
    )
    figure.update_xaxes(
        ticklabelstandoff=_APART,
        tickfont={"size": SMALL},
        title={"font": {"size": TEXT}, "standoff": 6},
    )
    figure.update_yaxes(
        tickfont={"size": SMALL}, title={"font": {"size": TEXT}, "standoff": 4}
    )
    if under:
        figure.add_annotation(
            text=under,
            xref="paper",
            yref="paper",
            x=0,
            y=0,
            xshift=8 - room.left,
            yshift=-room.below,
            align="left",
            xanchor="left",
            yanchor="top",
            showarrow=False,
            font={"size": SMALL, "color": GREY},
        )
    return figure


def _stroke(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    return {"color": kind.color, "width": kind.width, "dash": kind.dash}


def _point(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    symbol = _SYMBOLS.get(kind.marker, kind.marker + "-open" * kind.hollow)
    edge = {
        "color": kind.edge or kind.color,
        "width": 0.8 if kind.edge else 1.2,
    }
    return {
        "color": kind.color,
        "symbol": symbol,
        "size": 1.4 * kind.size,
        "opacity": kind.alpha,
        "line": edge,
    }


def _faint(color: str, alpha: float) -> str:
    return "rgba({}, {}, {}, {})".format(
        *(int(color[i : i + 2], 16) for i in (1, 3, 5)), alpha
    )
