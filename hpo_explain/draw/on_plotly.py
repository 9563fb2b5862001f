"""Makes figures of plotly from descriptions; how much room texts take is said in `_room`."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import GREY, INK, ON_DARK, PAPER, TINT, Words
from hpo_explain.base.figures.panels import Figure, Panels
from hpo_explain.base.figures.rows import Rows
from hpo_explain.draw import _room as texts
from hpo_explain.draw._plotly_axes import HIGH, NUMBERS, PANEL, Axes, Room, write_at
from hpo_explain.draw._plotly_traces import draw
from hpo_explain.draw._room import BOLD, HEADING, MARGIN, NARROW, SMALL, TEXT
from hpo_explain.draw._text import abbreviated, plain

_EDGE = 8  # pixels left of all texts
_TINY = SMALL - 2  # pixels of texts along them
_FROM_THE_TOP = {"xanchor": "left", "yanchor": "top", "yref": "container"}
_DARK = {**ON_DARK, "black": ON_DARK[INK], "white": ON_DARK[PAPER]}


def drawn(figure: Figure, *, dark: bool = False) -> go.Figure:
    """Return a description as a figure, on white or on black."""
    chart = go.Figure()
    if isinstance(figure, Panels):
        chart = _panels(figure)
    else:
        _write(chart, figure, draw(Axes(chart, figure.means), figure))
    if dark:
        chart = go.Figure(_darkened(chart.to_dict()))
        chart.update_layout(paper_bgcolor=ON_DARK[PAPER], plot_bgcolor=ON_DARK[PAPER])
    return chart.update_layout(template="plotly_dark" if dark else "plotly_white")


def script_of_pages() -> bytes:
    """Return plotly's own script, which draws in a page."""
    return str(get_plotlyjs()).encode()


def _darkened(part: Any) -> Any:
    """Return a part of a figure with the colors that it has on black."""
    if isinstance(part, dict):
        return {key: _darkened(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_darkened(value) for value in part]
    if isinstance(part, str):
        return _DARK.get(part, part.replace(GREY, _DARK[GREY]))
    return part


# ---------------------------------------------------------------------- panels


def _panels(figure: Panels) -> go.Figure:
    """Draw panels, two beside each other unless names stand left of them."""
    n = len(figure.panels)
    across = 1 if any(map(_is_named, figure.panels)) else min(2, n)
    ends = figure.ends_of_y
    chart = make_subplots(
        ceil(n / across),
        across,
        horizontal_spacing=0.04 if ends else 0.2,
        shared_yaxes="all" if ends else False,
        shared_xaxes="all" if figure.same_x else False,
    )
    once = NUMBERS * (across - 1) if ends else 0
    wide = (NARROW - MARGIN + once) // across
    rooms = []
    for k, panel in enumerate(figure.panels):
        row, column = divmod(k, across)
        axes = Axes(chart, figure.legend(), wide, row=row + 1, col=column + 1)
        rooms.append(draw(axes, panel))
        if ends:
            low, high = np.log10(ends) if figure.curves[0].y.log else ends
            axes.update_y(range=[low, high])
            if column:
                axes.update_y(title="")
        if figure.same_x and k + across < n:
            axes.update_x(title="")
    left = max(room.left for room in rooms)
    room = texts.fitting(wide - left, SMALL, BOLD)
    headings = [plain(panel.heading) for panel in figure.panels]
    titles = [texts.lines(text, room) for text in abbreviated(headings, 3 * room)]
    above = max(texts.high(title, SMALL) for title in titles) + 8
    rows = [rooms[k : k + across] for k in range(0, n, across)]
    highs = [max(PANEL if room.high == HIGH else room.high for room in row) for row in rows]
    belows = [max(room.below for room in row) for row in rows]
    # what the last row has below is under the figure, what the first has above is over it
    total = sum(highs) + sum(below + above for below in belows[:-1])
    top = 0
    for k, (high, below) in enumerate(zip(highs, belows, strict=True)):
        domain = [1.0 - (top + high) / total, 1.0 - top / total]
        chart.update_yaxes(domain=domain, row=k + 1)
        top += high + below + above
    for k, (panel, title) in enumerate(zip(figure.panels, titles, strict=True)):
        _frame(chart, panel, title, row=k // across + 1, col=k % across + 1)
    if figure.one_scale:
        anywhere = dict.fromkeys(("x", "y", "len"))
        chart.update_traces(showscale=False, selector={"type": "heatmap"})
        chart.update_traces(showscale=True, colorbar=anywhere, selector=0)
    _write(chart, figure, Room(total, left, belows[-1]), above=above)
    return chart


def _is_named(panel: Rows | Curves | Cells) -> bool:
    """Whether names stand left of a panel."""
    if isinstance(panel, Curves):
        return panel.lying
    return isinstance(panel, Rows) or bool(panel.y.names)


def _frame(chart: go.Figure, panel: Rows | Curves | Cells, title: str, **cell: int) -> None:
    """Give a panel its title, its tint, and the scale of its colors its place."""
    left, right = next(chart.select_xaxes(**cell)).domain
    low, top = next(chart.select_yaxes(**cell)).domain
    text = f"<b>{title}</b>" if panel.emphasis else title
    write_at(chart, text, left, top, yanchor="bottom", yshift=2, font_size=SMALL)
    if panel.emphasis:
        chart.add_shape(
            type="rect",
            x0=left,
            x1=right,
            y0=low,
            y1=top,
            xref="paper",
            yref="paper",
            layer="below",
            fillcolor=TINT,
            line_width=0,
        )
    for colors in chart.select_traces({"type": "heatmap"}, **cell):
        middle, high = (low + top) / 2, top - low
        colors.update(colorbar={"x": right, "y": middle, "len": high})


# ---------------------------------------------------------------------- around


def _write(chart: go.Figure, words: Words, room: Room, *, above: int = 0) -> None:
    """Write what stands over and under a figure, which becomes as high as it is on a phone."""
    heading = _over(words)
    footer = texts.within(words.footer, NARROW, SMALL)
    over = texts.high(heading, HEADING) + MARGIN
    legend = texts.legend_high([trace.name for trace in chart.data if trace.showlegend])
    below = room.below
    if words.footer:
        below += texts.high(footer, SMALL) + MARGIN
        away = {"xshift": _EDGE - room.left, "yshift": -room.below}
        write_at(chart, footer, 0, 0, yanchor="top", font_size=SMALL, font_color=GREY, **away)
    height = over + legend + above + room.high + below
    chart.update_layout(
        height=height,
        barmode="overlay",
        font_size=TEXT,
        hoverlabel_align="left",
        margin={"t": over + above + legend * bool(above), "b": below, "l": room.left, "r": MARGIN},
        title={"text": heading, "x": 0, "y": 1.0, "pad": {"t": 22, "l": _EDGE}, **_FROM_THE_TOP},
        title_font_size=HEADING,
        legend={"orientation": "h", "x": _EDGE / NARROW, "xref": "container", **_FROM_THE_TOP},
        legend_y=1.0 - over / height,
        legend_font_size=SMALL,
        legend_tracegroupgap=0,
    )
    chart.update_xaxes(
        ticklabelstandoff=5,  # the numbers of both axes do not touch
        tickfont_size=SMALL,
        title_font_size=TEXT,
        title_standoff=6,
    )
    chart.update_yaxes(tickfont_size=SMALL, title_font_size=TEXT, title_standoff=4)


def _over(words: Words) -> str:
    """Return what stands over a figure: its heading, its subtitle and its caution."""
    heading = texts.within(words.heading, NARROW, HEADING, BOLD)
    warning = texts.within(words.warning, NARROW, wide=BOLD)
    paragraphs = [texts.within(words.subtitle, NARROW), warning and f"<b>{warning}</b>"]
    small = f'<span style="font-size:{TEXT}px">{{}}</span>'
    return "<br>".join([f"<b>{heading}</b>", *map(small.format, filter(None, paragraphs))])
