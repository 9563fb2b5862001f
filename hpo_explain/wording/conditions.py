"""Conditions under which hyperparameters are active, or that hold in a region, in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import among
from hpo_explain.wording._registry import add_facts


def _never_together(fact: Fact) -> str:
    first, second = fact.names
    ancestor = fact["ancestor"]
    return (
        f"{first} and {second} are never active together ({first} is active when "
        f"{among(ancestor, fact['first'])}, {second} when {among(ancestor, fact['second'])})"
    )


add_facts({"never_active_together": _never_together})
