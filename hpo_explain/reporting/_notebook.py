"""Pages in notebooks: each in a frame of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from hpo_explain.base.phrases import printable
from hpo_explain.base.regular_files import text_of

_HEIGHT = 44  # rem of a notebook's output

if TYPE_CHECKING:
    _Path = Path
else:  # before Python 3.12 only the path of a system can be derived from
    _Path = type(Path())


def framed(html: str, title: str) -> str:
    """Return a page in a frame: neither its styles nor its script meet those of the notebook."""
    return Markup(
        '<iframe srcdoc="{}" title="{}" sandbox="allow-scripts allow-downloads" '
        'allow="clipboard-write" style="border:0;height:{}rem;width:100%"></iframe>'
    ).format(escape(html), title, _HEIGHT)


class ReportPath(_Path):
    """The path of a report, which notebooks show as the page itself.

    Examples
    --------
    >>> ReportPath("report.html").name
    'report.html'
    """

    def _repr_html_(self) -> str | None:
        try:
            html = text_of(self)
        except (OSError, ValueError):
            return None  # its name is shown
        return Markup("<p><code>{}</code></p>{}").format(
            printable(str(self)), Markup(framed(html, "Report"))
        )
