"""Makes figures of plotly from descriptions."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import plotly.graph_objects as go

from hpo_explain.base.figures.curves import Axis, Cells, Curves, Dots, Line, Words
from hpo_explain.base.figures.rows import Rows

_BLUE, _ORANGE, _GREEN, _PURPLE, _GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#6b6b6b"
_FILLS = ((_BLUE, ""), (_ORANGE, "/"), (_GREEN, "\\"), (_PURPLE, "x"))
_COLORS = {"main": _BLUE, "best": _GREEN, "doubt": _GREY, "second": _PURPLE}
_ROW, _AXES = 30, 300  # pixels, of a row and of other axes
_WIDE = 100  # characters of a line


def drawn(figure: Rows | Curves | Cells) -> go.Figure:
    """Return a description as a figure."""
    draw: Any = {Rows: _rows, Curves: _curves, Cells: _cells}[type(figure)]
    found: go.Figure = draw(figure)
    return found


def _rows(rows: Rows) -> go.Figure:
    figure = go.Figure()
    for fill in sorted({_fill(bar) for bar in rows.bars}):
        bars = [bar for bar in rows.bars if _fill(bar) == fill]
        color, hatch = _FILLS[fill]
        figure.add_bar(
            orientation="h", y=[bar.row for bar in bars], x=[bar.end - bar.begin for bar in bars],
            base=[bar.begin for bar in bars], name=rows.fills.get(fill, ""),
            showlegend=fill in rows.fills, customdata=[bar.end for bar in bars],
            width=0.78 / rows.places, marker={"color": color, "pattern": {"shape": hatch}},
            offset=[(bar.place - rows.places / 2) * 0.78 / rows.places for bar in bars],
            error_x={"arrayminus": [bar.reach[0] for bar in bars], "color": "black", "width": 2,
                     "array": [bar.reach[1] for bar in bars]},
            hovertemplate="%{y}: %{customdata:.4g}<extra></extra>",
        )  # fmt: skip
    for i, level in enumerate(rows.levels):
        figure.add_shape(type="line", x0=level, x1=level, y0=i, y1=i + 1,
                         line={"color": _GREY, "width": 1})  # fmt: skip
    if rows.dots:
        figure.add_scatter(x=[*rows.dots.values()], y=[*rows.dots], mode="markers",
                           name=rows.dots_mean, marker={"color": "black", "size": 9})  # fmt: skip
    n, labels = len(rows.labels), [" ".join(filter(None, parts)) for parts in rows.labels]
    figure.update_xaxes(range=rows.limits(), title=_text(rows.label), zeroline=rows.zero,
                        tickformat=".0%" if rows.percent else None)  # fmt: skip
    figure.update_yaxes(range=[n - 0.5, -0.5], tickvals=[*range(n)], ticktext=[*map(_text, labels)])
    return _written(figure, _words_of(rows), n * _ROW)


def _fill(bar: Any) -> int:
    return int(bar.place if bar.fill is None else bar.fill)


def _curves(curves: Curves) -> go.Figure:
    figure, lying = go.Figure(), bool(curves.x.names)
    means = curves.means
    if curves.thin is not None:
        _scatter(figure, *curves.thin, lying, means.get("thin"), mode="lines", hoverinfo="skip",
                 opacity=0.35, line={"color": _GREY, "width": 0.6})  # fmt: skip
    for line in curves.lines:
        _add_line(figure, line, means, lying)
    for dots in curves.dots:
        _add_dots(figure, dots, means, lying)
    for low, high in curves.dimmed:
        figure.add_vrect(x0=low, x1=high, fillcolor="white", opacity=0.6, line_width=0)
    for low, high in curves.marked:
        figure.add_shape(type="line", x0=low, x1=high, y0=0, y1=0, yref="paper",
                         line={"color": _GREEN, "width": 5})  # fmt: skip
    if curves.guide is not None:
        add = figure.add_hline if lying else figure.add_vline
        add(curves.guide, line={"color": _ORANGE, "dash": "dash"})
    if len(curves.rug):
        figure.add_scatter(x=curves.rug, y=np.zeros(len(curves.rug)), yaxis="y2", mode="markers",
                           name=means.get("rug"), showlegend="rug" in means, hoverinfo="x",
                           marker={"symbol": "line-ns-open", "color": "black", "size": 8})  # fmt: skip
        figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False})
    for kind, look in (("marked", {"color": _GREEN, "width": 5}),
                       ("guide", {"color": _ORANGE, "dash": "dash"})):  # fmt: skip
        if kind in means:  # shapes have no entry of their own
            figure.add_scatter(x=[None], y=[None], mode="lines", name=means[kind], line=look)
    _along(figure.update_yaxes if lying else figure.update_xaxes, curves.x, turned=lying)
    _along(figure.update_xaxes if lying else figure.update_yaxes, curves.y)
    return _written(figure, curves, len(curves.x.names) * _ROW if lying else _AXES)


def _add_line(figure: go.Figure, line: Line, means: Any, lying: bool) -> None:
    color, main = _COLORS[line.look], line.look == "main"
    if line.half is not None:
        ends = np.concatenate([line.y + line.half, (line.y - line.half)[::-1]])
        _scatter(figure, np.concatenate([line.x, line.x[::-1]]), ends, lying,
                 means.get("band") if main else None, fill="toself", mode="none",
                 fillcolor=_faint(color, 0.22 if main else 0.15), hoverinfo="skip")  # fmt: skip
    _scatter(figure, line.x, line.y, lying, means.get("line" if main else "second"), mode="lines",
             line={"color": color, "width": 2, "dash": "solid" if main else "dash"})  # fmt: skip


def _add_dots(figure: go.Figure, dots: Dots, means: Any, lying: bool) -> None:
    color, second = _COLORS[dots.look], dots.look == "second"
    symbol = "diamond" if second else "circle-open" if dots.look == "doubt" else "circle"
    bars = {"error_x" if lying else "error_y": {"array": dots.half, "color": color, "width": 3}}
    name = means.get("second points" if second else dots.look)
    _scatter(figure, dots.x, dots.y, lying, name, mode="markers",
             marker={"color": color, "symbol": symbol, "size": 7 if second else 9},
             **(bars if dots.half is not None else {}))  # fmt: skip


def _scatter(figure: go.Figure, x: Any, y: Any, lying: bool, name: str | None, **look: Any) -> None:
    x, y = (y, x) if lying else (x, y)
    figure.add_scatter(x=x, y=y, name=name, showlegend=bool(name), **look)


def _cells(cells: Cells) -> go.Figure:
    x, y, values = cells.x.edges(), cells.y.edges(), np.asarray(cells.values, dtype=float)
    figure = go.Figure(go.Heatmap(
        x=x, y=y, z=values.T, colorscale="Cividis", colorbar={"title": _text(cells.scale)},
        hoverongaps=False,
    ))  # fmt: skip
    if cells.dimmed.any():
        veil = np.where(cells.dimmed, 1.0, np.nan).T
        figure.add_heatmap(x=x, y=y, z=veil, colorscale=[[0, "white"], [1, "white"]], opacity=0.6,
                           showscale=False, hoverinfo="skip")  # fmt: skip
    if len(cells.dots[0]):
        figure.add_scatter(x=cells.dots[0], y=cells.dots[1], mode="markers",
                           name=cells.means.get("dots"),
                           marker={"color": "white", "size": 5,
                                   "line": {"color": "black", "width": 0.6}})  # fmt: skip
    if cells.star is not None:
        figure.add_scatter(x=[cells.star[0]], y=[cells.star[1]], mode="markers",
                           name=cells.means.get("star"),
                           marker={"symbol": "star", "color": _ORANGE, "size": 14,
                                   "line": {"color": "black", "width": 0.7}})  # fmt: skip
    _along(figure.update_xaxes, cells.x)
    _along(figure.update_yaxes, cells.y)
    figure.update_layout(legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0.0})
    return _written(figure, cells, _AXES)


def _along(update: Any, axis: Axis, *, turned: bool = False) -> None:
    """Give an axis its label, scale and names."""
    update(title=_text(axis.title), type="log" if axis.log else "linear", exponentformat="power")
    if axis.names:
        n, names = len(axis.names), [*map(_text, axis.names)]
        update(
            tickvals=[*range(n)],
            ticktext=names,
            range=[n - 0.5, -0.5] if turned else [-0.5, n - 0.5],
        )


def _written(figure: go.Figure, words: Words, height: int) -> go.Figure:
    """Return a figure with what stands over and under it."""
    caution = f"<b>Caution: {_text(words.caution)}</b>" if words.caution else ""
    above = "<br>".join(filter(None, [*map(_text, words.subtitle.split("\n")), caution]))
    under = _text(words.footer)
    top, bottom = (40 + 18 * text.count("<br>") for text in (above, under))
    figure.update_layout(
        template="plotly_white", height=height + top + bottom + 130, barmode="overlay",
        margin={"t": top + 60, "b": bottom + 50, "l": 60, "r": 30},
        title={"text": f"<b>{_text(words.heading)}</b><br><sup>{above}</sup>", "x": 0.01,
               "xanchor": "left", "yref": "container", "y": 1.0, "yanchor": "top", "pad": {"t": 24}},
    )  # fmt: skip
    figure.add_annotation(text=under, xref="paper", yref="paper", x=0, y=0, yshift=-50, align="left",
                          xanchor="left", yanchor="top", showarrow=False,
                          font={"size": 11, "color": _GREY})  # fmt: skip
    return figure


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


def _words_of(rows: Rows) -> Words:
    return Words(heading=rows.heading, subtitle=rows.subtitle, footer=rows.footer)
