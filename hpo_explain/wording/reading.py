"""What readers of runs leave out and assume, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, spans
from hpo_explain.wording._registry import add_facts

_MOST_REASONS = 10
_MOST_VALUES = 10


def names(fact: Fact) -> str:
    """Return what a fact is about, separated by commas."""
    return ", ".join(fact.names)


def trials(fact: Fact) -> str:
    """Return the trials that a fact is about: "2 trials (0, 7)"."""
    return f"{counted(len(fact.trials), 'trial')} ({spans(fact.trials)})"


def separated(parts: Iterable[Text], by: str) -> Text:
    """Return texts with words between them."""
    found: list[Any] = []
    for part in parts:
        found += [*([by] if found else []), *([part] if isinstance(part, str) else part)]
    return tuple(found)


# ---------------------------------------------------------------------- trials that were left out


def _nothing_readable(fact: Fact) -> Text:
    source, found = fact["source"], sorted(fact["reasons"], key=lambda entry: -entry[1])
    reasons = separated([(f"{n} x ", why) for why, n in found[:_MOST_REASONS]], "; ")
    return (
        f"{source} has no trial that can be read: of its {counted(len(fact.trials), 'trial')}, ",
        *reasons,
        ". A run needs a finished trial with a finite value: run more trials, or choose another "
        f"{source}.",
    )


def _not_finite_on_instance(fact: Fact) -> str:
    objective, column = fact.names
    return f"its {objective} is {fact['value']} where {column} is {fact['instance']}"


def _pruned(fact: Fact) -> Text:
    if not fact["readable"]:
        return "pruned"
    return "pruned (", Option("pruned", "last"), " reads the last value it reported)"


def _no_choice(fact: Fact) -> str:
    return f"{names(fact)} = {fact['value']!r} is not one of its choices {list(fact['choices'])!r}"


def _outside_range(fact: Fact) -> str:
    low, high = fact["low"], fact["high"]
    return f"{names(fact)} = {fact['value']!r} is outside its range [{low}, {high}]"


def _off_grid(fact: Fact) -> str:
    low, step = fact["low"], fact["step"]
    return f"{names(fact)} = {fact['value']!r} is not on its grid {low}, {low + step}, ..."


add_facts(
    {
        "nothing_readable": _nothing_readable,
        "failed": "failed",
        "running": "still running",
        "waiting": "waiting to be started",
        "pruned": _pruned,
        "not_finite": lambda fact: f"its {names(fact)} is {fact['value']}",
        "not_finite_on_instance": _not_finite_on_instance,
        "no_choice": _no_choice,
        "no_number": lambda fact: f"{names(fact)} = {fact['value']!r} is not a number",
        "outside_range": _outside_range,
        "off_grid": _off_grid,
    }
)


# ---------------------------------------------------------------------- hyperparameters


def _repeated(fact: Fact) -> str:
    count = fact["count"]
    repeat = "repeats" if count == 1 else "repeat"
    return f"repeated: {counted(count, 'trial')} {repeat} an earlier configuration; each one counts"


def _active_when(fact: Fact) -> Text:
    untried = [(" (", why, " was never tried there and counts as inactive)")
               for why in fact["untried"]]  # fmt: skip
    return (
        f"{names(fact)}: active when ",
        *separated([(rule,) for rule in fact["rules"]], " and "),
        ", inferred from the trials that have it",
        *separated(untried, ""),
    )


def _active_at_frequency(fact: Fact) -> Text:
    how = ""
    if len(fact.names) > 1:
        how = ", all together" if fact["together"] else ", independently of each other"
    share = f"; counts as active at its observed frequency, {fact['share']:.2g}{how}"
    return f"{names(fact)}: ", fact["why"], share


def _partly_explained(fact: Fact) -> Text:
    rules = separated([(rule,) for rule in fact["rules"]], " and ")
    return "inactive unless ", *rules, f", and {_NO_PARENT} explains the rest"


def _listed(values: Sequence[Any]) -> str:
    more = ", ..." if len(values) > _MOST_VALUES else ""
    return ", ".join(map(repr, values[:_MOST_VALUES])) + more


_NO_PARENT = "no category or whole number of another hyperparameter"

add_facts(
    {
        "repeated": _repeated,
        "huge_integers": lambda fact: (
            f"{names(fact)}: integers beyond 2**45 are too many to be told apart; read as "
            "real-valued"
        ),
        "only_left_out": lambda fact: (
            f"{names(fact)}: only in trials that were left out, so not in the space"
        ),
        "active_when": _active_when,
        "active_at_frequency": _active_at_frequency,
        "unexplained_activity": f"{_NO_PARENT} explains which trials have it",
        "partly_explained_activity": _partly_explained,
        "added_midway": lambda fact: f"added at trial {spans(fact.trials)}",
        "dropped_midway": lambda fact: f"dropped at trial {spans(fact.trials)}",
        "parent_equals": lambda fact: f"{names(fact)} = {fact['value']!r}",
        "parent_active": lambda fact: f"{names(fact)} is active",
        "parent_at_least": lambda fact: f"{names(fact)} >= {fact['low']}",
        "parent_between": lambda fact: f"{fact['low']} <= {names(fact)} <= {fact['high']}",
        "parent_among": lambda fact: f"{names(fact)} in {{{_listed(fact['choices'])}}}",
        "never_tried": lambda fact: f"{names(fact)} = {_listed(fact['choices'])}",
    }
)


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
        "measured_by_order",
        "none_is_a_value",
        "orders_like_objective",
        "rows_out_of_order",
        "scale_unclear",
        "set_or_not",
        "different_in_every_row",
        "direction_assumed",
        "empty_cells",
        "hedge",
        "fidelity_level",
        "instances_missing",
        "instances_not_shared",
        "log_scale_guessed",
        "only_left_out",
        "text_of_numbers",
    }
)
"""Kinds of notes on what was assumed about the data, which a user should check: shown first."""
