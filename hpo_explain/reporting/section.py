"""The parts of a report: each is what a function answers, or how it failed; none harms others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from markupsafe import Markup

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.question import Question
from hpo_explain.run import Run

_logger = logging.getLogger("hpo_explain")


class Status(Enum):
    """What became of a section."""

    SHOWN = "shown"
    NOTHING = "nothing to show"
    FAILED = "failed"


@dataclass(frozen=True)
class Content:
    """What a section has to show.

    Attributes
    ----------
    finding : str
        The answer in words.
    body : Markup
        HTML, escaped already.
    headline : str, default ""
        The answer in a few words, for its line; by default all of it.
    notes : tuple of str, default ()
        What it rests on; what an earlier section says is not said again.
    """

    finding: str
    body: Markup
    headline: str = ""
    notes: tuple[str, ...] = ()


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
        Two sentences for somebody who did not write the optimization; may be empty.
    content : callable
        Returns what the section shows of a question: what is asked of a run. It raises
        `NothingToExplain` where there is nothing to show.
    folded : bool, default False
        Whether it is a line under More, opened by who wants it.
    concerns : callable
        Says whether a run has what the section is about; by default every run has.
    script : str, default ""
        The template whose script and style it needs beside the page's own, if any.
    function : str, default ""
        What answers the same outside of the page, as in ``hx.trust``.
    """

    name: str
    title: str
    how_to_read: str
    content: Callable[[Question], Content]
    folded: bool = False
    concerns: Callable[[Run], bool] = lambda _: True
    script: str = ""
    function: str = ""


@dataclass(frozen=True)
class Card:
    """A section's place in a report: what it shows, that there is nothing, or how it failed.

    Attributes
    ----------
    anchor : str
        Its place in the page's address.
    title, how_to_read, function : str
        As in the section.
    status : Status
        Which of the three it is.
    finding : str
        The answer; else why there is none.
    headline : str
        The same in a few words.
    body : Markup
        What it shows; empty unless the status is SHOWN.
    notes : tuple of str
        As in the content.
    folded : bool
        As in the section.
    script : str
        As in the section; empty unless the status is SHOWN.
    """

    anchor: str
    title: str
    how_to_read: str
    status: Status
    finding: str
    headline: str
    folded: bool
    body: Markup = field(default_factory=Markup)
    notes: tuple[str, ...] = ()
    script: str = ""
    function: str = ""


def card_of(section: Section, question: Question, *, prefix: str = "") -> Card:
    """Return a section's card, whatever happens in it; failures are logged.

    `prefix` stands before its anchor, where a page shows several runs.
    """
    empty = Card(
        f"{prefix}{section.name}",
        section.title,
        section.how_to_read,
        Status.NOTHING,
        "",
        "",
        section.folded,
        function=section.function,
    )
    try:
        content = section.content(question)
    except NothingToExplain as nothing:
        why = _sentence(str(nothing), question.run)
        return replace(empty, finding=why, headline=why)
    except Exception as error:
        return _failed(empty, error)
    return replace(
        empty,
        status=Status.SHOWN,
        finding=content.finding,
        headline=content.headline or content.finding,
        body=content.body,
        notes=tuple(content.notes),
        script=section.script,
    )


def drawn_out(card: Card, figures: Callable[[Markup], Markup]) -> Card:
    """Return a card with its figures in their places; a failure is logged."""
    try:
        return replace(card, body=figures(card.body))
    except Exception as error:
        return _failed(card, error)


def _failed(card: Card, error: Exception) -> Card:
    """Return the card of a section that failed: the rest is worth having without this part."""
    _logger.error("The report's section %r failed.", card.title, exc_info=error)
    what = f"{type(error).__name__}: {error}"
    return replace(card, status=Status.FAILED, finding=what, headline=what, body=Markup(), notes=())


def _sentence(text: str, run: Run) -> str:
    """Return a text that starts as a sentence does; names are left as they are."""
    is_name = text.partition(" ")[0] in (run.objective_name, *run.space.names)
    start = text if is_name else text[:1].upper() + text[1:]
    return start if start.endswith(".") else f"{start}."


def without_repeats(cards: Iterable[Card]) -> Iterator[Card]:
    """Yield cards without the notes that an earlier one has."""
    said = set[str]()
    for card in cards:
        yield replace(card, notes=tuple(note for note in card.notes if note not in said))
        said.update(card.notes)
