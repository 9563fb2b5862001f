"""The layout of new figures: room for the texts of every axes, measured once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox

from hpo_explain.space import Array

_ATTEMPTS = 2  # axes of another size may have other ticks


class GridLayout(ConstrainedLayoutEngine):
    """Lays out axes of one grid, as the constrained layout does, in a third of its time.

    What is drawn within axes is not measured. Figures with other axes, such as a scale of colors,
    have the constrained layout.
    """

    def execute(self, fig: Figure) -> None:
        """Move the axes of a figure, and what stands around a grid of them, to their places."""
        part: Any = fig.subfigs[0] if len(fig.subfigs) == 1 else fig
        if not _is_one_grid(part, fig.axes):
            super().execute(fig)
            return
        renderer = fig._get_renderer()  # type: ignore[attr-defined]
        for _ in range(_ATTEMPTS):
            ticks = _ticks(fig)
            self._place(part, fig.axes, renderer)
            if _ticks(fig) == ticks:
                return

    def _place(self, part: Any, axes: list[Axes], renderer: RendererBase) -> None:
        """Give each axes the same size, as large as the texts around all of them leave."""
        place: Any = axes[0].get_subplotspec()
        grid = place.get_gridspec()
        pads = np.array([self.get()["w_pad"], self.get()["h_pad"]]) * part.figure.dpi
        sides = {(*p.rowspan, *p.colspan): _around(ax, renderer) for ax, p in _placed(axes)}
        left, right = (
            np.array([_most(sides, 1, j, k) for j in range(grid.ncols)]) + pads[0] for k in (0, 1)
        )
        top, bottom = (
            np.array([_most(sides, 0, i, k) for i in range(grid.nrows)]) + pads[1] for k in (2, 3)
        )
        above, below, beside = _write_around(part, pads, renderer)
        across = (part.bbox.width - beside - sum(left + right)) / grid.ncols
        high = (part.bbox.height - above - below - sum(top + bottom)) / grid.nrows
        if min(across, high) <= 0.0:
            return  # no room is left: the texts may overlap
        shares = Affine2D().scale(1.0 / part.bbox.width, 1.0 / part.bbox.height)
        for ax, p in _placed(axes):
            (i,), (j,) = p.rowspan, p.colspan
            x = beside + sum(left[: j + 1]) + sum(right[:j]) + j * across
            y = part.bbox.height - above - sum(top[: i + 1]) - sum(bottom[:i]) - (i + 1) * high
            box = Bbox.from_bounds(x, y, across, high)
            ax.set_position(box.transformed(shares))
            ax.set_in_layout(True)  # which set_position has taken back


def _write_around(part: Any, pads: Array, renderer: RendererBase) -> list[float]:
    """Move the texts around all axes; return how many pixels each takes of its side."""
    high, across = part.bbox.height, part.bbox.width
    taken = []
    for k, text in enumerate((part._suptitle, part._supxlabel, part._supylabel)):
        if text is None or not text.get_text():
            taken.append(0.0)
            continue
        x, y = text.get_position()
        box = text.get_window_extent(renderer)
        text.set_position(
            ((x, 1.0 - pads[1] / high), (x, pads[1] / high), (pads[0] / across, y))[k]
        )
        taken.append((box.width if k == 2 else box.height) + 2.0 * pads[0 if k == 2 else 1])
    return taken


def _is_one_grid(part: Any, axes: list[Axes]) -> bool:
    """Return whether axes each have a cell of the same grid to themselves, and nothing inside."""
    places = [ax.get_subplotspec() for ax in axes if ax.figure is part and not ax.child_axes]
    cells = {
        (place.get_gridspec(), *place.rowspan, *place.colspan)
        for place in places
        if place is not None
    }
    return (
        len(cells) == len(axes)
        and len({grid for grid, *_ in cells}) == 1
        and all(len(cell) == 3 for cell in cells)
    )


def _placed(axes: list[Axes]) -> Iterator[tuple[Axes, Any]]:
    return ((ax, ax.get_subplotspec()) for ax in axes)


def _ticks(figure: Figure) -> list[list[float]]:
    return [[*axis.get_majorticklocs()] for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]


def _most(sides: dict[tuple[int, ...], Array], axis: int, place: int, side: int) -> float:
    """Return the most pixels that texts need on a side of the axes of a row (0) or column (1)."""
    return max((float(s[side]) for cell, s in sides.items() if cell[axis] == place), default=0.0)


def _around(ax: Axes, renderer: RendererBase) -> Array:
    """Return how many pixels texts need left and right of axes, above and below.

    Those over and under the axes are as wide as they may be, and begin on the left.
    """
    own = ax.get_window_extent()
    along = [axis.get_tightbbox(renderer, for_layout_only=True) for axis in (ax.xaxis, ax.yaxis)]
    boxes = [own, *(box for box in along if box is not None)]
    legend = ax.get_legend()
    texts = [child for child in ax.get_children() if isinstance(child, Text)]
    shown = [text for text in texts if text.get_in_layout() and text.get_text()]
    long = [text.get_window_extent(renderer) for text in shown]
    long += [] if legend is None else [legend.get_window_extent(renderer)]
    return np.array(
        [
            own.x0 - min(box.x0 for box in boxes + long),
            max(box.x1 for box in boxes) - own.x1,
            max(box.y1 for box in boxes + long) - own.y1,
            own.y0 - min(box.y0 for box in boxes + long),
        ]
    )
