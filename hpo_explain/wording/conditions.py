"""Conditions under which hyperparameters are active, or that hold in a region, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpo_explain.base.facts import Fact
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.numbers import format_value, values_in_words


def among(name: str, values: Sequence[Any]) -> str:
    """Return that a hyperparameter has one of some values: "optimizer in {adam, sgd}"."""
    if len(values) == 1:
        return f"{name} = {format_value(values[0])}"
    return f"{name} in {{{values_in_words(values)}}}"


def _never_together(fact: Fact) -> str:
    first, second = fact.names
    ancestor = fact["ancestor"]
    return (
        f"{first} and {second} are never active together ({first} is active when "
        f"{among(ancestor, fact['first'])}, {second} when {among(ancestor, fact['second'])})"
    )


add_facts({"never_active_together": _never_together})
