"""What the reader of tables leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

_MOST_INSTANCES = 10

# ---------------------------------------------------------------------- columns


def _every_other_column(fact: Fact) -> Text:
    text = f"hyperparameters: every other column ({names(fact)}); "
    return text, Option("hyperparameters"), " chooses"


def _columns_of_layout(fact: Fact) -> Text:
    return (
        f"hyperparameters: those of {fact['source']} ({names(fact)}); left out: "
        f"{', '.join(fact['left_out']) or 'none'}; ",
        Option("hyperparameters"),
        " chooses",
    )


def _measured_by_name(fact: Fact) -> Text:
    return (
        f"{names(fact)}: left out, as its name says that it was measured, not set; ",
        Option("hyperparameters"),
        " keeps it",
    )


def _measured_by_order(fact: Fact) -> Text:
    return (
        f"{names(fact)}: left out, as it was measured with the objective, it seems: its rank "
        f"correlation with it is {fact['correlation']:.3f}, and the other columns predict it; ",
        Option("hyperparameters"),
        " keeps it",
    )


def _orders_like_objective(fact: Fact) -> Text:
    return (
        f"{names(fact)}: its rank correlation with the objective is {fact['correlation']:.3f}; if "
        "it was measured, not set, leave it out with ",
        Option("hyperparameters"),
    )


def _none_is_a_value(fact: Fact) -> Text:
    return (
        f"{names(fact)}: empty cells that no other hyperparameter explains are the value None; ",
        Option("space"),
        " may state another reason",
    )


def _set_or_not(fact: Fact) -> str:
    it_is = "it is" if len(fact.names) == 1 else "they are"
    return (
        f"{names(fact)}: no other hyperparameter explains its empty cells; whether {it_is} set is "
        f"a hyperparameter of its own, {fact['switch']!r}"
    )


def _scale_unclear(fact: Fact) -> Text:
    scale = "logarithmic" if fact["log"] else "linear"
    return (
        f"{names(fact)}: spans {fact['decades']:.1f} decades, and its values do not tell whether "
        f"its scale is linear or logarithmic; assumed to be {scale}, unless ",
        Option("space"),
        " describes it",
    )


def _proposals_unknown(_: Fact) -> Text:
    return (
        "proposals: a table does not say who chose its trials, so none counts as a proposal; ",
        Option("optimizer"),
        ", ",
        Option("initial"),
        " or ",
        Option("proposed"),
        " tell",
    )


def _direction_doubtful(fact: Fact) -> Text:
    return (
        f"direction: {names(fact)} is minimized, though its name sounds like a score; ",
        Option("direction", "maximize"),
        " if larger is better",
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
    differs = f"a different {what} in every row{filled}"
    if fact["left_out"]:
        return f"{names(fact)}: left out, as {differs}; ", Option("hyperparameters"), " keeps it"
    return (
        f"{names(fact)}: {differs}; if it is not a hyperparameter, leave it out with ",
        Option("hyperparameters"),
    )


def _text_of_numbers(fact: Fact) -> str:
    return (
        f"{names(fact)}: its text looks like numbers, but is read as categories; if it should be a "
        f"range, write {fact['example']!r} as {fact['number']}"
    )


add_facts(
    {
        "table_empty": "frame has no row. Give at least one trial.",
        "every_other_column": _every_other_column,
        "columns_of_layout": _columns_of_layout,
        "measured_by_name": _measured_by_name,
        "measured_by_order": _measured_by_order,
        "orders_like_objective": _orders_like_objective,
        "none_is_a_value": _none_is_a_value,
        "scale_unclear": _scale_unclear,
        "set_or_not": _set_or_not,
        "proposals_unknown": _proposals_unknown,
        "direction_doubtful": _direction_doubtful,
        "direction_of_layout": lambda fact: (
            f"direction: {fact['direction']}, as {names(fact)} of {fact['source']} is meant"
        ),
        "rows_out_of_order": lambda fact: (
            f"order: the rows are not in the order of {names(fact)}, which numbers the trials"
        ),
        "names_of_trials": lambda fact: (
            f"trials: {names(fact)} names them; they are numbered in the order of their rows"
        ),
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
            f"{names(fact)}: its values spread evenly over {fact['decades']:.1f} decades, so its "
            "scale is assumed to be logarithmic"
        ),
    }
)


# ---------------------------------------------------------------------- instances


def _instances_repeated(fact: Fact) -> str:
    repeat = "repeats" if fact["count"] == 1 else "repeat"
    return (
        f"instances: {counted(fact['count'], 'row')} {repeat} a configuration on the same "
        "instance; of such rows the mean counts"
    )


add_facts(
    {
        "instances_not_shared": lambda _: (
            "instances: no configuration was evaluated on more than one; if a column is not a "
            "hyperparameter, name those that are in ",
            Option("hyperparameters"),
        ),
        "instances_repeated": _instances_repeated,
    }
)
