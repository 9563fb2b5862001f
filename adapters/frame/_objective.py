"""Which column of a table is most likely its objective, where nobody said it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_explain.adapters.frame import _names as names_of
from hpo_explain.adapters.frame._kinds import Column
from hpo_explain.base.errors import (
    InputError,
    MissingOptionError,
    Option,
)
from hpo_explain.base.text import declared_fact
from hpo_explain.run.metrics import direction_of

if TYPE_CHECKING:
    import pandas as pd

OBJECTIVE_BY_NAME = declared_fact(
    "objective_by_name",
    "objective: {names}, the only column with the name of a metric; {objective=} says otherwise",
)
_MOST = 5
_USUAL = names_of.word_set(
    "objective objectives value values target y f score result cost fitness reward metric"
)
_BESIDE = names_of.word_set("train training std sd sem var")
_TRAINED = names_of.word_set("train training")


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
    words = names_of.words_of(column.name)
    score = 3.0 * bool(_USUAL.intersection(words))
    score += 3.0 * (direction_of(column.name) is not None)
    score += 2.0 * names_of.is_called_measured(column.name)
    score += 1.0 * names_of.mentions_measurement(column.name)
    score += 0.5 * column.is_fine
    score -= 1.0 * bool(_TRAINED.intersection(words))
    score -= 4.0 * names_of.is_called_duration(column.name)
    return score - 4.0 * names_of.is_called_number(column.name, maybe=True)


def only_objective(table: pd.DataFrame) -> str:
    """Return the only column that is called as a metric is; empty where there are none or several.

    Training losses, durations and standard deviations stand beside one.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"lr": [0.1, 0.2], "train_loss": [1.5, 2.5], "val_loss": [1.5, 3.5]})
    >>> only_objective(table)
    'val_loss'
    """
    found = [
        name
        for name in map(str, table.columns)
        if direction_of(name) is not None
        and not _BESIDE.intersection(names_of.words_of(name))
        and not names_of.is_called_duration(name)
        and Column.of(table, name).numbers is not None
    ]
    return found[0] if len(found) == 1 else ""


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
        remedy = ("Choose one, as ", Option("objective", "..."), ".")
        return InputError("objective", problem, None, remedy)
    likely = likeliest_objectives(table)[:_MOST]
    problem = "is missing: a table does not say which column it is"
    if not likely:
        return InputError("objective", problem, None, "No column has numbers.")
    more = len(columns) - len(likely)
    others = f"; {more} more: " if more else ""
    listing = (others, Option("objective", "?"), " lists all") if more else ()
    remedy = (f"The likeliest are {', '.join(likely)}", *listing, ".")
    settled_by = [Option("objective", likely[0])]
    if direction_of(likely[0]) is None:
        settled_by.append(Option("direction", "minimize"))
    return MissingOptionError("objective", problem, None, remedy, settled_by)
