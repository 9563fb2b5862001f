"""Draws a figure's description with matplotlib, laid out by the size of its texts."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import GREY, INK, TINT
from hpo_explain.base.figures.panels import Figure as Description
from hpo_explain.base.figures.panels import Panels
from hpo_explain.base.figures.parallel import Parallel
from hpo_explain.base.figures.rows import Rows
from hpo_explain.base.width import shorten
from hpo_explain.draw._marks import (
    HEIGHT,
    SCALE,
    draw_cells,
    draw_curves,
    draw_one_scale,
    draw_parallel,
    draw_rows,
    legend_of,
)
from hpo_explain.draw._place import EDGE, Grid, Shape, place
from hpo_explain.draw._text import abbreviated, plain, visible, wrap
from hpo_explain.draw._texts import (
    HEADING,
    LEGEND,
    MARGINS,
    SMALL,
    TEXT,
    characters,
    high,
    ink,
    legend_columns,
    literal,
    points_across,
    write_around,
)
from hpo_explain.draw.pages import is_for_pages

WIDTH = 8.0  # inches: what a page of text is wide on a screen
# points that a panel needs across, and that curves are high
_PANEL, _HIGH = (165.0, 120.0)
_NAMED = 230.0  # the same with names left of its axes
_MOST_COLUMNS, _TITLE_LINES = 3, 3
_TITLE_PAD = 10.0  # points over and under the title of a panel
_LABEL = 1.5 * TEXT  # points of the label that panels have in common
_MARK_WIDE, _MARK_HIGH = (26.0, 12.0)  # points of a mark of a legend
_BESIDE = 45.0  # points that a y axis takes with its label


def drawn(
    figure: Description, *, ax: Axes | None = None, width: float | None = None
) -> Any:
    """Draw a description on axes, or on a new figure as high as it needs.

    Return the axes; of panels, which take their place, an array of axes.
    """
    own = ax is None
    if ax is None:
        ax = _shown_axes(WIDTH if width is None else width)
    if isinstance(figure, Panels):
        return _draw_panels(ax, figure, own=own)
    points = points_across(ax)
    shape = _draw(ax, figure, points)
    colored = isinstance(figure, Cells) or (
        isinstance(figure, Rows) and bool(figure.scale)
    )
    scale = SCALE if colored else 0.0
    legend = list(legend_of(figure))
    marked = list(ax.texts)
    around = write_around(ax, figure, legend, shape, points - scale)
    if own:
        place(ax, shape, marked, around)
    return ax


def _draw(
    ax: Axes,
    figure: Rows | Curves | Cells | Parallel,
    points: float,
    **how: Any,
) -> Shape:
    ax.tick_params(labelsize=TEXT)
    for axis in (ax.xaxis, ax.yaxis):
        numbers = axis.get_major_formatter()
        if isinstance(numbers, ScalarFormatter):
            numbers.set_useOffset(False)
    draw: Any = {
        Rows: draw_rows,
        Curves: draw_curves,
        Cells: draw_cells,
        Parallel: draw_parallel,
    }[type(figure)]
    shape: Shape = draw(ax, figure, points, **how)
    return shape


# ---------------------------------------------------------------------- panels


def _draw_panels(ax: Axes, figure: Panels, *, own: bool) -> Any:
    """Draw panels in place of axes, on as few rows as their width allows."""
    across, n = points_across(ax), len(figure.panels)
    named = any(
        panel.lying for panel in figure.panels if isinstance(panel, Curves)
    )
    room = int(across / (_NAMED if named else _PANEL))
    most = max(1, min(_MOST_COLUMNS, n, room))
    rows = -(-n // most)
    columns = -(-n // rows)
    part = _part_of(ax, own=own)
    curves = [
        panel
        for panel in figure.panels
        if isinstance(panel, Curves) and not panel.lying
    ]
    same_y = figure.same_y and len(curves) == n
    axes = _axes_in(part, n, same_x=figure.same_x, same_y=same_y)
    points = (across - MARGINS - _BESIDE) / columns
    for i, panel in enumerate(axes):
        # the numbers of axes that are shared stand once
        inside = same_y and i % columns > 0
        above = figure.same_x and i + columns < n
        panel.tick_params(labelleft=not inside, labelbottom=not above)
    shared = _shares_scale(figure)
    room = characters(points - (TEXT if same_y else 40.0), wide=0.63)
    titles = _titles([plain(panel.heading) for panel in figure.panels], room)
    shapes = []
    for panel, one, title in zip(axes, figure.panels, titles, strict=True):
        how = {"scale": not shared} if isinstance(one, Cells) else {}
        shape = _draw(panel, one, points, **how)
        if isinstance(one, Curves) and not one.lying:
            shape = replace(shape, height=_HIGH)
        shapes.append(shape)
        bold = "bold" if one.emphasis else "normal"
        literal(
            [
                panel.set_title(
                    title, loc="left", fontsize=TEXT, fontweight=bold, y=1.0
                )
            ]
        )
        if one.emphasis:
            panel.set_facecolor(TINT)
    if same_y:
        ends = [one.limits() for one in curves]
        axes[0].set_ylim(
            min(low for low, _ in ends), max(top for _, top in ends)
        )
    labels = [shape.label for shape in shapes]
    same = figure.same_x or len(set(labels)) == 1
    for i, (panel, text) in enumerate(zip(axes, labels, strict=True)):
        if not (same and i + columns < n):
            _label(panel.xaxis, text, points - 40.0)
    beside = shapes[0].beside
    if any(shape.beside != beside for shape in shapes):
        beside = ""
        for panel, shape in zip(axes, shapes, strict=True):
            _label(panel.yaxis, shape.beside, 0.9 * shape.height)
    grid = Grid(
        axes=axes,
        columns=columns,
        shapes=shapes,
        titles=[high(title, TEXT) + _TITLE_PAD for title in titles],
        scale=draw_one_scale(list(axes), shared) if shared else None,
    )
    over, under = _write_around(part, figure, across - MARGINS)
    middle = grid.place(
        part,
        own=own,
        over=over,
        under=under,
        beside=_LABEL if beside else 0.0,
    )
    if beside:
        fitted = shorten(plain(beside), characters(0.9 * rows * _HIGH))
        _write(part, fitted, middle, (EDGE, 0.0), va="center", rotation=90)
    return axes


def _axes_in(part: Any, n: int, *, same_x: bool, same_y: bool) -> Any:
    """Return axes for panels, as high as they are going to be, whose places are found later."""
    points = 72.0 / part.dpi * part.bbox.height
    rect = (0.0, 0.0, 0.5, _HIGH / points)
    first = part.add_axes(rect)
    share = {"sharex": first if same_x else None}
    share |= {"sharey": first if same_y else None}
    others = [part.add_axes(rect, **share) for _ in range(n - 1)]
    axes = np.empty(n, dtype=object)
    axes[:] = [first, *others]
    return axes


def _titles(texts: list[str], room: int) -> list[str]:
    """Return the titles of panels: names on one line, sentences on at most three."""
    lines = [_TITLE_LINES if " " in text else 1 for text in texts]
    short = [abbreviated(texts, n * room)[k] for k, n in enumerate(lines)]
    return [
        wrap(text, room) if n > 1 else text
        for text, n in zip(short, lines, strict=True)
    ]


def _part_of(ax: Axes, *, own: bool) -> Any:
    """Return the figure where axes stood that are removed: a part of it, if it is not our own."""
    figure, place = ax.figure, ax.get_subplotspec()
    if own:
        ax.remove()
        return figure
    if place is None:
        box = ax.get_position()
        sides = {
            "left": box.x0,
            "right": box.x1,
            "bottom": box.y0,
            "top": box.y1,
        }
        place = figure.figure.add_gridspec(1, 1, **sides)[0]
    ax.remove()
    return figure.add_subfigure(place)


def _shares_scale(figure: Panels) -> Cells | None:
    """Return the first panel if all panels are heat maps on one color scale, else None."""
    cells = [panel for panel in figure.panels if isinstance(panel, Cells)]
    same = len({(panel.ends(), panel.scale) for panel in cells}) == 1
    return cells[0] if same and len(cells) == len(figure.panels) else None


def _label(axis: Axis, text: str, points: float) -> None:
    """Label an axis of a panel."""
    fitted = abbreviated([plain(text)], characters(points))[0]
    axis.set_label_text(fitted, fontsize=TEXT)
    literal([axis.label])


def _write(
    part: Any,
    text: str,
    y: float,
    away: tuple[float, float],
    *,
    size: float = TEXT,
    color: str = INK,
    **style: Any,
) -> Any:
    """Write a text at the left side of a figure, so many points away from a height in it."""
    shift = ScaledTranslation(
        away[0] / 72.0, away[1] / 72.0, part.dpi_scale_trans
    )
    written = part.text(
        0.0,
        y,
        text,
        fontsize=size,
        color=ink(color),
        transform=part.transSubfigure + shift,
        **style,
    )
    literal([written])
    return written


def _write_around(
    part: Any, figure: Panels, points: float
) -> tuple[float, float]:
    """Write what all panels have in common; return how many points it takes over and under."""
    heading = wrap(plain(figure.heading), characters(points, HEADING, 0.64))
    _write(
        part,
        heading,
        1.0,
        (EDGE, -EDGE),
        size=HEADING,
        va="top",
        fontweight="bold",
    )
    over = high(heading, HEADING) + 2.0
    entries = _entries(figure)
    caution = (
        f"Caution: {figure.caution[0].lower()}{figure.caution[1:]}"
        if figure.caution
        else ""
    )
    subtitle = wrap(
        "\n".join(filter(None, [figure.subtitle, caution])), characters(points)
    )
    if subtitle:
        _write(part, subtitle, 1.0, (EDGE, -EDGE - over), va="top")
        over += high(subtitle, TEXT) + 2.0
    if entries:
        over += _write_legend(part, entries, over, points)
    footer = wrap(visible(figure.footer), characters(points, SMALL))
    if footer:
        _write(
            part,
            footer,
            0.0,
            (EDGE, EDGE),
            size=SMALL,
            color=GREY,
            va="bottom",
        )
    return over + 4.0, high(footer, SMALL) + 2.0


def _entries(figure: Panels) -> dict[str, Any]:
    """Return the mark of each meaning, in the order of the legend of all panels."""
    means = figure.legend()
    entries: dict[str, Any] = {}
    for panel in figure.panels:
        for artist, text in legend_of(panel, means):
            entries.setdefault(text, artist)
    ordered = [text for text in means.values() if text in entries]
    return {text: entries[text] for text in [*ordered, *entries]}


def key_of(figure: Panels) -> list[tuple[str, Any]]:
    """Return the meanings of a legend, each with a function that draws its mark alone."""
    return [
        (plain(text), partial(_mark_alone, mark))
        for text, mark in _entries(figure).items()
    ]


def _mark_alone(mark: Any) -> Legend:
    new = Figure(figsize=(_MARK_WIDE / 72.0, _MARK_HIGH / 72.0))
    new.set_layout_engine("none")
    # of the figure: axes would take most of the time
    legend = new.legend([mark], ["-"], loc="center", **LEGEND)
    legend.get_texts()[0].set_text("")
    return legend


def _write_legend(
    part: Any, entries: dict[str, Any], over: float, points: float
) -> float:
    """Write the legend of all panels under so many points; return how many points high it is."""
    texts = [plain(text) for text in entries]
    columns = legend_columns(texts, points)
    shift = ScaledTranslation(
        EDGE / 72.0, -(EDGE + over) / 72.0, part.dpi_scale_trans
    )
    legend = part.legend(
        [*entries.values()],
        ["-"] * len(entries),
        loc="upper left",
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=part.transSubfigure + shift,
        ncols=columns,
        **LEGEND,
    )
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set_text(text)
    literal(legend.get_texts())
    return -(-len(texts) // columns) * TEXT * 1.45 + 2.0


# ---------------------------------------------------------------------- new figures


def _shown_axes(width: float) -> Axes:
    """Return axes of a new figure, which pyplot knows where it is in use, so that it is shown.

    Not of a page, and not beside the main thread, as pyplot has no locks.
    """
    main = threading.current_thread() is threading.main_thread()
    size = (width, HEIGHT / 72.0)
    if (
        is_for_pages()
        or not main
        or not ("matplotlib.pyplot" in sys.modules or _kernel_runs())
    ):
        new = Figure(figsize=size)
        # Texts are measured by its renderer: without a canvas each measurement makes a new one.
        FigureCanvasAgg(new)
    else:
        from matplotlib import pyplot as plt

        new = plt.figure(figsize=size)
    new.set_layout_engine("none")  # whatever the user's style says
    return new.add_axes((0.0, 0.0, 1.0, 1.0))


def _kernel_runs() -> bool:
    """Whether this is a notebook: a kernel of IPython that shows figures of pyplot."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
