"""Draws rows, curves and cells on axes of matplotlib, without what is written around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.markers import TICKUP
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import (
    BLUE,
    GREEN,
    GREY,
    LOOKS,
    RULE,
    Axis,
    Dots,
    Line,
    pointing,
    reach,
)
from hpo_explain.base.figures.parallel import Parallel
from hpo_explain.base.figures.rows import FILLS, HATCHED, PALE, Bar, Rows
from hpo_explain.base.width import shorten
from hpo_explain.draw._log_axis import make_log
from hpo_explain.draw._place import Shape
from hpo_explain.draw._text import plain
from hpo_explain.draw._texts import (
    LINE,
    SMALL,
    TEXT,
    characters,
    ink,
    literal,
    names_across,
    names_down,
    row_labels,
    whole_names,
)
from hpo_explain.space import Array

# points, of axes, of a row of points or of cells
HEIGHT, _ROW, _CELL, _AXIS = (190.0, 17.0, 22.0, 22.0)
_BARS = (18.0, 30.0, 36.0)  # of a row with 1, 2, 3 and more bars
SCALE = 78.0  # points, width of the scale of colors with its texts
_RUG = 0.035  # height of a mark of the rug, as a share of the axes
_MOST_VECTORS = (
    2000  # marks that are drawn as such: an SVG of 50,000 takes 10 MB
)
_COLORS = 16  # of dots along a scale
_DIMMED: dict[str, Any] = {
    "facecolor": (1.0, 1.0, 1.0, 0.6),
    "edgecolor": RULE,
    "hatch": "////",
    "linewidth": 0.0,
}
# of one of several parallel axes
_ALONG: dict[str, Any] = {"marker": "|", "linewidth": 0.8, "zorder": 2.0}
_STROKES: dict[str, Any] = {"color": "white", "linewidth": 0.7, "alpha": 0.7}
_TICK: dict[str, Any] = {"marker": TICKUP}
_MARKED: dict[str, Any] = {
    "color": GREEN,
    "linewidth": 4.0,
    "solid_capstyle": "butt",
}
_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "x",
    "bar": "|",
    "star": "*",
    "triangle-up": "^",
    "triangle-down": "v",
    "triangle-left": "<",
    "triangle-right": ">",
}
_DASHES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (4, 1.5)),
    "dot": (0, (1, 1)),
    "dashdot": (0, (5, 1, 1, 1)),
}


# ---------------------------------------------------------------------- looks


def _stroke(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    return {
        "color": ink(kind.color),
        "linewidth": kind.width,
        "linestyle": _DASHES[kind.dash],
        "alpha": kind.alpha,
    }


def _point(look: str) -> dict[str, Any]:
    kind = LOOKS[look]
    color = ink(kind.color)
    return {
        "color": color,
        "marker": _MARKERS[kind.marker],
        "markersize": kind.size,
        "linestyle": "none",
        "alpha": kind.alpha,
        "markerfacecolor": "none" if kind.hollow else color,
        "markeredgecolor": ink(kind.edge) if kind.edge else color,
        "markeredgewidth": 0.7 if kind.edge else 1.2,
    }


def _patch(fill: int) -> dict[str, Any]:
    color, hatch = FILLS[fill if fill in FILLS else fill % 4]
    if fill == PALE:
        return {"facecolor": color, "alpha": 0.25, "linewidth": 0.0}
    if fill == HATCHED:
        return {
            "facecolor": "none",
            "edgecolor": color,
            "hatch": 4 * hatch,
            "linewidth": 0.6,
        }
    return {
        "facecolor": color,
        "edgecolor": "white",
        "hatch": 4 * hatch,
        "linewidth": 0.0,
    }


def legend_of(
    figure: Rows | Curves | Cells | Parallel, means: Any = None
) -> Iterator[tuple[Artist, str]]:
    """Yield the marks of a figure that mean something, in the order of its legend."""
    if isinstance(figure, Rows):
        there = {bar.kind for bar in figure.bars}
        yield from (
            (Patch(**_patch(fill)), text)
            for fill, text in figure.fills.items()
            if fill in there
        )
    for key, text in (figure.means if means is None else means).items():
        mark = _mark(figure, key)
        if mark is not None:
            yield mark, text


def _mark(figure: Any, key: str) -> Artist | None:
    if key == "band":
        return Patch(facecolor=BLUE, alpha=0.22, linewidth=0.0)
    if key == "rug" and not len(getattr(figure, "rug", ())):
        return None
    if key == "beyond" and getattr(figure, "has_beyond", False):
        return Line2D([], [], **_point(key))
    if key == "dimmed":
        there = getattr(figure, "dimmed", None)
        return (
            Patch(**_DIMMED) if there is not None and np.any(there) else None
        )
    if key == "marked":
        if not getattr(figure, "marked", ()):
            return None
        return Line2D([], [], **_MARKED)
    if key == "rug":
        return Line2D(
            [], [], linestyle="none", **_TICK, markersize=7.0, color=ink()
        )
    lines = {
        line.look for line in getattr(figure, "lines", ()) if not line.bare
    }
    marked = {line.look for line in getattr(figure, "lines", ()) if line.marks}
    for held in ("levels", "guides"):
        found = getattr(figure, held, ())
        lines |= {entry[1] for entry in found if isinstance(entry, tuple)}
    lines |= {note.look for note in getattr(figure, "notes", ())}
    lines |= {"thin"} if getattr(figure, "thin", None) is not None else set()
    lines |= {"guide"} if getattr(figure, "guide", None) is not None else set()
    points = {dots.look for dots in figure.dots} | marked
    if key not in lines | points:
        return None
    look = _point(key) if key in points else {}
    if key in lines:
        look |= _stroke(key)
    return Line2D([], [], **({**look, "alpha": max(LOOKS[key].alpha, 0.6)}))


# ---------------------------------------------------------------------- rows


def _percent(share: float, _: int) -> str:
    return f"{100.0 * share:.4g}%"


def draw_rows(ax: Axes, rows: Rows, points: float) -> Shape:
    """Draw rows on axes of so many points."""
    labels = row_labels(rows.labels, characters(0.36 * points))
    _draw_bars(ax, rows)
    for i, level in enumerate(rows.levels):
        ax.plot(
            [level, level], [i, i + 1], color=GREY, linewidth=1.0, zorder=1.5
        )
    if rows.zero:
        ax.axvline(0.0, color=ink(), linewidth=0.8, zorder=1.5)
    for at, look in rows.guides:
        ax.axvline(at, zorder=1.6, **_stroke(look))
    for dots in rows.dots:
        _draw_dots(ax, dots, dots.x, np.asarray(dots.y, dtype=float), True)
    names_down(ax, labels)
    for tick in (
        ax.get_yticklabels()[len(labels) - rows.quiet :] if rows.quiet else ()
    ):
        tick.set_color(GREY)
    ax.set_xlim(rows.limits())
    if rows.percent:
        ax.xaxis.set_major_formatter(FuncFormatter(_percent))
    _bins(ax, 0.64 * points, shares=rows.percent)
    ax.spines[["top", "left", "right"]].set_visible(False)
    lines = max((label.count("\n") for label in labels), default=0)
    row = max(_BARS[min(rows.places, 3) - 1], _BARS[0] + 10.5 * lines)
    height = max(len(labels), 1) * row
    scale = None
    if rows.scale:
        low, high, label = rows.scale
        colors = ScalarMappable(Normalize(0.0, 1.0), cmap="cividis")
        scale = _draw_scale(ax, colors, label, height, ticks=(low, high))
    return Shape(height, rows.label, "", scale)


def _draw_bars(ax: Axes, rows: Rows) -> None:
    """Draw all bars of a kind, and all whiskers, at once: one by one they take thrice the time."""
    thickness = 0.78 / rows.places

    def heights(bars: Sequence[Bar]) -> Array:
        middle = (rows.places - 1) / 2
        return np.array(
            [bar.row + (bar.place - middle) * thickness for bar in bars]
        )

    in_order = sorted(
        rows.bars, key=lambda bar: (bar.place, bar.kind != PALE, bar.kind)
    )
    for (_, kind), group in groupby(
        in_order, key=lambda bar: (bar.place, bar.kind)
    ):
        bars = list(group)
        ax.barh(
            heights(bars),
            [bar.end - bar.begin for bar in bars],
            left=[bar.begin for bar in bars],
            height=(0.3 if kind == PALE else 0.9) * thickness,
            zorder=2,
            **_patch(kind),
        )
    for bar, y in zip(in_order, heights(in_order), strict=True):
        if bar.model > 0.0:
            ax.plot(
                (bar.end - bar.model, bar.end + bar.model),
                [y, y],
                color=GREY,
                alpha=0.45,
                linewidth=4.0,
                solid_capstyle="butt",
                zorder=2.5,
            )
    uncertain = [bar for bar in in_order if not bar.bare]
    line = 0.8 if rows.places > 1 else 1.0
    if uncertain:
        ax.errorbar(
            [bar.end for bar in uncertain],
            heights(uncertain),
            xerr=np.transpose([bar.reach for bar in uncertain]),
            fmt="none",
            ecolor=ink(),
            capsize=2.0,
            elinewidth=line,
            capthick=line,
            zorder=3,
        )


# ---------------------------------------------------------------------- curves


def draw_curves(ax: Axes, figure: Curves, points: float) -> Shape:
    """Draw curves and points, as `draw_rows` does rows."""
    lying = figure.lying
    low, high = figure.limits()
    for k, axis in enumerate(
        (figure.y, figure.x) if lying else (figure.x, figure.y)
    ):
        _scale(ax, k, axis, points)
    if figure.thin is not None:
        ax.plot(*_turned(*figure.thin, lying), zorder=1.0, **_stroke("thin"))
    for line in figure.lines:
        _draw_line(ax, line, lying)
    for dots in figure.dots:
        for some, end in figure.placed(dots):
            x, y = _turned(some.x, some.y, lying)
            _draw_dots(ax, some, x, y, lying, marker=pointing(end, lying))
    for ends in figure.dimmed:
        ax.axvspan(*ends, zorder=2.2, **_DIMMED)
    along = ax.get_xaxis_transform()
    for ends in figure.marked:
        ax.plot(
            ends,
            [0.0, 0.0],
            transform=along,
            clip_on=False,
            zorder=2.8,
            **_MARKED,
        )
    across, upright = (
        (ax.axvline, ax.axhline) if lying else (ax.axhline, ax.axvline)
    )
    for level, look in figure.levels:
        across(level, zorder=1.2, **_stroke(look))
    if figure.guide is not None:
        upright(
            figure.guide,
            zorder=0.5 if figure.dots else 2.5,
            **_stroke("guide"),
        )
    for note in figure.notes:
        ax.axvline(note.x, zorder=2.5, **_stroke(note.look))
        text = ax.annotate(
            note.text,
            (note.x, 1.0),
            (3.0, -1.0),
            textcoords="offset points",
            xycoords=along,
            va="top",
            fontsize=SMALL,
            color=ink(LOOKS[note.look].color),
        )
        literal([text])
    if len(figure.rug):
        x = np.array([0.0, 0.0, np.nan]) + figure.rug[:, None]
        ax.plot(
            x.ravel(),
            np.tile([0.0, _RUG, np.nan], len(figure.rug)),
            transform=along,
            clip_on=False,
            zorder=3,
            color=ink(),
            linewidth=0.9,
            alpha=0.55,
            rasterized=len(figure.rug) > _MOST_VECTORS,
        )
    ax.spines[["top", "right", *(["left"] if lying else [])]].set_visible(
        False
    )
    (ax.set_xlim if lying else ax.set_ylim)(low, high)
    height = HEIGHT
    if lying:
        labels = whole_names(figure.x.names, characters(0.4 * points))
        names_down(ax, labels)
        heights = [LINE * TEXT * (label.count("\n") + 1) for label in labels]
        # neighbours share the room between them
        pairs = [(one + other) / 2.0 for one, other in pairwise(heights)]
        row = max([_ROW, *pairs])
        height = max(row * len(labels), 60.0)
    elif figure.x.names:
        names_across(ax, figure.x.names, 0.85 * points)
    if figure.empty:
        ax.text(
            0.5,
            0.5,
            figure.empty,
            transform=ax.transAxes,
            ha="center",
            color=GREY,
        )
        ax.set_yticks([])
    if lying:
        return Shape(height, figure.y.title, figure.x.title)
    return Shape(height, figure.x.title, figure.y.title)


def _draw_line(ax: Axes, line: Line, lying: bool) -> None:
    x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
    style = _stroke(line.look)
    if line.half is not None:
        down, up = reach(np.asarray(line.half, dtype=float))
        (ax.fill_betweenx if lying else ax.fill_between)(
            x,
            y - down,
            y + up,
            facecolor=style["color"],
            linewidth=0.0,
            zorder=1.2,
            alpha=0.22 if line.look in ("main", "total") else 0.15,
            step="post" if line.step else None,
        )
        at = line.alone & np.isfinite(y - down)
        if at.any() and not line.marks:
            half = np.array(
                [np.broadcast_to(v, y.shape)[at] for v in (down, up)]
            )
            bars: dict[str, Any] = {"xerr" if lying else "yerr": half}
            ax.errorbar(
                *_turned(x[at], y[at], lying),
                fmt="none",
                ecolor=style["color"],
                capsize=2.0,
                **bars,
            )
    if line.bare:
        return
    alone = np.flatnonzero(line.alone)
    if len(alone):
        mark = _point(line.look)
        style |= {key: mark[key] for key in mark if key.startswith("marker")}
        style |= {"markersize": 3.5, "markevery": alone.tolist()}
    ax.plot(
        *_turned(x, y, lying),
        drawstyle="steps-post" if line.step else "default",
        zorder=2.4,
        rasterized=len(x) > 10 * _MOST_VECTORS,
        **style,
    )


def _draw_dots(
    ax: Axes, dots: Dots, x: Any, y: Any, lying: bool, *, marker: str = ""
) -> None:
    many = len(x) > _MOST_VECTORS
    if dots.colors is not None:
        cross = LOOKS[dots.look].marker == "cross"
        # those of a color at once: an SVG says each color once
        order = np.argsort(dots.colors)
        ax.scatter(
            np.asarray(x)[order],
            np.asarray(y)[order],
            c=dots.colors[order],
            cmap=colormaps["cividis"].resampled(_COLORS),
            vmin=0.0,
            vmax=1.0,
            marker=_MARKERS[LOOKS[dots.look].marker],
            s=LOOKS["colored"].size ** 2,
            linewidths=1.2 if cross else 0.0,
            clip_on=False,
            zorder=3,
            rasterized=many,
        )
        return
    style = _point(dots.look)
    if marker:
        style["marker"] = _MARKERS[marker]
        style["markersize"] = LOOKS["beyond"].size
    if dots.half is not None:
        down, up = (
            np.broadcast_to(v, np.shape(dots.x))
            for v in reach(np.asarray(dots.half))
        )
        bars: dict[str, Any] = {
            "xerr" if lying else "yerr": np.nan_to_num([down, up])
        }
        ax.errorbar(
            x,
            y,
            fmt="none",
            ecolor=style["color"],
            elinewidth=1.4,
            capsize=2.5,
            zorder=3,
            **bars,
        )
        if LOOKS[dots.look].hollow:
            style["markerfacecolor"] = "white"
    ax.plot(x, y, clip_on=False, zorder=3.2, rasterized=many, **style)
    for at, up, text in zip(x, y, dots.labels, strict=False):
        note = ax.annotate(
            text,
            (at, up),
            (4.0, 4.0),
            textcoords="offset points",
            fontsize=SMALL,
        )
        literal([note])


def draw_parallel(ax: Axes, figure: Parallel, points: float) -> Shape:
    """Draw lines through axes, each of which is a row, as `draw_rows` does rows."""
    for line in figure.lines:
        _draw_line(ax, line, lying=True)
    for row, ticks in enumerate(figure.ticks):
        places = [tick.at for tick in ticks]
        ax.plot(places, np.full(len(places), row), color=GREY, **_ALONG)
    labels = row_labels(figure.labels, characters(0.36 * points))
    names_down(ax, labels, tinted=False)
    ax.set_xlim(figure.ASIDE - 0.03, 1.06)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
    lines = max(label.count("\n") for label in labels)
    return Shape(len(labels) * (_AXIS + 10.5 * lines), "", "")


def _turned(x: Any, y: Any, lying: bool) -> tuple[Any, Any]:
    return (y, x) if lying else (x, y)


def _scale(ax: Axes, k: int, axis: Axis, points: float) -> None:
    """Give an axis (0: x, 1: y) its scale, limits and ticks; names are written elsewhere."""
    if axis.log:
        values = axis.values or [end for end in axis.limits if end is not None]
        if values:
            make_log(ax, k, values, most=None if points > 250.0 else 4)
        else:
            (ax.set_xscale, ax.set_yscale)[k]("log")
    elif k == 0 and not axis.names:
        _bins(ax, 0.85 * points, whole=axis.integers, shares=axis.percent)
    if axis.percent:
        (ax.xaxis, ax.yaxis)[k].set_major_formatter(FuncFormatter(_percent))
    if axis.limits != (None, None):
        (ax.set_xlim, ax.set_ylim)[k](*axis.limits)


def _bins(
    ax: Axes, points: float, *, whole: bool = False, shares: bool = False
) -> None:
    bins = max(2, min(9, int(points / 48.0)))
    ax.xaxis.set_major_locator(
        MaxNLocator(
            nbins=bins,
            integer=whole,
            # of shares: the whole is a multiple of each
            steps=[1, 2, 2.5, 5, 10] if shares else None,
            min_n_ticks=1,
        )
    )


# ---------------------------------------------------------------------- cells


def draw_cells(
    ax: Axes, figure: Cells, points: float, *, scale: bool = True
) -> Shape:
    """Draw cells, as `draw_rows` does rows; with the scale of their colors beside them or not."""
    x, y = figure.x.edges(), figure.y.edges()
    low, high = figure.ends()
    shown = np.ma.masked_invalid(figure.values.T)
    mesh = ax.pcolormesh(
        x,
        y,
        shown,
        cmap="cividis",
        vmin=low,
        vmax=high,
        shading="flat",
        rasterized=shown.size > 500,
        snap=True,
    )
    if figure.dimmed is not None and figure.dimmed.any():
        ax.plot(*figure.strokes(), **_STROKES)
    height = HEIGHT
    for k, axis in enumerate((figure.x, figure.y)):
        _scale(ax, k, axis, points - SCALE * scale)
    for line in figure.lines:
        _draw_line(ax, line, lying=False)
    for dots in figure.dots:
        _draw_dots(ax, dots, np.asarray(dots.x), np.asarray(dots.y), False)
    if figure.y.names:
        labels = row_labels(
            [(name,) for name in figure.y.names], characters(0.3 * points)
        )
        names_down(ax, labels, tinted=False)
        height = max(3, len(labels)) * _CELL
    if figure.x.names:
        names_across(ax, figure.x.names, 0.65 * points - SCALE * scale)
    for i, column in enumerate(figure.texts):
        for j, text in enumerate(column):
            pale = (
                np.isfinite(figure.values[i, j])
                and figure.values[i, j] > (low + high) / 2
            )
            ax.text(
                i,
                j,
                text,
                ha="center",
                va="center",
                fontsize=SMALL,
                color="black" if pale else "white",
            )
    literal(ax.texts)
    if figure.x.names:
        ax.spines[:].set_visible(False)
    beside = None
    if scale:
        beside = _draw_scale(
            ax, mesh, figure.scale, height, percent=figure.percent
        )
    return Shape(height, figure.x.title, figure.y.title, beside)


def draw_one_scale(axes: list[Axes], figure: Cells) -> Axes:
    """Draw the scale of colors that cells of several panels share."""
    colors = ScalarMappable(Normalize(*figure.ends()), cmap="cividis")
    return _draw_scale(
        axes, colors, figure.scale, HEIGHT, percent=figure.percent
    )


def _draw_scale(
    axes: Any,
    colors: Any,
    label: str,
    height: float,
    *,
    ticks: tuple[str, ...] = (),
    percent: bool = False,
) -> Axes:
    first = axes[0] if isinstance(axes, list) else axes
    form = FuncFormatter(_percent) if percent else None
    scale = first.figure.colorbar(
        colors, ax=axes, pad=0.02, fraction=0.05, aspect=30, format=form
    )
    if ticks:
        scale.set_ticks([0.0, 1.0], labels=ticks)
    else:
        scale.ax.yaxis.set_major_locator(MaxNLocator(nbins=6))
    scale.ax.tick_params(labelsize=TEXT)
    scale.outline.set_visible(False)
    scale.set_label(shorten(plain(label), characters(height)), fontsize=TEXT)
    literal([scale.ax.yaxis.label])
    beside: Axes = scale.ax
    return beside
