"""Which words belong to which fact; each file adds its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hpo_explain.base import text
from hpo_explain.base.errors import Text
from hpo_explain.base.facts import Fact

FactWords = Mapping[str, str | Callable[[Fact], Text]]

_FACTS: dict[str, str | Callable[[Fact], Text]] = {}


def add_facts(words: FactWords) -> None:
    """Register texts by kind of fact; a function gets the fact.

    Raises
    ------
    RuntimeError
        If a kind has words already.
    """
    twice = _FACTS.keys() & words.keys()
    if twice:
        raise RuntimeError(f"these kinds of facts have words already: {', '.join(sorted(twice))}")
    _FACTS.update(words)


def fact_words(kind: str) -> str | Callable[[Fact], Text]:
    """Return the text of a kind of fact, or the function that returns it."""
    return _FACTS.get(kind, text.told)


def known_facts() -> frozenset[str]:
    """Return the kinds of facts that have words."""
    return frozenset(_FACTS) | frozenset(text.WORDS)
