"""Makes figures of plotly from descriptions."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import GREEN, GREY, INK, LOOKS, Axis, Dots, Line, reach
from hpo_explain.base.figures.panels import Figure, Panels
from hpo_explain.base.figures.rows import FILLS, PALE, Bar, Rows

_ROW, _AXES, _PANEL = 30, 300, 210  # pixels, of a row, of other axes, and of a panel
_COLUMNS = 3
_WIDE = 100  # characters of a line
_SYMBOLS = {"cross": "x-thin-open", "bar": "line-ns-open"}
_VEIL = "rgba({0}, {0}, {0}, 0.6)"
_DARK = {INK: "white", "black": "white", "white": "#111111", _VEIL.format(255): _VEIL.format(17),
         GREY: "#a8a8a8"}  # fmt: skip


class _Axes:
    """One of the axes of a figure: what is drawn lands there, each meaning named once."""

    def __init__(self, figure: go.Figure, means: Any, place: dict[str, int]) -> None:
        self.figure, self.means, self.place = figure, means, place
        self.x = self.y = Axis(label="")  # as the description has them, lying or not

    def add(self, trace: Any, meaning: str = "", text: str = "") -> None:
        """Add a trace, in the legend as what its look means."""
        text = text or self.means.get(meaning, "")
        told = {trace.name for trace in self.figure.data if trace.showlegend}
        trace.update(name=text, legendgroup=text or None)
        if not isinstance(trace, go.Heatmap):
            trace.update(showlegend=bool(text) and text not in told)
        self.figure.add_trace(trace, **self.place)

    def scatter(
        self, x: Any, y: Any, *, lying: bool = False, meaning: str = "", **how: Any
    ) -> None:
        """Add lines or points."""
        x, y = (y, x) if lying else (x, y)
        self.add(go.Scatter(x=x, y=y, **how), meaning)

    def update(self, x: bool, **how: Any) -> None:
        """Update the x axis, or the y axis."""
        (self.figure.update_xaxes if x else self.figure.update_yaxes)(**how, **self.place)


def drawn(figure: Figure, *, dark: bool = False) -> go.Figure:
    """Return a description as a figure, on white or on black."""
    if isinstance(figure, Panels):
        made = _panels(figure)
    else:
        axes = _Axes(go.Figure(), figure.means, {})
        made = _written(axes.figure, figure, _drawn(axes, figure))
    if dark:
        made = go.Figure(_darkened(made.to_dict()))
    return made.update_layout(template="plotly_dark" if dark else "plotly_white")


def _darkened(part: Any) -> Any:
    """Return a part of a figure with the colors that it has on black."""
    if isinstance(part, dict):
        return {key: _darkened(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_darkened(value) for value in part]
    return _DARK.get(part, part) if isinstance(part, str) else part


def _drawn(axes: _Axes, figure: Rows | Curves | Cells) -> int:
    """Draw a figure; return how many pixels high it is."""
    draw: Any = {Rows: _rows, Curves: _curves, Cells: _cells}[type(figure)]
    return int(draw(axes, figure))


def _panels(figure: Panels) -> go.Figure:
    n = len(figure.panels)
    rows = -(-n // _COLUMNS)
    columns = -(-n // rows)
    grid = make_subplots(
        rows,
        columns,
        shared_yaxes="all" if figure.same_y else False,
        shared_xaxes="all" if figure.same_x else False,
        subplot_titles=[_text(panel.heading) for panel in figure.panels],
        horizontal_spacing=0.08,
        vertical_spacing=0.28 / rows,
    )
    means, heights = figure.legend(), []
    for k, panel in enumerate(figure.panels):
        place = {"row": k // columns + 1, "col": k % columns + 1}
        high = _drawn(_Axes(grid, means, place), panel)
        heights.append(_PANEL if high == _AXES else high)
    grid.update_traces(showscale=False, selector={"type": "heatmap"})
    if isinstance(figure.panels[0], Cells):
        grid.data[0].update(showscale=True)
    return _written(
        grid, figure, sum(max(heights[k : k + columns]) + 60 for k in range(0, n, columns))
    )


# ---------------------------------------------------------------------- rows


def _rows(axes: _Axes, rows: Rows) -> int:
    thickness = 0.78 / rows.places
    names = [" ".join(filter(None, parts)) for parts in rows.labels]
    axes.x, axes.y = Axis(label="", names=names), Axis(label=rows.label, percent=rows.percent)
    for kind in sorted({bar.kind for bar in rows.bars}, key=lambda kind: (kind != PALE, kind)):
        bars = [bar for bar in rows.bars if bar.kind == kind]
        color, hatch = FILLS[kind if kind in FILLS else kind % 4]
        whiskers = {
            "arrayminus": [bar.reach[0] for bar in bars],
            "array": [bar.reach[1] for bar in bars],
            "color": "black",
            "width": 2,
        }
        axes.add(
            go.Bar(
                orientation="h",
                y=[bar.row for bar in bars],
                x=[bar.end - bar.begin for bar in bars],
                base=[bar.begin for bar in bars],
                hovertext=[_text(f"{names[bar.row]}: {_reached(rows, bar)}") for bar in bars],
                width=thickness / (3 if kind == PALE else 1),
                opacity=0.3 if kind == PALE else 1.0,
                marker={"color": color, "pattern": {"shape": hatch}},
                error_x=whiskers,
                offset=[
                    (bar.place - rows.places / 2) * thickness
                    + (thickness / 3 if kind == PALE else 0.0)
                    for bar in bars
                ],
                hoverinfo="text",
            ),
            text=rows.fills.get(kind, ""),
        )
    for bar in rows.bars:
        if bar.model:
            y = bar.row + (bar.place - (rows.places - 1) / 2) * thickness
            axes.scatter(
                [bar.end - bar.model, bar.end + bar.model],
                [y, y],
                mode="lines",
                opacity=0.45,
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
    n = len(rows.labels)
    for at, look in rows.guides:
        axes.scatter([at, at], [-0.5, n - 0.5], mode="lines", meaning=look, line=_stroke(look))
    for dots in rows.dots:
        _dots(axes, dots, dots.x, dots.y, lying=True)
    shares = ".0%" if rows.percent else None
    axes.update(
        True, range=rows.limits(), title=_text(rows.label), zeroline=rows.zero, tickformat=shares
    )
    axes.update(False, range=[n - 0.5, -0.5], tickvals=[*range(n)], ticktext=[*map(_text, names)])
    return n * _ROW


def _reached(rows: Rows, bar: Bar) -> str:
    """Return from where to where a bar leads, and its whisker, as text."""
    axis, (down, up) = Axis(label="", percent=rows.percent), bar.reach
    ends = [_value(axis, at) for at in (bar.begin, bar.end, bar.end - down, bar.end + up)]
    begin = f"{ends[0]} to " if bar.begin else ""
    return f"{begin}{ends[1]}" + (f" ({ends[2]} to {ends[3]})" if down or up else "")


# ---------------------------------------------------------------------- curves


def _curves(axes: _Axes, curves: Curves) -> int:
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
        y = np.clip(np.asarray(dots.y, dtype=float), low, high)
        _dots(axes, dots, *((y, dots.x) if lying else (dots.x, y)), lying=lying)
    marks: list[Line | Dots] = [*curves.lines, *curves.dots]
    across = [mark.x for mark in marks if len(mark.x)]
    known = np.concatenate(across).astype(float) if across else np.array([0.0, 1.0])
    ends = [np.nanmin(known), np.nanmax(known)]
    for level, look in curves.levels:
        axes.scatter(
            ends, [level, level], lying=lying, meaning=look, mode="lines", line=_stroke(look)
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
            text=["", _text(text)],
            textposition="middle right",
            line=_stroke(look),
        )
    for kind, stretches, color in (("marked", curves.marked, GREEN), ("dimmed", curves.dimmed, "")):
        for first, last in stretches:
            if color:
                axes.scatter(
                    [first, last],
                    [low, low],
                    meaning=kind,
                    mode="lines",
                    line={"color": color, "width": 6},
                )
            else:
                axes.scatter(
                    [first, last, last, first],
                    [low, low, high, high],
                    meaning=kind,
                    mode="none",
                    fill="toself",
                    fillcolor="rgba(255, 255, 255, 0.6)",
                    fillpattern={"shape": "/", "fgcolor": "#b0b0b0"},
                    hoverinfo="skip",
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
    _along(axes, not lying, curves.x, turned=lying)
    limits = np.log10([low, high]) if curves.y.log else [low, high]
    _along(axes, lying, curves.y, limits=limits)
    return len(curves.x.names) * _ROW if lying else _AXES


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
            meaning="band" if line.look == "main" else "",
            fill="toself",
            mode="none",
            fillcolor=_faint(look.color, 0.22),
            hoverinfo="skip",
        )
    if not line.bare:
        mode = "lines+markers" if line.alone.any() else "lines"
        axes.scatter(
            x,
            y,
            lying=lying,
            meaning=line.look,
            mode=mode,
            opacity=look.alpha,
            hovertext=_told(axes, x, y, line.half),
            hoverinfo="text",
            line={**_stroke(line.look), **shape},
            marker={**_point(line.look), "size": 5},
        )


def _dots(axes: _Axes, dots: Dots, x: Any, y: Any, *, lying: bool) -> None:
    bars: dict[str, Any] = {}
    if dots.half is not None:
        down, up = (np.broadcast_to(v, np.shape(dots.x)) for v in reach(np.asarray(dots.half)))
        bars = {
            "error_x" if lying else "error_y": {
                "array": up,
                "arrayminus": down,
                "color": LOOKS[dots.look].color,
                "width": 3,
            }
        }
    marker = _point(dots.look)
    if dots.colors is not None:
        marker = {"color": dots.colors, "colorscale": "Cividis", "size": 6, "cmin": 0, "cmax": 1}
    mode = "markers+text" if len(dots.labels) else "markers"
    axes.scatter(
        x,
        y,
        meaning=dots.look,
        mode=mode,
        marker=marker,
        hovertext=["<br>".join(map(_text, told.split("\n"))) for told in dots.told]
        or _told(axes, *((y, x) if lying else (x, y)), dots.half),
        hoverinfo="text",
        **bars,
        text=[*map(_text, dots.labels)] or None,
        textposition="top right",
    )


# ---------------------------------------------------------------------- cells


def _cells(axes: _Axes, cells: Cells) -> int:
    axes.x, axes.y = cells.x, cells.y
    x, y, values = cells.x.edges(), cells.y.edges(), np.asarray(cells.values, dtype=float)
    low, high = cells.ends()
    texts: dict[str, Any] = {}
    if len(cells.texts):
        texts = {"text": np.array(cells.texts).T, "texttemplate": "%{text}"}
    axes.add(
        go.Heatmap(
            x=x,
            y=y,
            z=values.T,
            colorscale="Cividis",
            zmin=low,
            zmax=high,
            hoverongaps=False,
            hoverinfo="text",
            hovertext=[
                [
                    _hover((cells.x, a), (cells.y, b), (Axis(label=cells.scale), value))
                    for a, value in zip(cells.x.places, row, strict=True)
                ]
                for b, row in zip(cells.y.places, values.T, strict=True)
            ],
            colorbar={"title": _text(cells.scale), "tickformat": ".0%" if cells.percent else None},
            **texts,
        )
    )
    if cells.dimmed is not None and cells.dimmed.any():
        veil = np.where(cells.dimmed, 1.0, np.nan).T
        white = [[0, "white"], [1, "white"]]
        axes.add(
            go.Heatmap(
                x=x, y=y, z=veil, colorscale=white, opacity=0.6, showscale=False, hoverinfo="skip"
            )
        )
    for line in cells.lines:
        _line(axes, line, lying=False)
    for dots in cells.dots:
        _dots(axes, dots, dots.x, dots.y, lying=False)
    _along(axes, True, cells.x)
    _along(axes, False, cells.y, turned=bool(cells.y.names))
    if cells.bare:
        axes.update(True, visible=False)
        axes.update(False, visible=False)
    axes.figure.update_layout(legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0.0})
    return max(_AXES, len(cells.y.names) * _ROW)


# ---------------------------------------------------------------------- axes and words


def _told(axes: _Axes, x: Any, y: Any, half: Any) -> list[str]:
    """Return what is shown of each point, or of each value of a line, when it is pointed at."""
    y = np.asarray(y, dtype=float)
    down, up = reach(np.zeros(y.shape) if half is None else np.asarray(half, dtype=float))
    ends = np.broadcast_arrays(y - down, y + up)
    return [
        _hover((axes.x, a), (axes.y, b))
        + (f" ({_value(axes.y, low)} to {_value(axes.y, high)})" if low < high else "")
        for a, b, low, high in zip(x, y, *ends, strict=True)
    ]


def _hover(*parts: tuple[Axis, Any]) -> str:
    return "<br>".join(
        _text(": ".join(filter(None, [axis.title, _value(axis, at)]))) for axis, at in parts
    )


def _value(axis: Axis, at: Any) -> str:
    """Return a value along an axis as text."""
    if axis.names:
        place = round(float(at)) if np.isfinite(at) else -1
        return str(axis.names[place]) if 0 <= place < len(axis.names) else ""
    return f"{at:.1%}" if axis.percent else f"{at:.4g}"


def _along(axes: _Axes, x: bool, axis: Axis, *, turned: bool = False, limits: Any = None) -> None:
    """Give an axis its label, scale and names."""
    how: dict[str, Any] = {
        "title": _text(axis.title),
        "type": "log" if axis.log else "linear",
        "exponentformat": "power",
    }
    if axis.percent:
        how["tickformat"] = ".0%"
    if axis.names:
        n = len(axis.names)
        how |= {
            "tickvals": [*range(n)],
            "ticktext": [*map(_text, axis.names)],
            "range": [n - 0.5, -0.5] if turned else [-0.5, n - 0.5],
        }
    elif limits is not None or None not in axis.limits:
        ends: Any = axis.limits if limits is None else limits
        how["range"] = np.log10(ends) if limits is None and axis.log else ends
    axes.update(x, **how)


def _written(figure: go.Figure, words: Any, height: int) -> go.Figure:
    """Return a figure with what stands over and under it."""
    caution = f"<b>Caution: {_text(words.caution)}</b>" if words.caution else ""
    above = "<br>".join(filter(None, [*map(_text, words.subtitle.split("\n")), caution]))
    under = _text(words.footer)
    top, bottom = (40 + 18 * text.count("<br>") for text in (above, under))
    figure.update_layout(
        height=height + top + bottom + 130,
        barmode="overlay",
        margin={"t": top + 60, "b": bottom + 50, "l": 60, "r": 30},
        title={
            "text": f"<b>{_text(words.heading)}</b><br><sup>{above}</sup>",
            "x": 0.01,
            "xanchor": "left",
            "yref": "container",
            "y": 1.0,
            "yanchor": "top",
            "pad": {"t": 24},
        },
    )
    figure.add_annotation(
        text=under,
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        yshift=-50,
        align="left",
        xanchor="left",
        yanchor="top",
        showarrow=False,
        font={"size": 11, "color": GREY},
    )
    return figure


def _stroke(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    return {"color": kind.color, "width": kind.width, "dash": kind.dash}


def _point(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    symbol = _SYMBOLS.get(kind.marker, kind.marker + "-open" * kind.hollow)
    edge = {"line": {"color": kind.edge or kind.color, "width": 0.8 if kind.edge else 1.2}}
    return {
        "color": kind.color,
        "symbol": symbol,
        "size": 1.4 * kind.size,
        "opacity": kind.alpha,
        **edge,
    }


def _text(text: str) -> str:
    """Return a text as it is, on lines of limited width."""
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) >= _WIDE:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "<br>".join(html.escape(part, quote=False) for part in [*lines, line])


def _faint(color: str, alpha: float) -> str:
    return "rgba({}, {}, {}, {})".format(*(int(color[i : i + 2], 16) for i in (1, 3, 5)), alpha)
