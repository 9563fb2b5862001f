"""Facts: what was read, left out or assumed, as data that code can decide by.

Most facts are notes, which are told and nothing more. What code decides by has a kind, and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from hpo_explain.base.phrases import chained, printable

Role = Literal["", "basis", "said", "check"]


class Origin(Enum):
    """Who chose a trial.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize", proposals=[2])
    >>> run.origin(2) is hx.base.Origin.MODEL
    True
    """

    MODEL = "model"
    """The optimizer, by its model: a proposal."""
    INITIAL = "initial"
    """The optimizer, without a model: its initial design, or random sampling."""
    ENQUEUED = "enqueued"
    """The user, before it started."""
    RETRIED = "retried"
    """Nobody anew: it repeats a trial that failed."""
    ADDED = "added"
    """Nobody here: it was added with its result."""
    PERSON = "person"
    """A person, at least in part, in place of the optimizer."""
    UNKNOWN = "unknown"
    """It is not recorded."""


@dataclass(frozen=True)
class Option:
    """An argument that a text mentions, such as ``pruned="last"``.

    Attributes
    ----------
    name : str
        The argument's name in Python.
    value : object
        The value it should get; None where any would do.

    Examples
    --------
    >>> str(Option("pruned", "last")), str(Option("space"))
    ("pruned='last'", 'space=')
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.name}=" if self.value is None else f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class Quote:
    """A part of a text that quotes data of others, and what replaces it where that is not shown.

    Attributes
    ----------
    text : str
        The part, such as ``"choices ['a', 'b']"``.
    instead : str
        What replaces it, such as ``"2 choices"``.
    """

    text: str
    instead: str = ""


@dataclass(frozen=True, eq=False)
class Fact:
    """Something that is known about a run or an explanation, and its words.

    Attributes
    ----------
    words : tuple of str, Option and Fact
        Its text, in parts where it mentions arguments or other facts.
    kind : str
        What it says, as a code, if something is decided by it; else "note".
    trials : tuple of int
        The trials it is about, if any.
    names : tuple of str
        The hyperparameters, columns or other things it is about, if any.
    values : tuple of (str, object)
        Further values by name; ``fact["name"]`` returns one.
    role : {"", "basis", "said", "check"}
        What it is beside a claim: a doubt, what the claim rests on, or said by the claim's words.
        "check" is what was guessed of a run, and is told first.

    Examples
    --------
    >>> str(Fact(("read from the lab's notebook",)))
    "read from the lab's notebook"
    """

    words: tuple[str | Option | Fact, ...]
    kind: str = "note"
    trials: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    role: Role = ""

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and self._data == other._data

    def __hash__(self) -> int:
        # words and values may hold lists
        about = str(self) if self.kind == "note" else self.names
        return hash((self.kind, self.trials, about))

    @property
    def _data(self) -> tuple[Any, ...]:
        """What tells it from others: of a kind its data, which its words only tell again."""
        words = self.words if self.kind == "note" else ()
        return self.kind, words, self.trials, self.names, self.values

    def __str__(self) -> str:
        return self.text()

    def text(self, name_option: NameOption = str) -> str:
        """Return its words, in which arguments are named in one way."""
        return printable(write(self.words, name_option))

    def to_dict(self) -> dict[str, Any]:
        """Return the fact with its text; the values are as they are."""
        return {
            "kind": self.kind,
            "trials": list(self.trials),
            "names": list(self.names),
            "values": dict(self.values),
            "text": str(self),
        }


Text = str | tuple[str | Option | Fact | Quote, ...]
"""A text, in parts where it mentions arguments, other facts or data."""

NameOption = Callable[[Option], str]
"""How an argument is written: as in Python (``str``), or as an option of the command line."""


def write(text: Text, name_option: NameOption = str, *, quoting: bool = True) -> str:
    """Return a text as a string, in which `name_option` names the arguments.

    Examples
    --------
    >>> write(("give ", Option("pruned", "last")))
    "give pruned='last'"
    >>> write(("give ", Option("pruned", "last")), lambda option: f"--{option.name} {option.value}")
    'give --pruned last'
    """
    if isinstance(text, str):
        return text
    return chained(_written(words, name_option, quoting) for words in text)


def _written(words: str | Option | Fact | Quote, name_option: NameOption, quoting: bool) -> str:
    if isinstance(words, Option):
        return name_option(words)
    if isinstance(words, Quote):
        return words.text if quoting else words.instead
    return words if isinstance(words, str) else words.text(name_option)


def fact(
    *words: str | Option | Fact,
    kind: str = "note",
    trials: Iterable[int] = (),
    names: Iterable[Any] = (),
    role: Role = "",
    **values: Any,
) -> Fact:
    """Return a fact in words; `kind` and `values` are what something is decided by. See `Fact`.

    Examples
    --------
    >>> few = fact("trials 3 and 5 are above 2", kind="diverged", trials=[3, 5], bound=2.0)
    >>> str(few), few.kind, few.trials, few["bound"]
    ('trials 3 and 5 are above 2', 'diverged', (3, 5), 2.0)
    >>> str(fact(few, "; ", Option("bound"), " changes it"))
    'trials 3 and 5 are above 2; bound= changes it'
    """
    return Fact(
        words,
        kind,
        tuple(int(trial) for trial in trials),
        tuple(str(name) for name in names),
        tuple(values.items()),
        role,
    )


def as_fact(reason: Fact | str) -> Fact:
    """Return a fact itself, or a text of the user's as a fact.

    Examples
    --------
    >>> str(as_fact("read from the lab's notebook"))
    "read from the lab's notebook"
    """
    return reason if isinstance(reason, Fact) else fact(str(reason))


def as_facts(reasons: Iterable[Fact | str]) -> tuple[Fact, ...]:
    """Return facts, each once, in their order."""
    return tuple(dict.fromkeys(map(as_fact, reasons)))


def by_reason(excluded: Mapping[int, Fact]) -> dict[Fact, list[int]]:
    """Return the trials that were left out for each reason, in the order of the first ones."""
    reasons: dict[Fact, list[int]] = {}
    for trial, reason in excluded.items():
        reasons.setdefault(reason, []).append(trial)
    return reasons
