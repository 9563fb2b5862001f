"""What the reader of ConfigSpace's spaces leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option
from hpo_explain.base.phrases import listed
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

_SHOWN = 3

add_facts(
    {
        "order_left_out": lambda fact: (
            f"{names(fact)}: ordinal; read as choices, without their order"
        ),
        "condition_as_frequency": lambda fact: (
            f"conditions: when {names(fact)} is active cannot be said by values of single "
            "hyperparameters; it counts as active at the frequency of configurations drawn at "
            "random"
        ),
        "forbidden_clauses": lambda fact: (
            f"forbidden: the space rules out {listed(fact['clauses'], _SHOWN)}, which the search "
            "space here does not: averages and advice may take in such configurations; ",
            Option("background"),
            " takes an array without them",
        ),
    }
)
