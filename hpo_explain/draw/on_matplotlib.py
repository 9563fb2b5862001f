"""Draws a figure's description with matplotlib, laid out by the size of its texts."""

from __future__ import annotations

import sys
import threading
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import TINT
from hpo_explain.base.figures.panels import Figure as Description
from hpo_explain.base.figures.panels import Panels
from hpo_explain.base.phrases import shorten
from hpo_explain.draw._around import MARGINS, write_around, write_around_panels, write_at_side
from hpo_explain.draw._layout import EDGE, Grid, lay_out
from hpo_explain.draw._legend import key_of, legend_of
from hpo_explain.draw._marks import HEIGHT, SCALE, draw, draw_scale_of
from hpo_explain.draw._text import abbreviated, plain, wrap
from hpo_explain.draw._texts import TEXT, characters, high, literal
from hpo_explain.draw.pages import is_for_pages

__all__ = ["drawn", "key_of"]

WIDTH = 8.0  # inches: what a page of text is wide on a screen
_HIGH = 120.0  # points that curves of a panel are high


def drawn(figure: Description, *, ax: Axes | None = None, width: float | None = None) -> Any:
    """Draw a description on axes, or on a new figure as high as it needs.

    Return the axes; of panels, which take their place, an array of axes.
    """
    is_new = not ax
    ax = ax or _shown_axes(width or WIDTH)
    if isinstance(figure, Panels):
        return _draw_panels(ax, figure, is_new=is_new)
    points = _points_across(ax)
    shape = draw(ax, figure, points)
    texts = list(ax.texts)
    if shape.scale:
        points -= SCALE
    marks = legend_of(figure, figure.means)
    around = write_around(ax, figure, marks, shape, points)
    if is_new:
        lay_out(ax, shape, texts, around)
    return ax


def _points_across(ax: Axes) -> float:
    """Return the width that is there for axes with their labels, in points."""
    figure, spec = ax.figure.figure, ax.get_subplotspec()
    if not (figure.get_layout_engine() and spec):
        return float(ax.get_window_extent().width / figure.dpi * 72.0)
    share = len(spec.colspan) / spec.get_gridspec().ncols
    return float(figure.get_figwidth() * 72.0 * share)


# ---------------------------------------------------------------------- panels


def _draw_panels(ax: Axes, figure: Panels, *, is_new: bool) -> Any:
    """Draw panels in place of axes, on as few rows as their width allows."""
    n, points = len(figure.panels), _points_across(ax) - MARGINS
    columns = _columns(figure, points + MARGINS)
    part = _part_of(ax, is_new=is_new)
    ends = figure.ends_of_y
    axes = _axes_in(part, n, same_x=figure.same_x, same_y=bool(ends))
    wide = (points - 45.0) / columns  # without a y axis and its label
    below = [k + columns < n for k in range(n)]
    for k, panel in enumerate(axes):
        # the numbers of axes that are shared stand once
        inside = bool(ends) and k % columns > 0
        above = figure.same_x and below[k]
        panel.tick_params(labelleft=not inside, labelbottom=not above)
    colors = figure.one_scale
    shapes = [
        draw(panel, description, wide, scale=not colors, high=_HIGH)
        for panel, description in zip(axes, figure.panels, strict=True)
    ]
    if ends:
        axes[0].set_ylim(ends)
    room = characters(wide - (TEXT if ends else 40.0), wide=0.63)
    titles = _write_titles(axes, figure, room)
    labels = [shape.label for shape in shapes]
    is_shared = figure.same_x or len(set(labels)) == 1
    for k, (panel, text) in enumerate(zip(axes, labels, strict=True)):
        if not (is_shared and below[k]):
            _label(panel.xaxis, text, wide - 40.0)
    upright = {shape.beside for shape in shapes}
    if len(upright) > 1:
        for panel, shape in zip(axes, shapes, strict=True):
            _label(panel.yaxis, shape.beside, 0.9 * shape.height)
    beside = upright.pop() if len(upright) == 1 else ""
    grid = Grid(
        axes=axes,
        columns=columns,
        shapes=shapes,
        titles=titles,
        scale=draw_scale_of(colors, list(axes)) if colors else None,
    )
    over, under = write_around_panels(part, figure, points)
    middle = grid.lay_out(
        part, is_whole=is_new, over=over, under=under, beside=1.5 * TEXT if beside else 0.0
    )
    if beside:
        text = shorten(plain(beside), characters(0.9 * ceil(n / columns) * _HIGH))
        write_at_side(part, text, middle, (EDGE, 0.0), va="center", rotation=90)
    return axes


def _columns(figure: Panels, points: float) -> int:
    """Return how many panels stand beside each other, all rows with as many as can be."""
    curves = [panel for panel in figure.panels if isinstance(panel, Curves)]
    needed = 230.0 if any(panel.lying for panel in curves) else 165.0
    n = len(figure.panels)
    return ceil(n / ceil(n / max(1, min(3, n, int(points / needed)))))


def _axes_in(part: Any, n: int, *, same_x: bool, same_y: bool) -> Any:
    """Return axes for panels, as high as they are going to be, whose places are found later."""
    points = 72.0 / part.dpi * part.bbox.height
    axes = np.empty(n, dtype=object)
    for k in range(n):
        shared = [name for name, is_same in (("sharex", same_x), ("sharey", same_y)) if is_same]
        axes[k] = part.add_axes((0.0, 0.0, 0.5, _HIGH / points), **dict.fromkeys(shared, axes[0]))
    return axes


def _write_titles(axes: Any, figure: Panels, room: int) -> list[float]:
    """Write titles: names on one line, sentences on up to three; return how high each is."""
    texts = [plain(panel.heading) for panel in figure.panels]
    names = abbreviated(texts, room)
    sentences = [wrap(text, room) for text in abbreviated(texts, 3 * room)]
    heights = []
    for k, (ax, panel) in enumerate(zip(axes, figure.panels, strict=True)):
        title = sentences[k] if " " in texts[k] else names[k]
        weight = "bold" if panel.emphasis else "normal"
        literal(ax.set_title(title, loc="left", fontsize=TEXT, y=1.0, fontweight=weight))
        if panel.emphasis:
            ax.set_facecolor(TINT)
        heights.append(high(title, TEXT) + 10.0)
    return heights


def _part_of(ax: Axes, *, is_new: bool) -> Any:
    """Return the figure where axes stood that are removed: a part of it, if it is not a new one."""
    figure, spec = ax.figure, ax.get_subplotspec()
    if is_new:
        ax.remove()
        return figure
    if not spec:
        (left, bottom), (right, top) = ax.get_position().get_points()
        whole = figure.figure.add_gridspec(1, 1, left=left, right=right, bottom=bottom, top=top)
        spec = whole[0]
    ax.remove()
    return figure.add_subfigure(spec)


def _label(axis: Axis, text: str, points: float) -> None:
    """Label an axis of a panel."""
    fitted = abbreviated([plain(text)], characters(points))[0]
    axis.set_label_text(fitted, fontsize=TEXT)
    literal(axis.label)


# ---------------------------------------------------------------------- new figures


def _shown_axes(width: float) -> Axes:
    """Return axes of a new figure, which pyplot knows where it is in use, so that it is shown.

    Not of a page, and not beside the main thread, as pyplot has no locks.
    """
    is_main = threading.current_thread() is threading.main_thread()
    in_use = "matplotlib.pyplot" in sys.modules or _kernel_runs()
    size = (width, HEIGHT / 72.0)
    if is_main and in_use and not is_for_pages():
        from matplotlib import pyplot as plt

        new = plt.figure(figsize=size)
    else:
        new = Figure(figsize=size)
        # Texts are measured by its renderer: without a canvas each measurement makes a new one.
        FigureCanvasAgg(new)
    new.set_layout_engine("none")  # whatever the user's style says
    return new.add_axes((0.0, 0.0, 1.0, 1.0))


def _kernel_runs() -> bool:
    """Whether this is a notebook: a kernel of IPython that shows figures of pyplot."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython and ipython.get_ipython(), "kernel")
