"""Every kind of fact has words, and no words are left over."""

import ast
from functools import cache

from hpo_explain.adapters._reading import nothing_left
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import as_fact
from hpo_explain.base.text import tell
from hpo_explain.run import WAS_PRUNED
from tests.noted import known_facts
from tests.source_tree import modules


@cache
def calls():
    """Every call in the source that makes or declares a fact, with its place."""
    return [
        (f"{module}:{call.lineno}", call)
        for module, path in modules().items()
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and name_of(call.func) in ("fact", "declared_fact")
    ]


def kinds_made(*by):
    """Every kind of fact that the source makes by these functions, with the place of the call."""
    found = {}
    for place, call in calls():
        for kind in literals(call) if name_of(call.func) in by else ():
            found.setdefault(kind, place)
            assert kind is not None, f"{place}: the kind is not a literal"
    return found


def name_of(function):
    return getattr(function, "id", getattr(function, "attr", ""))


def literals(call):
    """The kinds that a call may make; None for one that only running the code would tell."""
    kind = call.args[0]
    kinds = [kind.body, kind.orelse] if isinstance(kind, ast.IfExp) else [kind]
    return [entry.value if isinstance(entry, ast.Constant) else None for entry in kinds]


def test_every_kind_of_fact_has_words():
    """Those that are declared have them beside the declaration."""
    made = kinds_made("fact")
    assert not {kind: place for kind, place in made.items() if kind not in known_facts()}


def test_no_words_are_for_a_kind_of_fact_that_nobody_makes():
    assert not known_facts() - kinds_made("fact", "declared_fact").keys()


def test_a_text_of_the_users_is_told_as_it_is():
    assert tell(as_fact("read from the lab's notebook")) == "read from the lab's notebook"


def as_option(option):
    return f"--{option.name} {option.value or ''}".rstrip()


def test_arguments_are_named_as_the_caller_says_in_facts_within_facts_too():
    empty = nothing_left("study", dict.fromkeys([0, 1], WAS_PRUNED(readable=True)))
    assert "2 x pruned (--pruned last reads" in tell(empty.reason, as_option)
    assert "2 x pruned (pruned='last' reads" in str(empty)


def test_an_error_tells_a_fact_and_names_its_argument_as_the_caller_says():
    left_out = ("7 was left out: ", WAS_PRUNED(readable=True))
    error = InputError("trial", left_out, 7, ("Give ", Option("space"), "."))
    assert str(error) == (
        "trial 7 was left out: pruned (pruned='last' reads the last value it reported). "
        "Give space=."
    )
    assert error.text(as_option) == (
        "--trial 7 was left out: pruned (--pruned last reads the last value it reported). "
        "Give --space."
    )
