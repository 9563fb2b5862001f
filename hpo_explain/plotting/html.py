"""Plots and results as HTML: inline SVG in which text stays text, and everything is escaped."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol
from xml.dom import minidom

import numpy as np
from markupsafe import escape

from hpo_explain.explanations.result import frame_html, printed_frame
from hpo_explain.plotting._canvas import svg_text
from hpo_explain.plotting._look import FONT, for_pages, is_of_page, settle

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_REFERENCE = re.compile(r"url\(#([^)]+)\)")


class Drawable(Protocol):
    """A result that has a plot and a table."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the result; return the axes."""
        ...

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table."""
        ...


def result_html(result: Drawable, *, text: str) -> str:
    """Return a result as a piece of HTML: a sentence, the plot, and the table.

    Parameters
    ----------
    result : Drawable
        The result, of which ``plot()`` and ``to_frame()`` are shown.
    text : str
        What the result says, in a sentence; also the plot's text alternative.

    Returns
    -------
    str
        HTML that needs no other file and no network.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> html = result_html(explanation, text=explanation.sentence)
    >>> "<svg" in html, "<table" in html
    (True, True)
    """
    return (
        f'<div style="max-width: 60em"><p style="overflow-wrap: anywhere">{escape(text)}</p>'
        f'<div style="overflow-x: auto">{plot_svg(result.plot, alt=text)}</div>'
        f"{frame_html(printed_frame(result))}</div>"
    )


def result_svg(result: Any, *, alt: str) -> str:
    """Return the plot of a result as inline SVG, as `plot_svg` draws it."""
    return plot_svg(result.plot, alt=alt)


def plot_svg(draw: Callable[[], Axes], *, alt: str) -> str:
    """Return a plot as inline SVG, drawn in matplotlib's default style whatever the user's is.

    Parameters
    ----------
    draw : callable
        Draws on a figure of its own; returns the axes.
    alt : str
        What the plot shows, for those who do not see it.

    Returns
    -------
    str
        As from :func:`figure_svg`.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> plot_svg(explanation.plot, alt="x speaks for it")[:4]
    '<svg'
    """
    with for_pages():
        return figure_svg(np.ravel(np.asarray(draw(), dtype=object))[0].figure.figure, alt=alt)


def figure_svg(fig: Figure, *, alt: str) -> str:
    """Return a figure as SVG that can stand in a page beside others.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The figure.
    alt : str
        What it shows, for those who do not see it.

    Returns
    -------
    str
        An ``<svg>`` element as wide as its place allows but no wider than the figure. The same
        figure gives the same text; the ids in it are those of no other figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> 'aria-label="nothing"' in figure_svg(Figure(), alt="nothing")
    True
    """
    if is_of_page(fig):
        settle(fig)
    text = svg_text(fig)
    if is_of_page(fig):  # browsers without the font take another
        text = text.replace(f"font-family: '{FONT}'", f"font-family: '{FONT}', sans-serif")
    elements = minidom.parseString(text).getElementsByTagName("*")
    svg = elements[0]
    _set_own_ids(elements, prefix=f"p{hashlib.sha256(text.encode()).hexdigest()[:10]}-")
    _remove_page_wide_style(svg)
    width = svg.getAttribute("width")
    for name in {"width", "height", "id"} & {*svg.attributes.keys()}:
        svg.removeAttribute(name)
    svg.setAttribute(
        "style",
        f"display: block; width: 100%; max-width: {width}; height: auto; "
        "stroke-linejoin: round; stroke-linecap: butt",
    )
    svg.setAttribute("role", "img")
    svg.setAttribute("aria-label", alt)
    return svg.toxml()


def _set_own_ids(elements: Iterable[minidom.Element], prefix: str) -> None:
    for element in elements:
        for name, value in list(element.attributes.items()):
            if name == "id":
                element.setAttribute(name, prefix + value)
            elif name == "xlink:href" and value.startswith("#"):
                element.setAttribute(name, f"#{prefix}{value[1:]}")
            elif "url(#" in value:
                element.setAttribute(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))


def _remove_page_wide_style(svg: minidom.Element) -> None:
    """Remove the style sheet: in a page it would hold for every element of the page."""
    for definitions in svg.getElementsByTagName("defs"):
        for sheet in definitions.getElementsByTagName("style"):
            definitions.removeChild(sheet)
