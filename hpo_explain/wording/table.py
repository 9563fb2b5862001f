"""What is found in a table's file, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.wording._registry import add_facts


def _separator(fact: Fact) -> str:
    decimals = ", and numbers have decimal commas" if fact["decimal_commas"] else ""
    return f"table: its columns are separated by {fact['separator']}{decimals}"


def _nameless_column(fact: Fact) -> Text:
    text = f"{fact.names[0]}: a column with no name, read like the others; "
    return (text, Option("hyperparameters"), " chooses")


add_facts(
    {
        "separator": _separator,
        "row_numbers_left_out": lambda fact: (
            f"{fact.names[0]}: left out, a column with no name that numbers the rows"
        ),
        "nameless_column": _nameless_column,
    }
)
