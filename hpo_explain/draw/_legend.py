"""What looks and fills look like in matplotlib, and the legend that says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.markers import TICKUP
from matplotlib.patches import Patch
from matplotlib.transforms import Transform

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves
from hpo_explain.base.figures.marks import BLUE, GREEN, LOOKS, RULE
from hpo_explain.base.figures.panels import Panels
from hpo_explain.base.figures.rows import HATCHED, PALE, Rows, color_and_hatch
from hpo_explain.base.phrases import columns, shorten
from hpo_explain.draw._text import plain
from hpo_explain.draw._texts import CHARACTER, TEXT, ink, literal

DIMMED: dict[str, Any] = {
    "facecolor": (1.0, 1.0, 1.0, 0.6),
    "edgecolor": RULE,
    "hatch": "////",
    "linewidth": 0.0,
}
MARKED: dict[str, Any] = {"color": GREEN, "linewidth": 4.0, "solid_capstyle": "butt"}
MARKERS = {
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
_STYLE: dict[str, Any] = {
    "frameon": False,
    "fontsize": TEXT,
    "borderaxespad": 0.0,
    "borderpad": 0.1,
    "labelspacing": 0.2,
    "columnspacing": 1.5,
    "handlelength": 1.8,
    "handletextpad": 0.8,
}


def stroke(look: str) -> dict[str, Any]:
    """Return how a line with a look is drawn."""
    kind = LOOKS[look]
    return {
        "color": ink(kind.color),
        "linewidth": kind.width,
        "linestyle": _DASHES[kind.dash],
        "alpha": kind.alpha,
    }


def point(look: str) -> dict[str, Any]:
    """Return how points with a look are drawn."""
    kind = LOOKS[look]
    color = ink(kind.color)
    return {
        "color": color,
        "marker": MARKERS[kind.marker],
        "markersize": kind.size,
        "linestyle": "none",
        "alpha": kind.alpha,
        "markerfacecolor": "none" if kind.hollow else color,
        "markeredgecolor": ink(kind.edge) if kind.edge else color,
        "markeredgewidth": 0.7 if kind.edge else 1.2,
    }


def patch(fill: int) -> dict[str, Any]:
    """Return how bars of a fill are drawn."""
    color, hatch = color_and_hatch(fill)
    if fill == PALE:
        return {"facecolor": color, "alpha": 0.25, "linewidth": 0.0}
    if fill == HATCHED:
        style = {"facecolor": "none", "edgecolor": color, "linewidth": 0.6}
    else:
        style = {"facecolor": color, "edgecolor": "white", "linewidth": 0.0}
    return {**style, "hatch": 4 * hatch}


def _sign(sign: str) -> Artist:
    """Return the mark of what is neither a line nor points."""
    if sign == "band":
        return Patch(facecolor=BLUE, alpha=0.22, linewidth=0.0)
    if sign == "dimmed":
        return Patch(**DIMMED)
    if sign == "marked":
        return Line2D([], [], **MARKED)
    if sign == "beyond":
        return Line2D([], [], **point(sign))
    tick: Any = TICKUP
    return Line2D([], [], color=ink(), marker=tick, linestyle="none", markersize=7.0)


def legend_of(figure: Rows | Curves | Cells, means: Mapping[str, str]) -> dict[str, Artist]:
    """Return the marks of a figure by what they mean, in the order of its legend."""
    marks: dict[str, Artist] = {}
    if isinstance(figure, Rows):
        fills = {bar.kind for bar in figure.bars}
        for fill, text in figure.fills.items():
            if fill in fills:
                marks[text] = Patch(**patch(fill))
    strokes, points, signs = figure.shown
    for key, text in means.items():
        if key in signs:
            marks.setdefault(text, _sign(key))
        elif key in strokes | points:
            style = point(key) if key in points else {}
            style |= stroke(key) if key in strokes else {}
            style["alpha"] = max(LOOKS[key].alpha, 0.6)
            marks.setdefault(text, Line2D([], [], **style))
    return marks


def legend_of_panels(figure: Panels) -> dict[str, Artist]:
    """Return the marks of all panels by what they mean, in the order of their legend."""
    means = figure.legend()
    marks: dict[str, Artist] = {}
    for panel in figure.panels:
        for text, mark in legend_of(panel, means).items():
            marks.setdefault(text, mark)
    ordered = [text for text in means.values() if text in marks]
    return {text: marks[text] for text in [*ordered, *marks]}


def key_of(figure: Panels) -> list[tuple[str, Callable[[], Legend]]]:
    """Return the meanings of a legend, each with a function that draws its mark alone."""
    return [
        (plain(text), partial(_mark_alone, mark)) for text, mark in legend_of_panels(figure).items()
    ]


def _mark_alone(mark: Artist) -> Legend:
    new = Figure(figsize=(26.0 / 72.0, 12.0 / 72.0))
    new.set_layout_engine("none")
    # of the figure: axes would take most of the time
    legend = new.legend([mark], ["-"], loc="center", **_STYLE)
    legend.get_texts()[0].set_text("")
    return legend


def write_legend(
    owner: Any, marks: Mapping[str, Artist], points: float, corner: Transform, loc: str
) -> float:
    """Write a legend of axes or of a figure at its upper left corner; return how high it is."""
    texts = [shorten(plain(text), 60) for text in marks]
    beside = _columns(texts, points)
    # Texts are set afterwards: a legend leaves out labels that begin with an underscore.
    legend = owner.legend(
        [*marks.values()],
        ["-"] * len(marks),
        ncols=beside,
        loc=loc,
        bbox_to_anchor=(0.0, 1.0),
        bbox_transform=corner,
        **_STYLE,
    )
    for written, text in zip(legend.get_texts(), texts, strict=True):
        written.set_text(text)
    literal(*legend.get_texts())
    return ceil(len(texts) / beside) * TEXT * 1.45


def _columns(texts: Sequence[str], points: float) -> int:
    """Return how many entries of a legend stand beside each other."""
    # a mark with the room around it takes 34 points
    widths = [columns(text) * TEXT * CHARACTER + 34.0 for text in texts]
    if sum(widths) <= points:
        return len(texts)
    return max(1, int(points / max(widths)))
