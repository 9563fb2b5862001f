"""Draws a figure's description with matplotlib, laid out by its own constrained layout."""

from __future__ import annotations

import sys
import threading
from math import ceil
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.panels import Figure as Description
from hpo_explain.base.figures.panels import Panels
from hpo_explain.base.figures.rows import Rows
from hpo_explain.base.width import shorten
from hpo_explain.draw._marks import (
    SCALE,
    draw_cells,
    draw_curves,
    draw_one_scale,
    draw_rows,
    legend_of,
)
from hpo_explain.draw._text import abbreviated, plain, wrap
from hpo_explain.draw._texts import (
    HEADING,
    LEGEND,
    LINE,
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
_TICKS = 28.0  # points of ticks and margins above and below
# points that a panel needs across, and that curves are high
_PANEL, _HIGH = (165.0, 105.0)
_MOST_COLUMNS, _TITLE_LINES = 3, 3
_BESIDE = 45.0  # points that a y axis takes with its label
_TINTED = "#fff4de"
_EDGE = 0.01  # where texts begin, as a share of the figure


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
    height, label, beside = _draw(ax, figure, points)
    colored = isinstance(figure, Cells) or (
        isinstance(figure, Rows) and bool(figure.scale)
    )
    scale = SCALE if colored else 0.0
    legend = list(legend_of(figure))
    words = write_around(
        ax, figure, legend, label, beside, points - scale, height
    )
    if own:
        ax.figure.figure.set_figheight((height + words + _TICKS) / 72.0)
    return ax


def _draw(
    ax: Axes, figure: Rows | Curves | Cells, points: float, **how: Any
) -> Any:
    ax.tick_params(labelsize=TEXT)
    for axis in (ax.xaxis, ax.yaxis):
        numbers = axis.get_major_formatter()
        if isinstance(numbers, ScalarFormatter):
            numbers.set_useOffset(False)
    draw: Any = {Rows: draw_rows, Curves: draw_curves, Cells: draw_cells}[
        type(figure)
    ]
    return draw(ax, figure, points, **how)


# ---------------------------------------------------------------------- panels


def _draw_panels(ax: Axes, figure: Panels, *, own: bool) -> Any:
    """Draw panels in place of axes, on as few rows as their width allows."""
    across, n = points_across(ax), len(figure.panels)
    most = max(1, min(_MOST_COLUMNS, n, int(across / _PANEL)))
    rows = -(-n // most)
    columns = -(-n // rows)
    part = _part_of(ax, own=own)
    curves = [
        panel
        for panel in figure.panels
        if isinstance(panel, Curves) and not panel.lying
    ]
    same_y = figure.same_y and len(curves) == n
    grid = part.subplots(
        rows, columns, squeeze=False, sharex=figure.same_x, sharey=same_y
    ).ravel()
    for empty in grid[n:]:
        empty.remove()
    axes, points = grid[:n], (across - MARGINS - _BESIDE) / columns
    shared = _shares_scale(figure)
    room = characters(points - (TEXT if same_y else 40.0), wide=0.63)
    titles = _titles([plain(panel.heading) for panel in figure.panels], room)
    found = []
    for panel, one, title in zip(axes, figure.panels, titles, strict=True):
        how = {"scale": not shared} if isinstance(one, Cells) else {}
        found.append(_draw(panel, one, points, **how))
        bold = "bold" if one.emphasis else "normal"
        literal(
            [
                panel.set_title(
                    title, loc="left", fontsize=TEXT, fontweight=bold
                )
            ]
        )
        if one.emphasis:
            panel.set_facecolor(_TINTED)
    if same_y:
        ends = [one.limits() for one in curves]
        axes[0].set_ylim(
            min(low for low, _ in ends), max(top for _, top in ends)
        )
    heights = [
        title.count("\n") * LINE * TEXT
        + height
        - (85.0 if isinstance(one, Curves) and not one.lying else 0.0)
        for (height, _, _), one, title in zip(
            found, figure.panels, titles, strict=True
        )
    ]
    below = _label(
        axes,
        [x for _, x, _ in found],
        columns,
        0,
        points - 40.0,
        same=figure.same_x,
    )
    if len({y for _, _, y in found}) > 1:
        _label(
            axes,
            [y for _, _, y in found],
            columns,
            1,
            0.95 * _HIGH,
            same=False,
        )
    elif found[0][2]:
        beside = shorten(plain(found[0][2]), characters(0.9 * rows * _HIGH))
        literal([part.supylabel(beside, fontsize=TEXT, color=ink())])
    if shared:
        draw_one_scale(list(axes), shared)
    words = _write_around(part, figure, across - MARGINS)
    if own:
        high_rows = sum(
            max(heights[k : k + columns]) for k in range(0, n, columns)
        )
        part.set_figheight(
            (high_rows + words + below + rows * (4.5 * TEXT) + 1.5 * TEXT)
            / 72.0
        )
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


def _label(
    axes: Any,
    texts: list[str],
    columns: int,
    k: int,
    points: float,
    *,
    same: bool,
) -> float:
    """Label axes along x (0) or y (1); the same labels stand under the last row only.

    Return how many points high all labels are.
    """
    taken = 0.0
    for i, (panel, text) in enumerate(zip(axes, texts, strict=True)):
        if (
            k == 0
            and (same or len(set(texts)) == 1)
            and i + columns < len(axes)
        ):
            continue
        axis = (panel.xaxis, panel.yaxis)[k]
        axis.set_label_text(
            abbreviated([plain(text)], characters(points))[0], fontsize=TEXT
        )
        literal([axis.label])
        taken += LINE * TEXT * bool(text) if i % columns == 0 else 0.0
    return taken


def _write_around(part: Any, figure: Panels, points: float) -> float:
    """Write what all panels have in common; return how many points high it is."""
    heading = wrap(plain(figure.heading), characters(points, HEADING, 0.64))
    title = part.suptitle(
        heading,
        x=_EDGE,
        ha="left",
        fontsize=HEADING,
        fontweight="bold",
        color=ink(),
    )
    over = high(heading, HEADING) + 4.0
    means = figure.legend()
    entries: dict[str, Any] = {}
    for panel in figure.panels:
        for artist, text in legend_of(panel, means):
            entries.setdefault(text, artist)
    ordered = [text for text in means.values() if text in entries]
    ordered = [*dict.fromkeys([*ordered, *entries])]
    caution = (
        f"Caution: {figure.caution[0].lower()}{figure.caution[1:]}"
        if figure.caution
        else ""
    )
    subtitle = wrap(
        "\n".join(filter(None, [figure.subtitle, caution])), characters(points)
    )
    down = ScaledTranslation(0.0, -over / 72.0, part.figure.dpi_scale_trans)
    texts = [plain(text) for text in ordered]
    columns = legend_columns(texts, points) if texts else 1
    # the title of the legend is the subtitle
    legend = part.legend(
        [entries[text] for text in ordered],
        ["-"] * len(ordered),
        loc="upper left",
        bbox_to_anchor=(_EDGE, 1.0),
        bbox_transform=part.transSubfigure + down,
        ncols=columns,
        title=subtitle,
        title_fontsize=TEXT,
        alignment="left",
        **LEGEND,
    )
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set_text(text)
    over += high(subtitle, TEXT) + -(-len(texts) // columns) * TEXT * 1.45
    # the layout makes room for a heading only: its empty lines keep the place of the others
    lines = ceil(over / (1.2 * HEADING))
    title.set_text(heading + "\n" * (lines - heading.count("\n") - 1))
    footer = wrap(figure.footer, characters(points, SMALL))
    under = part.supxlabel(
        footer, x=_EDGE, ha="left", fontsize=SMALL, color=ink("#6b6b6b")
    )
    literal([title, under, legend.get_title(), *legend.get_texts()])
    return lines * 1.2 * HEADING + high(footer, SMALL) + 8.0


# ---------------------------------------------------------------------- new figures


def _shown_axes(width: float) -> Axes:
    """Return axes of a new figure, which pyplot knows where it is in use, so that it is shown.

    Not of a page, and not beside the main thread, as pyplot has no locks.
    """
    main = threading.current_thread() is threading.main_thread()
    if (
        is_for_pages()
        or not main
        or not ("matplotlib.pyplot" in sys.modules or _kernel_runs())
    ):
        return Figure(
            figsize=(width, width / 2.0), layout="constrained"
        ).add_subplot()
    from matplotlib import pyplot as plt

    axes: Axes = plt.figure(
        figsize=(width, width / 2.0), layout="constrained"
    ).add_subplot()
    return axes


def _kernel_runs() -> bool:
    """Whether this is a notebook: a kernel of IPython that shows figures of pyplot."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
