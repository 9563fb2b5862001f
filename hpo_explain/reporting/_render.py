"""Templates and figures of the report."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from hpo_explain.base.figures import Panels, marks
from hpo_explain.base.loaders import plotly, renderer
from hpo_explain.base.phrases import Place, Wording, printable, printable_lines
from hpo_explain.base.regular_files import text_of
from hpo_explain.base.result import Result
from hpo_explain.draw.pages import plot_svg, style_of_pages

# inches: half of a computer's screen, and not much more than a phone's; of a panel less than that
_WIDTH, _PANEL = (5.2, 3.3)
_PALETTE = {
    name.lower(): getattr(marks, name)
    for name in ["INK", "PAPER", "GREY", "RULE", "TINT", "BLUE", "ORANGE", "GREEN", "PURPLE", "RED"]
}
"""The page's variables of colors, and what they are in plots."""
_INKS = {color.lower(): f"var(--{name})" for name, color in _PALETTE.items()}
_OF_TAB = "@"  # before an anchor: its tab is not known where the section is made
_interactive: ContextVar[bool] = ContextVar("interactive", default=False)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hpo_explain.reporting"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["with_links"] = with_links
    environment.globals["palette"] = _PALETTE
    environment.globals["on_dark"] = marks.ON_DARK
    return environment


def _shown(value: object) -> Markup:
    """Return a text as HTML in which controls and marks of direction are shown, not obeyed.

    Numbers of trials in it are links, and what else is known of a place is its hint.
    """
    if isinstance(value, Markup):
        return value
    if isinstance(value, Wording):
        return _with_places(value)
    return escape(printable_lines(str(value)))


def _with_places(text: Wording) -> Markup:
    pieces: list[Markup] = []
    done = 0
    for place in text.places:
        pieces.append(escape(printable_lines(text[done : place.start])))
        pieces.append(_placed(text[place.start : place.end], place))
        done = place.end
    pieces.append(escape(printable_lines(text[done:])))
    return Markup().join(pieces)


def _placed(text: str, place: Place) -> Markup:
    shown = printable_lines(text)
    if place.trial is not None:
        template = Markup('<a href="#{}history" data-trial="{}">{}</a>')
        return template.format(_OF_TAB, place.trial, shown)
    template = Markup('<span class="measured" title="{}">{}</span>')
    return template.format(printable(place.hint), shown)


def with_links(body: str, anchors: Container[str], prefix: str) -> Markup:
    """Return a tab whose links lead to sections that are in it; others are texts."""

    def link(anchor: str) -> str:
        return f' href="#{prefix}{anchor}"' if f"{prefix}{anchor}" in anchors else ""

    return filled(body, f' href="#{_OF_TAB}', '"', link)


def filled(body: str, start: str, end: str, made: Callable[[str], str]) -> Markup:
    """Return a part of the page in which something is made of what stands between two marks.

    They hold a character that is escaped in every text: none of a name is taken for them.
    """
    first, *others = str(body).split(start)
    pieces = [first]
    for piece in others:
        inside, _, rest = piece.partition(end)
        pieces += [made(inside), rest]
    return Markup("".join(pieces))


def render(template: str, **values: Any) -> Markup:
    """Return a template filled with values; texts are escaped unless they are Markup."""
    return Markup(_environment().get_template(template).render(values))


def packed(data: bytes) -> str:
    """Return data compressed, as letters that a page can hold; its script unpacks them."""
    # most are digits of draws: the default, 9, takes five times as long for 0.3 % less
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


@contextmanager
def figures_that_answer(wanted: bool) -> Iterator[None]:
    """Have figures carry what plotly draws in their place."""
    if wanted and find_spec("plotly") is None:
        raise ImportError("An interactive report needs plotly: pip install plotly")
    with _being(_interactive, wanted):
        yield


def page(
    *, scripts: Sequence[str], interactive: bool = False, version: str = "", **values: Any
) -> Markup:
    """Return the whole page, its scripts named by their hashes: no other one runs in it.

    It has the `scripts` and styles of its sections, too. Where it is `interactive`, plotly's own is
    unpacked from it and runs. With a `version` it is read again when its file has another one.
    """
    follow = ["follow"] if version else []
    script = "".join(map(_script, ("report", *scripts, *follow)))
    early = _script("version") if version else ""
    plotly_script = ""
    if interactive:
        from hpo_explain.draw.on_plotly import script_of_pages

        plotly_script = packed(script_of_pages())
    return render(
        "page.html.j2",
        script=Markup(script),
        styles=[f"{name}.css" for name in scripts],
        early=Markup(early),
        version=version,
        hashes=[_hash(text) for text in (script, early) if text],
        plotly=plotly_script,
        **values,
    )


def _script(name: str) -> str:
    templates = Path(__file__).with_name("templates")
    return text_of(templates / f"{name}.js")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return base64.b64encode(digest).decode("ascii")


def figure(result: Result, *, view: str = "", alt: str) -> Markup:
    """Return a plot in the page's colors.

    Parameters
    ----------
    result : Result
        What is drawn.
    view : str, default ""
        Which view of it.
    alt : str
        The finding, for those who do not see it.
    """
    described = result.described(view)
    if not isinstance(described, Panels):  # the line that it stands under is its title
        described = replace(described, heading="", subtitle="")
    return _draws.get()(described, printable_lines(alt), f"{view} {alt}", _interactive.get())


def drawn(description: Any, alt: str, own: str, interactive: bool) -> Markup:
    """Return a described figure in the page's colors.

    Panels stand beside each other as the screen has room, with one legend.
    """
    if isinstance(description, Panels):
        with style_of_pages():
            return _panels(description, alt, own, interactive)
    return render(
        "figure.html.j2",
        plot=_svg(description, alt, own, width=_WIDTH),
        data=_answering(description) if interactive else "",
    )


def _panels(figure: Panels, alt: str, own: str, interactive: bool) -> Markup:
    key = [
        (text, Markup(plot_svg(draw, alt=text, inks=_INKS)))
        for text, draw in renderer().key_of(figure)
    ]
    plots = [
        (
            _svg(panel, panel.heading, f"{own} {k}", width=_PANEL),
            _answering(panel) if interactive else "",
            panel.emphasis,
        )
        for k, panel in enumerate(figure.apart())
    ]
    return render("panels.html.j2", figure=figure, key=key, plots=plots, alt=alt)


def _svg(description: Any, alt: str, own: str, *, width: float) -> Markup:
    """Return a drawing, whose ids are those of no other one with another `own`."""
    draw = partial(renderer().drawn, description, ax=None, width=width)
    return Markup(plot_svg(draw, alt=alt, own=own, inks=_INKS))


def _answering(description: Any) -> str:
    """Return what plotly draws in place of a drawing."""
    made = plotly().drawn(description, dark=False)
    return packed(made.to_json().encode())


_draws: ContextVar[Callable[..., Markup]] = ContextVar("draws", default=drawn)


@contextmanager
def figures_drawn_by(draws: Callable[..., Markup]) -> Iterator[None]:
    """Have figures be what something makes of what :func:`drawn` is given."""
    with _being(_draws, draws):
        yield


@contextmanager
def _being(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)
