"""Next experiments in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted
from hpo_explain.wording._registry import add_facts


def _without_joint(fact: Fact) -> Text:
    return (
        f"{fact['model']} has no joint posterior, so how much an experiment would narrow the band "
        "is not known: the configurations of largest uncertainty are returned. For the others use ",
        Option("kind", "gp"),
    )


def _fewer(fact: Fact) -> Text:
    there = "is" if fact["found"] == 1 else "are"
    return (
        f"n is {fact['asked']}, but there {there} only "
        f"{counted(fact['found'], 'different configuration')} to choose from. If the space has "
        "others, give a larger ",
        Option(fact["option"]),
    )


def _infeasible(fact: Fact) -> str:
    are = "candidate is" if fact["n"] == 1 else "candidates are"
    return f"{fact['n']} {are} left out as probably infeasible"


add_facts(
    {
        "infeasible_left_out": _infeasible,
        "no_joint_posterior": _without_joint,
        "fewer_experiments": _fewer,
    }
)
