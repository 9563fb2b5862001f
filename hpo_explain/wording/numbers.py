"""Numbers in words; they stand in `hpo_explain.base.numbers`."""

from hpo_explain.base.numbers import (
    format_level,
    format_value,
    number,
    percent,
    plus_minus,
    signed,
    values_in_words,
)

__all__ = [
    "format_level",
    "format_value",
    "number",
    "percent",
    "plus_minus",
    "signed",
    "values_in_words",
]
