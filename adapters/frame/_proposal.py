"""What a table is proposed to be where its owner has not said it, as one command to copy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import word_set
from hpo_explain.adapters.frame._columns import Chosen, Roles
from hpo_explain.adapters.frame._layouts import OF_SETTINGS
from hpo_explain.adapters.frame._names import called, is_measured, words_of
from hpo_explain.adapters.frame._suspicions import Column
from hpo_explain.base.errors import InputError, MissingOptionError
from hpo_explain.base.facts import Option
from hpo_explain.base.options import Direction
from hpo_explain.run.metrics import direction_of, likelier_direction

if TYPE_CHECKING:
    import pandas as pd

_MOST = 5  # columns that are named as likely objectives
_USUAL = word_set(
    "objective objectives value values target y f score result results cost fitness reward metric "
    "return returns"
)
_TRAINED = word_set("train training")
_EXPENSES = word_set("flops macs memory latency params parameters size")
_TEST = word_set("test eval")
_SPREADS = word_set("std sd sem var rank")
_OF_FOLD = re.compile(r"(split|fold|run|seed|rep)[ _-]?\d+", re.IGNORECASE)
_UNIT = re.compile(r"\s*\([^)]*\)\s*$")


def likeliest_objectives(table: pd.DataFrame, roles: Roles) -> list[str]:
    """Return the columns of a table that may be its objective, the most likely first.

    Raises
    ------
    InputError
        If no column has numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"lr": [0.1, 0.2], "train_loss": [1.5, 2.5], "val_loss": [1.5, 3.5]})
    >>> likeliest_objectives(table, Roles())
    ['val_loss', 'train_loss']
    """
    others = {*roles.columns} - {roles.objective}
    columns = [Column.of(table, n) for n in table.columns if n not in others]
    numbers = [c for c in columns if c.is_numeric]
    varying = [c for c in numbers if c.n_levels > 1] or numbers
    places = {column.name: i for i, column in enumerate(varying)}
    most = max((len(column.present) for column in varying), default=0)
    if not varying:
        problem = "has no column of numbers, of which one could be the objective"
        raise InputError("frame", problem, None, "Give a row of names, then a row for each trial.")
    scores = {column.name: _score(column, most) for column in varying}
    likely = [name for name, score in scores.items() if score >= 1.0]
    return sorted(likely or scores, key=lambda n: (-scores[n], -places[n]))


def _score(column: Column, most: int) -> float:
    """Return how many signs a column has of being the objective, beside one with `most` rows."""
    name = _UNIT.sub("", column.name)
    words = words_of(name)
    loss = "loss" in words and bool((np.nan_to_num(column.numbers) <= 0).all())
    score = 3.0 * bool(_USUAL.intersection(words))
    score += 3.0 * bool(direction_of(name))
    score += 1.0 * is_measured(name)
    score += 0.5 * column.differs
    score -= 1.0 * bool(_TRAINED.intersection(words))
    score -= 0.5 * bool(_TEST.intersection(words))
    score -= 2.0 * bool(_EXPENSES.intersection(words))
    score -= 2.0 * bool(_OF_FOLD.search(name))
    score -= 6.0 * bool(_SPREADS.intersection(words))
    score -= 6.0 * bool(OF_SETTINGS.match(name))
    score -= 6.0 * (called(name) not in ("", "a metric"))
    score -= 6.0 * (2 * len(column.present) < most)
    return score - 6.0 * loss  # a loss of money in trades


def likely_direction(table: pd.DataFrame, name: str) -> Direction:
    """Return which way a column is more often better: percentages are maximized."""
    known = direction_of(_UNIT.sub("", name))
    if known:
        return known
    texts = [cell for cell in table[name].tolist() if isinstance(cell, str)]
    in_percent = "%" in name or any(cell.strip().endswith("%") for cell in texts)
    return "maximize" if in_percent else likelier_direction(_UNIT.sub("", name))


@dataclass(frozen=True, eq=False)
class Missing:
    """What has to be said of a table.

    Attributes
    ----------
    table : pandas.DataFrame
        The table.
    roles : Roles
        The columns with a role, of which the objective may be proposed.
    is_known : bool
        Whether it is known.
    direction : {"minimize", "maximize"}, optional
        Which way it is better, if that is known.
    chosen : Chosen
        The hyperparameters, and which of them are suspicious.
    """

    table: pd.DataFrame
    roles: Roles
    is_known: bool
    direction: Direction | None
    chosen: Chosen

    def error(self) -> InputError:
        """Return the error that asks for all that is missing, with what would do."""
        objective = self.roles.objective
        way = self.direction or likely_direction(self.table, objective)
        settled = [] if self.is_known else [Option("objective", objective)]
        if not self.direction:
            settled.append(Option("direction", way))
        if self.chosen.suspicious:
            named = [*self.chosen.proposed]
            settled.append(Option("hyperparameters", named))
        remedy: list[Any] = ["Give "]
        for option in settled:
            remedy += [option, ", "]
        remedy[-1] = "."
        if not self.is_known:
            _, *others = likeliest_objectives(self.table, self.roles)
            if others:
                listed = ", ".join(others[:_MOST])
                remedy.append(f" Other objectives may be {listed}.")
        for name, why in self.chosen.suspicious.items():
            taken = "read" if name in self.chosen.proposed else "left out"
            remedy.append(f" {name} {why}: {taken} so.")
        return MissingOptionError(*self._problem(), None, tuple(remedy), settled)

    def _problem(self) -> tuple[str, str]:
        if not self.is_known:
            return "objective", "is missing: a table does not say which column it is"
        if not self.direction:
            name = self.roles.objective
            problem = f"was not given, and the name {name!r} does not say which way is better"
            return "direction", problem
        names = ", ".join(self.chosen.suspicious)
        return "hyperparameters", f"must be given, as {names} may be none"
