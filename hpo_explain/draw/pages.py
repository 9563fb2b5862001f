"""Plots as SVG in pages, in which text stays text: in matplotlib's default style."""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from hpo_explain.base.result import Result
from hpo_explain.draw._svg import figure_svg

_STYLE: dict[str, Any] = {"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}
_LOCK = threading.RLock()  # the style is the same for all threads
_for_pages: ContextVar[bool] = ContextVar("for_pages", default=False)


def is_for_pages() -> bool:
    """Whether new figures of this thread are figures of pages."""
    return _for_pages.get()


@contextlib.contextmanager
def style_of_pages() -> Iterator[None]:
    """Return a context in which plots are drawn for pages; several in one take less time."""
    if is_for_pages():
        yield
        return
    before = _for_pages.set(True)
    try:
        with _LOCK, style.context(["default", _STYLE]):
            yield
    finally:
        _for_pages.reset(before)


def plot_svg(
    draw: Callable[[], Any], *, alt: str, own: str = "", inks: Mapping[str, str] | None = None
) -> str:
    """Return a plot as inline SVG, whatever the user's style is.

    Parameters
    ----------
    draw : callable
        Draws on a figure of its own; returns the axes, or an array of them.
    alt : str
        What the plot shows, for those who do not see it.
    own : str, default ""
        What tells it from others with the same `alt`.
    inks : mapping of str to str, optional
        What a page writes for colors; its fonts are used, too.

    Returns
    -------
    str
        An ``<svg>`` element as wide as its place allows but no wider than the figure. The same
        plot gives the same text; the ids in it are those of no other plot.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_svg(hx.history(table, objective="loss").plot, alt="the history")[:4]
    '<svg'
    """
    salt = hashlib.sha256(f"{alt}{own}".encode(errors="replace")).hexdigest()
    with style_of_pages(), style.context({"svg.hashsalt": salt}):
        return figure_svg(_figure_of(draw()), alt=alt, inks=inks or {})


def image_of(result: Result, form: str, view: str = "") -> bytes:
    """Return a view of a result as an image of a format, such as "png"; pyplot keeps no figure."""
    image = io.BytesIO()
    with style_of_pages():
        figure = _figure_of(result.plot(view=view))
        figure.savefig(image, bbox_inches="tight", format=form)
    return image.getvalue()


def _figure_of(axes: Any) -> Figure:
    """Return the figure of axes, or of the first of several."""
    figure: Figure = np.ravel(np.asarray(axes, dtype=object))[0].figure.figure
    return figure
