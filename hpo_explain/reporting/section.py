"""The parts of a report: each says what it found or why it does not apply; none harms others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.reporting.context import Context
from hpo_explain.run import Run

if TYPE_CHECKING:
    import pandas as pd

_logger = logging.getLogger("hpo_explain")
MOST = 100  # characters of a line
_NAME = 24  # characters of a word that is not cut


class Status(Enum):
    """What became of a section."""

    SHOWN = "shown"
    NOT_APPLICABLE = "not applicable"
    FAILED = "failed"


@dataclass(frozen=True)
class Content:
    """What a section has to show.

    Attributes
    ----------
    finding : str
        The result in a sentence.
    body : Markup
        HTML, escaped already.
    tables : mapping of str to pandas.DataFrame
        The numbers behind it by name, for the reader to take along.
    brief : str, default ""
        The finding in at most 100 characters, for the contents; longer ones are cut. By default
        the finding itself.
    title, how_to_read : str, default ""
        In place of the section's, where they do not fit the run.
    folded : bool, default False
        Whether it says so little that it stands among the details, wherever the section stands.
    """

    finding: str
    body: Markup
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    brief: str = ""
    title: str = ""
    how_to_read: str = ""
    folded: bool = False


def _always(_: Run) -> bool:
    return True


@dataclass(frozen=True)
class Section:
    """One part of a report.

    Attributes
    ----------
    name : str
        Its name, and its place in the page's address; one word.
    title : str
        Its heading.
    how_to_read : str
        Two sentences for somebody who did not write the optimization.
    content : callable
        Returns what the section shows, from the analyses of a run. It raises `NothingToExplain`
        where there is nothing to show.
    folded : bool, default False
        Whether it stands among the details, opened by who wants it.
    concerns : callable
        Says whether a run has what the section is about; by default every run has. Where it has
        not, the section is not part of the page, unless it is asked for.
    """

    name: str
    title: str
    how_to_read: str
    content: Callable[[Context], Content]
    folded: bool = False
    concerns: Callable[[Run], bool] = _always


@dataclass(frozen=True)
class Card:
    """A section's place in a report: what it shows, why it does not apply, or how it failed.

    Attributes
    ----------
    anchor : str
        Its place in the page's address.
    title, how_to_read : str
        As of the section.
    status : Status
        Which of the three it is.
    finding : str
        The finding; else why there is none.
    body : Markup
        What it shows; empty unless the status is SHOWN.
    tables : mapping of str to pandas.DataFrame
        As of the content; empty unless the status is SHOWN.
    brief : str
        The finding in at most 100 characters.
    folded : bool
        As of the section and its content; a section that does not apply is always folded.
    """

    anchor: str
    title: str
    how_to_read: str
    status: Status
    finding: str
    folded: bool
    body: Markup = field(default_factory=Markup)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    brief: str = ""


def card_of(section: Section, context: Context, *, prefix: str = "") -> Card:
    """Return a section's card, whatever happens in it; failures are logged.

    `prefix` stands before its anchor, where a page shows several runs.
    """
    about = (f"{prefix}{section.name}", section.title, section.how_to_read)
    try:
        content = section.content(context)
    except NothingToExplain as nothing:
        return Card(
            *about,
            Status.NOT_APPLICABLE,
            _sentence(str(nothing), context),
            True,
        )
    except Exception as error:
        return _failed(Card(*about, Status.FAILED, "", section.folded), error)
    return Card(
        about[0],
        content.title or section.title,
        content.how_to_read or section.how_to_read,
        Status.SHOWN,
        content.finding,
        section.folded or content.folded,
        content.body,
        content.tables,
        shortened(content.brief or content.finding),
    )


def drawn_out(card: Card, figures: Callable[[Markup], Markup]) -> Card:
    """Return a card with its figures in their places; a failure is logged."""
    try:
        return replace(card, body=figures(card.body))
    except Exception as error:
        return _failed(card, error)


def _failed(card: Card, error: Exception) -> Card:
    """Return the card of a section that failed: the rest is worth having without this part."""
    _logger.error(
        "The report's section %r failed.", card.title, exc_info=error
    )
    what = f"{type(error).__name__}: {error}"
    return Card(
        card.anchor,
        card.title,
        card.how_to_read,
        Status.FAILED,
        what,
        card.folded,
        brief=shortened(what),
    )


def _sentence(text: str, context: Context) -> str:
    """Return a text that starts as a sentence does; names are left as they are."""
    run = context.run
    is_name = text.partition(" ")[0] in (run.objective_name, *run.space.names)
    start = text if is_name else text[:1].upper() + text[1:]
    return start if start.endswith(".") else f"{start}."


def line(result: Any) -> str:
    """Return the first thing that a result says, in a line of at most 100 characters.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    >>> X = space.sample(40, seed=0)
    >>> len(line(hx.importance(hx.Run(space, X, X[:, 0], "minimize")))) <= 100
    True
    """
    told = [
        claim.frame.replace("{each}", claim.text)
        for claim in result.claims
        if claim.text
    ]
    return shortened(told[0] if told else result.sentence)


def shortened(text: str, most: int = MOST) -> str:
    """Return a text of at most so many characters, cut between words where there are any.

    Examples
    --------
    >>> shortened("The learning rate matters most", 20)
    'The learning rate …'
    """
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole = (
        head.rpartition(" ")[0] if len(head.rpartition(" ")[2]) < _NAME else ""
    )
    return f"{whole} …" if whole else f"{head}…"
