"""What the reader of ConfigSpace's spaces leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.errors import Option
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

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
            f"forbidden: {counted(fact['count'], 'clause')} of the space "
            f"{'is' if fact['count'] == 1 else 'are'} not part of the search space here: averages "
            "also take in configurations that are forbidden, unless ",
            Option("background"),
            " gives an array without them",
        ),
    }
)
