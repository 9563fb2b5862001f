"""What the reader of tables leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.errors import Option, Text
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names, trials

_MOST_INSTANCES = 10

# ---------------------------------------------------------------------- columns


def _every_other_column(fact: Fact) -> Text:
    text = f"hyperparameters: every other column ({names(fact)}); "
    return text, Option("hyperparameters"), " chooses"


def _columns_of_optuna(fact: Fact) -> Text:
    return (
        f"hyperparameters: the columns params_... of Optuna's trials_dataframe ({names(fact)}); "
        f"left out: {', '.join(fact['left_out']) or 'none'}; ",
        Option("hyperparameters"),
        " chooses",
    )


def _empty_cells(fact: Fact) -> Text:
    listed = ", ".join(f"{name} in {n}" for name, n in zip(fact.names, fact["counts"], strict=True))
    return (
        f"empty cells ({listed} of {fact['rows']} rows) mean inactive; when, is inferred below "
        "unless ",
        Option("space"),
        " states it",
    )


def _column_of_time_texts(fact: Fact) -> Text:
    return (
        f"{names(fact)}: left out, as text of times ({fact['example']}) is not a hyperparameter; ",
        Option("hyperparameters"),
        " chooses",
    )


def _different_in_every_row(fact: Fact) -> Text:
    what = "text" if fact["text"] else "value"
    filled = " that has one" if fact["gaps"] else ""
    return (
        f"{names(fact)}: a different {what} in every row{filled}; if it is not a hyperparameter, "
        "leave it out with ",
        Option("hyperparameters"),
    )


def _text_of_numbers(fact: Fact) -> str:
    remedy = f"write {fact['example']!r} as {fact['number']}"
    if fact["plain"]:
        remedy = "convert it with pandas.to_numeric"
    return (
        f"{names(fact)}: its text looks like numbers, but is read as categories; if it should be a "
        f"range, {remedy}"
    )


add_facts(
    {
        "table_empty": "frame has no row. Give at least one trial.",
        "every_other_column": _every_other_column,
        "columns_of_optuna": _columns_of_optuna,
        "numbered_by_time": lambda fact: f"trials: numbered in the order of {names(fact)}",
        "empty_cells": _empty_cells,
        "column_empty": lambda fact: f"{names(fact)}: left out, as the column is empty",
        "column_of_times": lambda fact: (
            f"{names(fact)}: left out, as a time is not a hyperparameter"
        ),
        "column_of_time_texts": _column_of_time_texts,
        "different_in_every_row": _different_in_every_row,
        "text_of_numbers": _text_of_numbers,
        "read_as_integers": lambda fact: f"{names(fact)}: whole numbers, read as integers",
        "log_scale_guessed": lambda fact: (
            f"{names(fact)}: spans {fact['decades']:.1f} decades, so its scale is assumed to be "
            "logarithmic"
        ),
    }
)


# ---------------------------------------------------------------------- instances


def _mean_over_instances(fact: Fact) -> str:
    objective, column = fact.names
    instances = fact["instances"]
    more = ", ..." if len(instances) > _MOST_INSTANCES else ""
    return (
        f"instances: the {objective} of a trial is its mean over "
        f"{counted(len(instances), 'value')} of {column} "
        f"({', '.join(map(str, instances[:_MOST_INSTANCES]))}{more}); run.instances holds them one "
        "by one"
    )


def _instances_missing(fact: Fact) -> str:
    was = "was" if len(fact.trials) == 1 else "were"
    return (
        f"instances: {trials(fact)} {was} not evaluated on all of them; such a mean is over fewer, "
        "so compare it with care"
    )


def _instances_repeated(fact: Fact) -> str:
    repeat = "repeats" if fact["count"] == 1 else "repeat"
    return (
        f"instances: {counted(fact['count'], 'row')} {repeat} a configuration on the same "
        "instance; of such rows the mean counts"
    )


add_facts(
    {
        "mean_over_instances": _mean_over_instances,
        "instances_not_shared": lambda _: (
            "instances: no configuration was evaluated on more than one; if a column is not a "
            "hyperparameter, name those that are in ",
            Option("hyperparameters"),
        ),
        "instances_missing": _instances_missing,
        "instances_repeated": _instances_repeated,
    }
)
