"""Explanations of a proposal in words."""

from __future__ import annotations

from hpo_explain.errors import Text
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts


def _acquisition_assumed(fact: Fact) -> Text:
    optimizer, criterion, model = fact.names
    if fact["why"] is not None:
        return f"{fact['why']}; explained with an assumed {model} and {criterion}"
    return f"{optimizer} is not known to have used {criterion}: it is assumed"


add_facts({"acquisition_assumed": _acquisition_assumed})
