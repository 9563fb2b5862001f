"""Facts by their kind."""

from importlib import import_module

from hpo_explain.base.text import WORDS
from tests.source_tree import modules


def noted(facts, kind):
    """The facts of one kind."""
    return [fact for fact in facts if fact.kind == kind]


def the_note(facts, kind):
    """The only fact of a kind."""
    (found,) = noted(facts, kind)
    return found


def kinds(facts):
    """The kinds of facts."""
    return {fact.kind for fact in facts}


def known_facts() -> frozenset[str]:
    """The kinds of facts that are declared anywhere."""
    for module in modules():
        import_module(module)
    return frozenset(WORDS)
