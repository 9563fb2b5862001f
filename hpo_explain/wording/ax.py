"""What the reader of Ax's clients leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain._words import listed
from hpo_explain.errors import Option
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

_SHOWN = 3

add_facts(
    {
        "client_empty": "client has no trial yet. Complete some first.",
        "sem_left_out": lambda fact: (
            f"noise: the standard errors that {names(fact)} was told with are left out; the "
            "surrogate estimates the noise from the values"
        ),
        "parameter_constraints": lambda fact: (
            f"constraints: Ax keeps to {listed(fact['constraints'], _SHOWN)}, and the search space "
            "here does not: averages and advice may take in other configurations; ",
            Option("background"),
            " takes an array without them",
        ),
    }
)
