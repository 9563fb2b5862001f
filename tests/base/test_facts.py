"""Facts: what decides has a kind, and what is told names arguments as its reader does."""

import ast
import re
from functools import cache
from pathlib import Path

from hpo_explain.adapters._reading import nothing_left
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Option, as_fact, as_facts, fact
from hpo_explain.run import PRUNED_READABLE
from tests.source_tree import modules


@cache
def kinds_made():
    """Every kind of fact that the source makes, with the place of the call."""
    return {
        keyword.value.value: f"{module}:{call.lineno}"
        for module, path in modules().items()
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "fact"
        for keyword in call.keywords
        if keyword.arg == "kind" and isinstance(keyword.value, ast.Constant)
    }


def test_a_fact_has_a_kind_only_where_something_is_decided_by_it():
    """Its name then stands once more, where that is asked: here, or where doors are compared."""
    texts = (Path(__file__).parents[1] / "contradictions" / "rules.py").read_text(encoding="utf-8")
    texts += "".join(path.read_text(encoding="utf-8") for path in modules().values())
    assert not {kind: at for kind, at in kinds_made().items() if texts.count(f'"{kind}"') < 2}


def asked():
    """Every kind that a fact is asked for, a literal or a constant of the module, and where."""
    for module, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Attribute):
                continue
            if node.left.attr == "kind" and ast.unparse(node.left.value) in FACTS:
                held = constants.get(ast.unparse(node.comparators[0]), node.comparators[0])
                for part in ast.walk(held):
                    if isinstance(part, ast.Constant):
                        yield part.value, f"{module}:{node.lineno}"


FACTS = {"note", "n", "why", "reason", "fact"}


def test_what_a_fact_is_asked_for_is_made_somewhere():
    """A note that lost its kind would be left out in silence where it is looked for by that."""
    texts = "".join(path.read_text(encoding="utf-8") for path in modules().values())
    made = re.findall(r'\bkind ?= ?"(\w+)"|, kind = .*, "(\w+)"', texts)
    wanted = dict(asked())
    assert len(wanted) > 20
    assert not {kind: at for kind, at in wanted.items() if kind not in {*sum(made, ())}}


def test_a_text_of_the_users_is_told_as_it_is():
    assert str(as_fact("read from the lab's notebook")) == "read from the lab's notebook"


def test_a_note_that_mentions_a_list_is_told_once():
    notes = [fact("c: ", Option("log", [name]), " is given") for name in "aba"]
    assert as_facts(notes) == (notes[0], notes[1])


def as_option(option):
    return f"--{option.name} {option.value or ''}".rstrip()


def test_arguments_are_named_as_the_caller_says_in_facts_within_facts_too():
    empty = nothing_left("study", dict.fromkeys([0, 1], PRUNED_READABLE))
    assert "2 x pruned (--pruned last reads" in empty.reason.text(as_option)
    assert "2 x pruned (pruned='last' reads" in str(empty)


def test_an_error_tells_a_fact_and_names_its_argument_as_the_caller_says():
    left_out = ("7 was left out: ", PRUNED_READABLE)
    error = InputError("trial", left_out, 7, ("Give ", Option("space"), "."))
    assert str(error) == (
        "trial 7 was left out: pruned (pruned='last' reads the last value it reported). "
        "Give space=."
    )
    assert error.text(as_option) == (
        "--trial 7 was left out: pruned (--pruned last reads the last value it reported). "
        "Give --space."
    )
