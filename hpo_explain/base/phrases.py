"""Words that every floor needs: counts, lists, numbers of trials, and what a terminal may show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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


def columns(text: str) -> int:
    """Return how many columns a text takes: wide characters take two, combining ones none."""
    if text.isascii() and text.isprintable():
        return len(text)
    import wcwidth

    return wcwidth.width(text, control_codes="ignore")


def shorten(text: str, width: int) -> str:
    """Return a text of at most `width` columns: the middle makes room for an ellipsis.

    Examples
    --------
    >>> shorten("optimizer__learning_rate", 16)
    'optimize…ng_rate'
    """
    if columns(text) <= width:
        return text
    from wcwidth import iter_graphemes

    characters = list(iter_graphemes(text))
    head = first_columns(characters, width // 2)
    tail = first_columns(characters[::-1], width - 1 - width // 2)[::-1]
    return "".join([*head, "…", *tail])


def first_words(text: str, width: int) -> str:
    """Return a sentence of at most `width` columns: whole words, and an ellipsis for the others.

    What is one word alone loses its middle.

    Examples
    --------
    >>> first_words("Try next: lr = 0.0012345 and depth = 3", 25), first_words("a" * 9, 5)
    ('Try next: lr = 0.0012345…', 'aa…aa')
    """
    words = text.split(" ")
    ends = [i for i in range(1, len(words)) if columns(" ".join(words[:i])) < width]
    if columns(text) <= width or not ends:
        return shorten(text, width)
    return " ".join(words[: ends[-1]]) + "…"


def first_columns(characters: Sequence[str], width: int) -> Sequence[str]:
    """Return the characters, each with its marks, that fit into so many columns."""
    # after another character, such as an ellipsis, a mark of its own may take a column
    ends = accumulate(max(columns(character), 1) for character in characters)
    return characters[: sum(1 for _ in takewhile(lambda end: end <= width, ends))]


_MOST_SPANS = 12
_LONGEST_NAME = 200
# Unicode's categories of controls, of line and paragraph separators, of what is not seen (marks of
# direction, joiners, tags), and of what no font has: halves of pairs, private and unassigned ones
_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
# letters, marks and symbols that take no room or are blank: what text can be hidden in as well
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0"
    "\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def counted(count: int, noun: str) -> str:
    """Return "1 trial" or "2 trials"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def join_words(words: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return chained(words)
    return chained([joined(words[:-1], ", "), " and ", words[-1]])


def join_names(names: Sequence[object]) -> str:
    """Return names as `join_words` joins them, long ones shortened."""
    return join_words([shorten(str(name), _LONGEST_NAME) for name in names])


def quoted(value: object) -> str:
    """Return a value as Python writes it, a long one shortened."""
    return shorten(repr(value), _LONGEST_NAME)


def listed(words: Sequence[str], most: int = 8) -> str:
    """Return words separated by commas, and how many more there are."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")


def abridged(words: Sequence[object], most: int = 10) -> str:
    """Return the first words separated by commas, and dots if there are more."""
    more = ", ..." if len(words) > most else ""
    return ", ".join(map(str, words[:most])) + more


def sentences(*texts: object) -> str:
    """Return sentences one after the other, without those that are empty or False.

    Examples
    --------
    >>> sentences("One.", 2 > 3 and "Two.", "Three.")
    'One. Three.'
    """
    return " ".join(str(text) for text in texts if text)


def spans(numbers: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """Return numbers as ranges: "0-4, 7"."""
    ordered = sorted(int(number) for number in numbers)
    if not ordered:
        return "none"
    ranges: list[list[int]] = []
    for number in ordered:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges]
    return abridged(texts, _MOST_SPANS)


def counted_trials(trials: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """Return trials with their count: "2 trials (0, 7)"."""
    return f"{counted(len(trials), 'trial')} ({spans(trials)})"


def printable(text: str) -> str:
    r"""Return a text on one line, whose control and invisible characters are shown, not obeyed.

    Examples
    --------
    >>> printable("a name with\ttab and \x1b[31mcolor")
    'a name with\\ttab and \\x1b[31mcolor'
    """
    if text.isprintable() and not _BLANK.search(text):
        return text
    return "".join(_escaped(c) if _is_unseen(c) else c for c in text)


def printable_lines(text: str) -> str:
    """Return a text on the lines that it has, whose other control characters are shown."""
    return "\n".join(map(printable, text.split("\n")))


def _is_unseen(character: str) -> bool:
    is_blank = _BLANK.match(character) is not None
    return is_blank or unicodedata.category(character) in _UNSEEN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
