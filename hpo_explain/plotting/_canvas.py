"""What figures are measured and written with: the extent of a text is computed once, for all."""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import io
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from matplotlib import rcParams
from matplotlib.backend_bases import FigureCanvasBase, RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.image import imsave
from matplotlib.path import Path

_FAMILIES: tuple[Any, ...] = ("font.family", "font.sans-serif", "font.serif", "font.monospace")
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_NO_SOFTWARE: dict[str, Any] = {"Software": None}
_IMAGES = 150.0  # dots per inch of what is drawn as pixels
_LONG = 128  # points of a line, as in matplotlib
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

    # The base class reads the following from matplotlib's style, which is the user's and differs.

    def draw_text(self, gc: Any, x: float, y: float, s: str, *rest: Any, **options: Any) -> None:
        """Write a text as text: the browser's fonts serve scripts that matplotlib's lack."""
        with self._within(gc):
            _any(self)._draw_text_as_text(gc, x, y, s, *rest, **{"ismath": False, **options})

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        """Write an image into the file, not beside it."""
        height, width = im.shape[:2]
        if not height or not width:
            return
        file = io.BytesIO()
        imsave(file, im, format="png", origin="upper", metadata=_NO_SOFTWARE)
        high, wide = (_POINTS * pixels / self.image_dpi for pixels in (height, width))
        with self._within(gc):
            _any(self.writer).element(
                "image",
                transform=f"scale(1 -1) translate(0 {-high:.6f})",
                x=f"{x:.6f}",
                y=f"{high + y - self.height:.6f}",
                width=f"{wide:.6f}",
                height=f"{high:.6f}",
                attrib={
                    "id": self._make_id("image", file.getvalue()),
                    "xlink:href": f"data:image/png;base64,{b64encode(file.getvalue()).decode()}",
                },
            )

    @contextlib.contextmanager
    def _within(self, gc: Any) -> Iterator[None]:
        """Write within the clip and the link of what is drawn."""
        tags = [("g", _any(self)._get_clip_attrs(gc)), ("a", {"xlink:href": gc.get_url()})]
        tags = [(tag, attributes) for tag, attributes in tags if any(attributes.values())]
        for tag, attributes in tags:
            _any(self.writer).start(tag, **attributes)
        yield
        for tag, _ in reversed(tags):
            _any(self.writer).end(tag)

    def draw_path(self, gc: Any, path: Path, transform: Any, rgbFace: Any = None) -> None:
        """Write a path, a long line without what nobody would see."""
        path = copy.copy(path)
        path.should_simplify = len(np.asarray(path.vertices)) >= _LONG and (
            path.codes is None or bool(np.all(np.asarray(path.codes) <= int(Path.LINETO)))
        )
        path.simplify_threshold = 1.0 / 9.0
        _any(super()).draw_path(gc, path, transform, rgbFace)

    def _make_id(self, type: str, content: object) -> str:  # noqa: A002  # its name there
        """Return an id that is the same for the same content."""
        digest = hashlib.sha256(f"hpo_explain{content}".encode()).hexdigest()
        return f"{type}{digest[:10]}"

    def option_scale_image(self) -> bool:
        """Have images come in the pixels that they will have."""
        return False

    def option_image_nocomposite(self) -> bool:
        """Have images of one axes become one."""
        return False

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> _Extent:
        width, height, descent = _extent(s, prop, ismath, self.measured_at, _families())
        scale = _POINTS / self.measured_at
        return scale * width, scale * height, scale * descent


def _any(value: Any) -> Any:
    """Return a value whose methods matplotlib gives no types."""
    return value


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
