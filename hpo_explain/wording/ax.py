"""What the reader of Ax's clients leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.errors import Option
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

add_facts(
    {
        "client_empty": "client has no trial yet. Complete some first.",
        "sem_left_out": lambda fact: (
            f"noise: the standard errors that {names(fact)} was told with are left out; the "
            "surrogate estimates the noise from the values"
        ),
        "parameter_constraints": lambda fact: (
            f"constraints: {counted(fact['count'], 'constraint')} of the space "
            f"{'is' if fact['count'] == 1 else 'are'} not part of the search space here: averages "
            "also take in configurations that are ruled out, unless ",
            Option("background"),
            " gives an array without them",
        ),
    }
)
