"""Facts in words."""

from __future__ import annotations

from hpo_explain.base.errors import NameOption, write
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import printable
from hpo_explain.wording._registry import add_facts, fact_words


def tell(fact: Fact, name_option: NameOption = str) -> str:
    """Return a fact in words.

    Parameters
    ----------
    fact : Fact
        The fact.
    name_option : callable, optional
        How an argument that the text mentions is written; by default as in Python.

    Examples
    --------
    >>> from hpo_explain.base.facts import fact
    >>> tell(fact("said", text="read by hand"))
    'read by hand'
    """
    words = fact_words(fact.kind)
    return printable(write(words if isinstance(words, str) else words(fact), name_option))


add_facts({"said": lambda fact: str(fact["text"])})
