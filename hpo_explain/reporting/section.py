"""The parts of a report: each says what it found or why it does not apply; none harms others."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from markupsafe import Markup

from hpo_explain.run import Run

if TYPE_CHECKING:
    import pandas as pd

_logger = logging.getLogger(__name__)

SHOWN, NOT_APPLICABLE, FAILED = "shown", "not applicable", "failed"


class NotApplicable(Exception):  # noqa: N818 (it says why; nothing went wrong)
    """A section does not apply to a run; the text says why, to the reader of the report."""


@dataclass(frozen=True)
class Content:
    """What a section has to show.

    Attributes
    ----------
    finding : str
        The result in a sentence, for the table of contents.
    body : Markup
        HTML, escaped already.
    tables : mapping of str to pandas.DataFrame
        The numbers behind it by name, for the reader to take along.
    """

    finding: str
    body: Markup
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


class Section(Protocol):
    """One part of a report.

    Attributes
    ----------
    anchor : str
        Its place in the page's address, one word.
    title : str
        Its heading.
    how_to_read : str
        Two sentences for somebody who did not write the optimization.
    """

    @property
    def anchor(self) -> str: ...  # noqa: D102

    @property
    def title(self) -> str: ...  # noqa: D102

    @property
    def how_to_read(self) -> str: ...  # noqa: D102

    def content(self, run: Run) -> Content:
        """Return what the section shows about a run.

        Raises
        ------
        NotApplicable
            If there is nothing to show; the text says why.
        """
        ...


@dataclass(frozen=True)
class Card:
    """A section's place in a report: what it shows, why it does not apply, or how it failed.

    Attributes
    ----------
    anchor, title, how_to_read : str
        As of the section.
    status : {"shown", "not applicable", "failed"}
        Which of the three it is.
    finding : str
        The finding; else why there is none.
    body : Markup
        What it shows; empty unless the status is "shown".
    tables : mapping of str to pandas.DataFrame
        As of the content; empty unless the status is "shown".
    """

    anchor: str
    title: str
    how_to_read: str
    status: str
    finding: str
    body: Markup
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def _sentence(text: str, run: Run) -> str:
    """Return a text that starts as a sentence does; names are left as they are."""
    is_name = text.partition(" ")[0] in (run.objective_name, *run.space.names)
    return text if is_name else text[:1].upper() + text[1:]


def card_of(section: Section, run: Run, *, prefix: str = "") -> Card:
    """Return a section's card, whatever happens in it; failures are logged.

    `prefix` stands before its anchor, where a page shows several runs.
    """
    tables: Mapping[str, pd.DataFrame] = {}
    try:
        content = section.content(run)
        status, finding, body, tables = SHOWN, content.finding, content.body, content.tables
    except NotApplicable as reason:
        _logger.info("The report's section %r does not apply.", section.title, exc_info=reason)
        status, finding, body = NOT_APPLICABLE, _sentence(str(reason), run), Markup()
    except Exception as error:
        # The rest of the report is worth having without this part.
        _logger.exception("The report's section %r failed.", section.title)
        status, finding, body = FAILED, f"{type(error).__name__}: {error}", Markup()
    anchor = f"{prefix}{section.anchor}"
    return Card(anchor, section.title, section.how_to_read, status, finding, body, tables)
