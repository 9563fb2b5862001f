"""Texts that know what stands where in them: pages make links and hints of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Place:
    """A stretch of a text of which more can be said than its letters do.

    Attributes
    ----------
    start, end : int
        Where it stands in the text.
    hint : str, default ""
        What is to be said of it where it is pointed at, such as the interval of a number.
    trial : int or None
        The trial whose number it is.
    """

    start: int
    end: int
    hint: str = ""
    trial: int | None = None


class Wording(str):
    """A text with its places. What makes another text of it, other than `chained`, forgets them.

    Examples
    --------
    >>> text = chained(["Keep trial ", Wording.of("7", trial=7), "."])
    >>> text, text.places
    ('Keep trial 7.', (Place(start=11, end=12, hint='', trial=7),))
    """

    __slots__ = ("places",)
    places: tuple[Place, ...]

    def __new__(cls, text: str, places: tuple[Place, ...] = ()) -> Wording:
        """Return a text with the places given."""
        made = super().__new__(cls, text)
        made.places = places
        return made

    @classmethod
    def of(cls, text: str, *, hint: str = "", trial: int | None = None) -> Wording:
        """Return a text of which all is one place."""
        return cls(text, (Place(0, len(text), hint, trial),))


def trial_number(trial: int) -> str:
    """Return the number of a trial, which a page makes a link of."""
    return Wording.of(str(trial), trial=int(trial))


def chained(texts: Iterable[str]) -> str:
    """Return texts one after the other, with the places that they have."""
    said = list(texts)
    places = tuple(_moved(said))
    text = "".join(said)
    return Wording(text, places) if places else text


def _moved(texts: Iterable[str]) -> Iterator[Place]:
    """Return the places of texts as those of the whole."""
    before = 0
    for text in texts:
        if isinstance(text, Wording):
            for place in text.places:
                yield replace(place, start=before + place.start, end=before + place.end)
        before += len(text)


def joined(texts: Iterable[str], between: str) -> str:
    """Return texts with something between them, and with their places."""
    said = [part for text in texts for part in (between, text)]
    return chained(said[1:])


def capitalized(text: str) -> str:
    """Return a text that begins with a capital, with its places."""
    begun = text[:1].upper() + text[1:]
    if isinstance(text, Wording) and len(begun) == len(text):
        return Wording(begun, text.places)
    return begun
