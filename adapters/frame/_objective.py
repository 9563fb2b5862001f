"""Which column of a table is most likely its objective, where nobody said it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hpo_explain.adapters.frame import _names as names_of
from hpo_explain.adapters.frame._kinds import (
    SAME_ORDER,
    Column,
    rank_correlation,
)
from hpo_explain.adapters.frame._layouts import OF_SETTINGS
from hpo_explain.base.errors import (
    InputError,
    MissingOptionError,
    Option,
)
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import join_words
from hpo_explain.base.text import declared_fact
from hpo_explain.run.metrics import direction_of, likelier_direction

if TYPE_CHECKING:
    import pandas as pd

_BY_NAME = declared_fact(
    "objective_by_name",
    "objective: {names}, the only column with the name of a metric; {objective=} says otherwise",
)
_OF_VALIDATION = declared_fact(
    "objective_of_validation",
    "objective: {names}, rather than {others}, which is of other data; {objective=} says otherwise",
    others=lambda fact: join_words(fact["others"]),
)
_IN_THE_SAME_ORDER = declared_fact(
    "objective_in_same_order",
    "objective: {names}; by {others} the trials are in nearly the same order; {objective=} says "
    "otherwise",
    others=lambda fact: join_words(fact["others"]),
)
_MOST = 5
_USUAL = names_of.word_set(
    "objective objectives value values target y f score result cost fitness reward metric"
)
_TRAINED = names_of.word_set("train training")
_SPREADS = names_of.word_set("std sd sem var rank")
_BESIDE = _TRAINED | _SPREADS
_EXPENSES = names_of.word_set(
    "flops macs memory cost latency runtime params parameters size"
)
_OF_FOLD = re.compile(r"(split|fold|run|seed|rep)[ _-]?\d+", re.IGNORECASE)
_VALIDATION = names_of.word_set("val valid validation dev cv oob holdout")
_TEST = names_of.word_set("test eval")


def likeliest_objectives(table: pd.DataFrame) -> list[str]:
    """Return the columns of a table that may be its objective, the most likely first.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"lr": [0.1, 0.2], "train_loss": [1.5, 2.5], "val_loss": [1.5, 3.5]})
    >>> likeliest_objectives(table)
    ['val_loss', 'train_loss']
    """
    places = {name: i for i, name in enumerate(table.columns)}
    columns = [Column.of(table, name) for name in table.columns]
    numbers = [column for column in columns if column.numbers is not None]
    varying = [column for column in numbers if column.n_different > 1]
    numbers = varying or numbers
    scores = {column.name: _score(column) for column in numbers}
    likely = [name for name, score in scores.items() if score >= 1.0]
    # objectives stand at the end, where nothing else tells
    likely = likely or [column.name for column in numbers]
    return sorted(likely, key=lambda n: (-scores[n], -places[n]))


def _score(column: Column) -> float:
    """Return how many signs a column has of being the objective."""
    name = column.name
    words = names_of.words_of(name)
    score = 3.0 * bool(_USUAL.intersection(words))
    score += 3.0 * (direction_of(name) is not None)
    score += 2.0 * names_of.is_called_measured(name)
    score += 1.0 * names_of.mentions_measurement(name)
    score += 0.5 * column.is_fine
    score -= 1.0 * bool(_TRAINED.intersection(words))
    score -= 6.0 * bool(_SPREADS.intersection(words))
    score -= 6.0 * names_of.is_called_duration(name)
    score -= 6.0 * names_of.is_called_time(name)
    score -= 2.0 * (_OF_FOLD.search(name) is not None)
    score -= 6.0 * (OF_SETTINGS.match(name) is not None)
    return score - 4.0 * names_of.is_called_number(name, maybe=True)


def guessed_objective(table: pd.DataFrame) -> Fact | None:
    """Return a note whose name is the objective; None where no column, or several may be it.

    Of the columns that are called as metrics are, training losses, durations, standard deviations
    and expenses stand beside one. Of a metric on several data sets, that of validation is meant. Of
    several metrics by which the trials are in nearly the same order, one tells what the others do.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"lr": [0.1, 0.2], "val_loss": [1.5, 2.5], "test_loss": [1.5, 3.5]})
    >>> guessed_objective(table).names
    ('val_loss',)
    """
    columns = {
        name: Column.of(table, name)
        for name in map(str, table.columns)
        if direction_of(name) is not None
        and not _BESIDE.intersection(names_of.words_of(name))
        and not names_of.is_called_duration(name)
        and OF_SETTINGS.match(name) is None
        and _OF_FOLD.search(name) is None
    }
    called = [n for n, column in columns.items() if column.numbers is not None]
    metrics = [name for name in called if not _is_expense(name)] or called
    if len(metrics) == 1:
        return _BY_NAME(names=metrics)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name in metrics:
        kinds.setdefault(_without_data(name), []).append(name)
    best = [min(names, key=_place_of_data) for names in kinds.values()]
    if not best:
        return None
    best.sort(key=lambda name: _score(columns[name]), reverse=True)
    chosen, *others = best
    if not others:
        rest = tuple(name for name in metrics if name != chosen)
        return _OF_VALIDATION(names=[chosen], others=rest)
    agree = all(_agree(columns[chosen], columns[name]) for name in others)
    if not agree:
        return None
    return _IN_THE_SAME_ORDER(names=[chosen], others=tuple(others))


def _is_expense(name: str) -> bool:
    return bool(_EXPENSES.intersection(names_of.words_of(name)))


def _without_data(name: str) -> tuple[str, ...]:
    """Return the words of a metric's name without those of the data that it is computed on."""
    words = names_of.words_of(name)
    return tuple(w for w in words if w not in _VALIDATION | _TEST)


def _place_of_data(name: str) -> int:
    """Return which of the same metric on several data sets comes first: that of validation."""
    words = names_of.words_of(name)
    if _VALIDATION.intersection(words):
        return 0
    return 2 if _TEST.intersection(words) else 1


def _agree(first: Column, second: Column) -> bool:
    """Say whether two metrics put the trials in nearly the same order, the best first."""
    if first.numbers is None or second.numbers is None:
        return False
    correlation = rank_correlation(first.numbers, second.numbers)
    if direction_of(first.name) != direction_of(second.name):
        correlation = -correlation
    return correlation >= SAME_ORDER


def missing_objective(table: pd.DataFrame, *, every: bool) -> InputError:
    """Return the error that the objective was not given, with the columns that may be it.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    every : bool
        Whether all columns are to be listed.
    """
    columns = [*map(str, table.columns)]
    if every:
        problem = f"was asked for: the columns are {', '.join(columns)}"
        choose = ("Choose one, as ", Option("objective", "..."), ".")
        return InputError("objective", problem, None, choose)
    likely = likeliest_objectives(table)[:_MOST]
    problem = "is missing: a table does not say which column it is"
    if not likely:
        return InputError("objective", problem, None, "No column has numbers.")
    more = len(columns) - len(likely)
    others = f"; {more} more: " if more else ""
    listing = (others, Option("objective", "?"), " lists all") if more else ()
    remedy: tuple[str | Option, ...] = (
        f"The likeliest are {', '.join(likely)}",
        *listing,
        ".",
    )
    settled_by = [Option("objective", likely[0])]
    if direction_of(likely[0]) is None:
        way = likelier_direction(likely[0])
        settled_by.append(Option("direction", way))
        unsaid = f" Which way {likely[0]} is better, its name does not say: "
        remedy += (unsaid, Option("direction"), " does.")
    return MissingOptionError("objective", problem, None, remedy, settled_by)
