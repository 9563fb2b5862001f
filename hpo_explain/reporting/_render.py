"""Templates and figures of the report."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.axes import Axes

from hpo_explain.plotting import plot_svg

if TYPE_CHECKING:
    import pandas as pd

_WIDE, _NARROW = 8.0, 3.9  # inches, for the screens of a computer and of a phone


class _Draw(Protocol):
    def __call__(self, *, width: float) -> Axes: ...


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hpo_explain.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["download"] = download
    return environment


def render(template: str, **values: Any) -> Markup:
    """Return a template filled with values; texts are escaped unless they are Markup."""
    return Markup(_environment().get_template(template).render(values))


def download(name: str, frame: pd.DataFrame) -> Markup:
    """Return a link that hands a table over as a CSV file, which is part of the page."""
    text = frame.to_csv(index=frame.index.name is not None)
    # a byte-order mark tells spreadsheets that it is UTF-8
    data = base64.b64encode(text.encode("utf-8-sig")).decode("ascii")
    link = '<a download="{0}.csv" href="data:text/csv;charset=utf-8;base64,{1}">{0}.csv</a>'
    return Markup(link).format(name, data)


def figure(draw: _Draw, *, alt: str, caption: str) -> Markup:
    """Return a plot in two widths, of which the page's style shows the one that fits.

    Parameters
    ----------
    draw : callable
        Draws a figure of the ``width`` (in inches) it is given.
    alt : str
        The finding, for those who do not see it.
    caption : str
        What is drawn, for those who do.
    """

    def at(width: float) -> Callable[[], Axes]:
        return lambda: draw(width=width)

    wide, narrow = (Markup(plot_svg(at(width), alt=alt)) for width in (_WIDE, _NARROW))
    return render("figure.html.j2", wide=wide, narrow=narrow, caption=caption)
