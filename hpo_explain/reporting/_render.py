"""Templates and figures of the report."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.axes import Axes

from hpo_explain.plotting import plot_svg

_WIDE, _NARROW = 8.0, 3.9  # inches, for the screens of a computer and of a phone


class _Draw(Protocol):
    def __call__(self, *, width: float) -> Axes: ...


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("hpo_explain.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **values: Any) -> Markup:
    """Return a template filled with values; texts are escaped unless they are Markup."""
    return Markup(_environment().get_template(template).render(values))


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
