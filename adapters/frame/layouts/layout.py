"""What the columns of a framework's table are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction

if TYPE_CHECKING:
    import pandas as pd


def _unknown(_: str) -> Direction | None:
    return None


def _nothing(_: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, eq=False)
class Layout:
    """What the columns of a framework's table are.

    Attributes
    ----------
    source : str
        What wrote the table, as in "Optuna's trials_dataframe".
    names : mapping of str to str, optional
        The columns of the hyperparameters, and what these are called without their prefix; None
        where nothing tells them from the columns of metrics.
    others : collection of str
        Columns that are no hyperparameters.
    metrics : mapping of str to str
        Short names of metrics, and their columns.
    number : str
        The column of the trials' numbers; empty if there is none.
    times : tuple of str
        The column of a time that orders the rows, or those of start and finish.
    state : str
        The column that says which rows have a result; empty if there is none.
    stopped : mapping of int to Fact
        The rows without a result, and why.
    fidelity : str
        The column of the fidelity; empty if there is none.
    duration : str
        The column of how long a trial took, if the table has it; empty if there is none.
    objective : str
        The column of the objective, where there is only one; else empty.
    direction : callable
        Returns which way a column is better; None where that is not known.
    folds : callable
        Returns the columns with the values of an objective on each fold.
    settings : list of dict, optional
        The configuration of each row as the framework had it: what it lacks is inactive, and None
        is a value.
    proposed : list of bool, optional
        Whether a model chose each row; None where that is not recorded.
    optimizer : str
        What ran the optimization; empty where that is not known.
    """

    source: str
    names: Mapping[str, str] | None
    others: Collection[str] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    number: str = ""
    times: tuple[str, ...] = ()
    state: str = ""
    stopped: Mapping[int, Fact] = field(default_factory=dict)
    fidelity: str = ""
    duration: str = ""
    objective: str = ""
    direction: Callable[[str], Direction | None] = _unknown
    folds: Callable[[str], tuple[str, ...]] = _nothing
    settings: list[Mapping[str, Any]] | None = None
    proposed: list[bool] | None = None
    optimizer: str = ""

    def column(self, name: str) -> str:
        """Return the column that a name without its prefix stands for, else the name itself."""
        for column, short in (self.names or {}).items():
            if short == name:
                return column
        return self.metrics.get(name, name)


def without(prefix: str, table: pd.DataFrame) -> dict[str, str]:
    """Return the columns that have a prefix, and their names without it."""
    return {
        name: name.removeprefix(prefix)
        for name in map(str, table.columns)
        if name.startswith(prefix) and name != prefix
    }


def stopped_rows(table: pd.DataFrame, state: str, reasons: Mapping[str, Fact]) -> dict[int, Fact]:
    """Return the rows that a column of states says have no result, and why."""
    states = map(str, table[state].tolist())
    return {row: reasons[name] for row, name in enumerate(states) if name in reasons}


def varies(table: pd.DataFrame, name: str) -> bool:
    """Say whether a table has a column with different values."""
    return name in table.columns and table[name].nunique() > 1
