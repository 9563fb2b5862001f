"""What figures are measured and written with: the extent of a text is computed once, for all."""

from __future__ import annotations

import functools
import io
from typing import Any, TypeAlias

from matplotlib import rcParams
from matplotlib.backend_bases import FigureCanvasBase, RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

_FAMILIES: tuple[Any, ...] = ("font.family", "font.sans-serif", "font.serif", "font.monospace")
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_IMAGES = 150.0  # dots per inch of what is drawn as pixels
_POINTS = 72.0  # units of an SVG per inch

_Extent: TypeAlias = tuple[float, float, float]


class MeasuringCanvas(FigureCanvasBase):
    """The canvas of a new figure, on which nothing is drawn: saving takes one that suits."""

    def get_renderer(self) -> RendererBase:
        """Return what matplotlib measures texts with before a figure is drawn."""
        return _measuring(self.figure.dpi)


def svg_text(figure: Figure) -> str:
    """Return a figure as an SVG file, drawn once.

    ``savefig`` would draw it twice: once for a layout, which the drawing does by itself.
    """
    file = io.StringIO()
    writing: Any = _Writing
    mixed: Any = MixedModeRenderer
    dpi = figure.dpi
    width, height = figure.get_size_inches()
    vectors = writing(
        _POINTS * width, _POINTS * height, file, image_dpi=_IMAGES, metadata=_NO_METADATA
    )
    vectors.measured_at = dpi
    figure.dpi = _POINTS
    try:
        renderer = mixed(figure, width, height, _IMAGES, vectors)
        figure.draw(renderer)
        renderer.finalize()
    finally:
        figure.dpi = dpi
    return file.getvalue()


class _Measuring(RendererAgg):
    """Measures texts, whose extents matplotlib keeps for one figure only."""

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> _Extent:
        return _extent(s, prop, ismath, self.dpi, _families())


class _Writing(RendererSVG):
    """Writes SVG; texts are as large as when the figure was made."""

    measured_at = _POINTS

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> _Extent:
        width, height, descent = _extent(s, prop, ismath, self.measured_at, _families())
        scale = _POINTS / self.measured_at
        return scale * width, scale * height, scale * descent


@functools.lru_cache(maxsize=8)
def _measuring(dpi: float) -> RendererBase:
    renderer: Any = _Measuring
    measuring: RendererBase = renderer(1, 1, dpi)
    return measuring


@functools.lru_cache(maxsize=4096)
def _extent(
    text: str, font: FontProperties, ismath: Any, dpi: float, families: tuple[str, ...]
) -> _Extent:
    measure: Any = RendererAgg.get_text_width_height_descent
    extent: _Extent = measure(_measuring(dpi), text, font, ismath)
    return extent


def _families() -> tuple[str, ...]:
    """Return what "sans-serif" and the like stand for, which is not a part of a font's name."""
    return tuple(name for key in _FAMILIES for name in ("/", *rcParams[key]))
