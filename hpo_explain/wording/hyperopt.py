"""What the reader of Hyperopt's trials leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names


def _algorithm_not_recorded(fact: Fact) -> Text:
    seen = "none has the marks of TPE, so that" if fact["drawn"] else "their marks are lost, and"
    return (
        f"proposals: Hyperopt does not record the algorithm that chose the trials; {seen} none "
        "counts as a proposal; ",
        Option("algo"),
        " tells it",
    )


def _several_places(fact: Fact) -> str:
    return (
        f"{names(fact)}: stands below several choices; no values of single hyperparameters say "
        "when it is active, so that it counts as active at its frequency"
    )


def _options_numbered(fact: Fact) -> str:
    return (
        f"choices: those of {names(fact)} have no word of their own and are called by their "
        "numbers, from 0"
    )


add_facts(
    {
        "trials_empty": "trials has no trial yet. Run fmin first.",
        "algorithm_not_recorded": _algorithm_not_recorded,
        "startup_trials_assumed": lambda fact: (
            f"proposals: the first {counted(fact['count'], 'trial')} count as drawn at random, as "
            "the algorithm does; the trials' own marks are lost"
        ),
        "several_places": _several_places,
        "options_numbered": _options_numbered,
        "grid_left_out": lambda fact: (
            f"{names(fact)}: read as continuous, without its steps of {fact['step']:g}"
        ),
        "space_not_recorded": lambda _: (
            "space: not on record, so that ranges, scales and conditions are inferred from the "
            "trials; ",
            Option("space"),
            " gives it",
        ),
    }
)
