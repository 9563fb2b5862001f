"""What readers of runs leave out and assume, in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, spans


def names(fact: Fact) -> str:
    """Return what a fact is about, separated by commas."""
    return ", ".join(fact.names)


def trials(fact: Fact) -> str:
    """Return the trials that a fact is about: "2 trials (0, 7)"."""
    return f"{counted(len(fact.trials), 'trial')} ({spans(fact.trials)})"


CAUTIONS = frozenset(
    {
        "active_when",
        "column_empty",
        "nameless_column",
        "row_numbers_left_out",
        "separator",
        "column_of_time_texts",
        "column_of_times",
        "columns_of_layout",
        "direction_doubtful",
        "measured_by_name",
        "none_is_a_value",
        "orders_like_objective",
        "scale_unclear",
        "different_in_every_row",
        "direction_assumed",
        "empty_cells",
        "hedge",
        "fidelity_level",
        "instances_missing",
        "instances_not_shared",
        "log_scale_guessed",
        "only_left_out",
    }
)
"""Kinds of notes on what was assumed about the data, which a user should check: shown first."""
