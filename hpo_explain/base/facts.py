"""Facts: what was read, left out or assumed, as data that code can decide by.

A fact is a kind with the trials, names and values it is about. Its words are declared with it
(`hpo_explain.base.text.declared_fact`); ``str(fact)`` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hpo_explain.base.loaders import words


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
class Fact:
    """Something that is known about a run or an explanation.

    Attributes
    ----------
    kind : str
        What it says, as a code.
    trials : tuple of int
        The trials it is about, if any.
    names : tuple of str
        The hyperparameters, columns or other things it is about, if any.
    values : tuple of (str, object)
        Further values by name; ``fact["name"]`` returns one.
    home : str
        The module that declares its words, which a fact that was unpickled elsewhere loads.

    Examples
    --------
    >>> found = fact("diverged", trials=[3, 5], bound=2.0)
    >>> found.kind, found.trials, found["bound"]
    ('diverged', (3, 5), 2.0)
    """

    kind: str
    trials: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    home: str = field(default="", compare=False, repr=False)

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    def __hash__(self) -> int:
        # values may be lists
        return hash((self.kind, self.trials, self.names))

    def __str__(self) -> str:
        return str(words().tell(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the fact with its text; the values are as they are."""
        return {
            "kind": self.kind,
            "trials": list(self.trials),
            "names": list(self.names),
            "values": dict(self.values),
            "text": str(self),
        }


def fact(
    kind: str, *, trials: Iterable[int] = (), names: Iterable[Any] = (), **values: Any
) -> Fact:
    """Return a fact; see `Fact`."""
    return Fact(
        kind,
        tuple(int(trial) for trial in trials),
        tuple(str(name) for name in names),
        tuple(values.items()),
    )


def as_fact(reason: Fact | str) -> Fact:
    """Return a fact itself, or a text of the user's as a fact.

    Examples
    --------
    >>> str(as_fact("read from the lab's notebook"))
    "read from the lab's notebook"
    """
    return reason if isinstance(reason, Fact) else fact("said", text=str(reason))


def as_facts(reasons: Iterable[Fact | str]) -> tuple[Fact, ...]:
    """Return facts, each once, in their order."""
    return tuple(dict.fromkeys(map(as_fact, reasons)))


def by_reason(excluded: Mapping[int, Fact]) -> dict[Fact, list[int]]:
    """Return the trials that were left out for each reason, in the order of the first ones."""
    reasons: dict[Fact, list[int]] = {}
    for trial, reason in excluded.items():
        reasons.setdefault(reason, []).append(trial)
    return reasons
