"""The columns of a table: those with a role of their own, and those that are hyperparameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters._cells import is_time, read_objective, texts_as_numbers
from hpo_explain.adapters.frame._layouts import Known, summary_of_wandb
from hpo_explain.adapters.frame._names import is_index
from hpo_explain.adapters.frame._suspicions import Column, suspicions
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Option, fact
from hpo_explain.base.phrases import abridged
from hpo_explain.space import (
    Bools,
    Parameter,
    SearchSpace,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Roles:
    """The columns with a role of their own, those that the user named and those of the layout.

    Attributes
    ----------
    times : tuple of str
        The column of a time, or of start and finish.
    objective, trial, instance, fidelity, proposed, duration, status : str
        Their columns; empty where there is none.
    """

    times: tuple[str, ...] = ()
    objective: str = ""
    trial: str = ""
    instance: str = ""
    fidelity: str = ""
    proposed: str = ""
    duration: str = ""
    status: str = ""

    @property
    def named(self) -> list[tuple[str, str]]:
        """Each role with its column; start and finish are two."""
        pairs = [(f.name, getattr(self, f.name)) for f in fields(self) if f.name != "times"]
        return [(role, name) for role, name in pairs if name] + [("time", n) for n in self.times]

    @property
    def columns(self) -> list[str]:
        """All columns of the table that have a role."""
        return [name for _, name in self.named]


def read_roles(
    table: pd.DataFrame, known: Known, mentioned: Sequence[str], given: Roles, *, has_levels: bool
) -> Roles:
    """Return the columns with a role: those given, else those of the layout.

    A column that the user mentioned as a hyperparameter has none by its layout, and that of the
    fidelity only if it `has_levels`.

    Raises
    ------
    InputError
        If there is no such column, or one has two roles.
    """
    roles: dict[str, str] = {}
    for argument, name in given.named:
        check_column(argument, name, table)
        if name in roles:
            problem = f"names {name!r}, which {roles[name]} does already"
            raise InputError(argument, problem, name, "Choose another column.")
        roles[name] = argument
    layout = known.layout
    free = {*table.columns} - {*roles, *mentioned}
    if not given.trial and not given.times and not given.instance:
        # not the numbers of several studies
        is_one = layout.number in free and (table[layout.number].is_unique or bool(layout.fidelity))
        if is_one:
            given = replace(given, trial=layout.number)
        elif layout.times and {*layout.times} <= free:
            given = replace(given, times=layout.times)
    if has_levels and layout.fidelity in free and table[layout.fidelity].nunique() > 1:
        given = replace(given, fidelity=layout.fidelity)
    if not given.status and layout.state in free:
        given = replace(given, status=layout.state)
    return given


def times_of(time: object) -> tuple[str, ...]:
    """Return the columns of the times: none, one, or start and finish."""
    names = [*time] if isinstance(time, (list, tuple)) else [time]
    if len(names) > 2:
        problem = f"must name one column, or start and finish, but was {time!r}"
        raise InputError("time", problem, time)
    return tuple(str(name) for name in names if name is not None)


def check_names(argument: str, names: object) -> list[str]:
    """Return names as a list of text; none for None.

    Raises
    ------
    InputError
        If they are no list.
    """
    if names is None:
        return []
    if isinstance(names, str) or not isinstance(names, Iterable):
        problem = f"must be a list of columns, but was {names!r}"
        raise InputError(argument, problem, names, f"Write [{names!r}].")
    return [str(name) for name in names]


def scales_of(
    log: Sequence[str] | None, linear: Sequence[str] | None, names: list[str]
) -> dict[str, bool]:
    """Return whether the user said that the scale of hyperparameters is logarithmic, by name.

    Raises
    ------
    InputError
        If there is no such hyperparameter.
    """
    scales = dict.fromkeys(check_names("log", log), True)
    scales |= dict.fromkeys(check_names("linear", linear), False)
    for name in scales:
        if name not in names:
            raise unknown_name("log" if scales[name] else "linear", name, names, "hyperparameter")
    return scales


def column_called(argument: str, name: str, table: pd.DataFrame) -> str:
    """Return the column of a name, which may lack its prefix: Flops is values_Flops.

    Raises
    ------
    InputError
        If there is none.
    """
    if name in table.columns:
        return name
    ending = re.compile(rf".*[./:_]{re.escape(name)}")
    found = [column for column in table.columns if ending.fullmatch(column)]
    if len(found) == 1:
        return str(found[0])
    raise unknown_name(argument, name, table.columns, "column")


def check_column(argument: str, name: str, table: pd.DataFrame) -> None:
    """Raise InputError unless a table has a column."""
    if name not in table.columns:
        raise unknown_name(argument, name, table.columns, "column")


# ---------------------------------------------------------------------- hyperparameters


@dataclass(frozen=True, eq=False)
class Chosen:
    """The hyperparameters of a table.

    Attributes
    ----------
    names : mapping of str to str
        The name of the hyperparameter of each column.
    given : mapping of str to Parameter
        The hyperparameters that the user described one by one, by name.
    suspicious : mapping of str to str
        The columns that may be none, and why; empty where they are known.
    proposed : sequence of str
        The columns that are hyperparameters most likely.
    """

    names: Mapping[str, str]
    given: Mapping[str, Parameter]
    suspicious: Mapping[str, str]
    proposed: Sequence[str]

    def note(self, space: SearchSpace, table: pd.DataFrame, roles: Roles, source: str) -> Fact:
        """Return a note on what is a hyperparameter and what is not."""
        left_out = [n for n in table.columns if n not in (*self.names, *roles.columns)]
        names = [n for n in self.names.values() if n in space.names]
        known = f" ({source})" if source else ""
        rest = f"; left out: {abridged(left_out)}" if left_out else ""
        return fact(
            f"columns: hyperparameters are {abridged(names)}{known}{rest}; ",
            Option("hyperparameters"),
            " and ",
            Option("ignore"),
            " change them",
            kind="columns",
            role="check",
        )


def choose_columns(
    table: pd.DataFrame,
    known: Known,
    roles: Roles,
    hyperparameters: Sequence[str] | None,
    space: SearchSpace | Sequence[Parameter] | None,
) -> Chosen:
    """Return the columns of the hyperparameters: named, known by a prefix, or all that are left.

    Raises
    ------
    InputError
        If a column is missing, or has another role.
    """
    described = _described(space)
    if isinstance(space, SearchSpace):
        if hyperparameters is not None:
            problem = "cannot be given together with space"
            raise InputError("hyperparameters", problem, hyperparameters, "Leave one out.")
        return Chosen(_columns_of("space", space.names, table, known), {}, {}, [])
    named = _columns_of("space", [*described], table, known)
    if hyperparameters is not None:
        named |= _chosen(table, known, hyperparameters, roles)
        return Chosen(_in_order(table, named), described, {}, [])
    left = [n for n in table.columns if n not in (*roles.columns, *named)]
    if known.names:
        varying = [n for n in left if n in known.names and Column.of(table, n).n_levels > 1]
        settings = {n: known.names[n] for n in varying}
        return Chosen(_in_order(table, named | settings), described, {}, [])
    came_out = summary_of_wandb(known, table, roles.objective)
    columns = [
        Column.of(table, n)
        for n in left
        if not (known.owns(n) or is_index(n)) and n not in (*came_out, known.layout.duration)
    ]
    columns = [c for c in columns if not all(map(is_time, c.present))]
    columns = [c for c in columns if c.n_levels > 1] or columns
    objective = read_objective(table, roles.objective)
    found, proposed = suspicions(columns, objective)
    names = named | {column.name: column.name for column in columns}
    return Chosen(_in_order(table, names), described, found, proposed)


def _in_order(table: pd.DataFrame, names: Mapping[str, str]) -> dict[str, str]:
    return {c: names[c] for c in table.columns if c in names}


def _described(space: object) -> dict[str, Parameter]:
    """Return the hyperparameters that describe single columns, by name."""
    if space is None or isinstance(space, SearchSpace):
        return {}
    listed = isinstance(space, Iterable) and not isinstance(space, str)
    parameters: list[Any] = list(space) if listed else []  # type: ignore[call-overload]
    if not listed or not all(isinstance(p, Parameter) for p in parameters):
        problem = f"must be a SearchSpace, or a list of hyperparameters, but was {space!r}"
        remedy = 'Make one like SearchSpace([FloatParameter("lr", 0.0, 1.0)]), or leave it out.'
        raise InputError("space", problem, space, remedy)
    return {parameter.name: parameter for parameter in parameters}


def _columns_of(
    argument: str, names: Iterable[str], table: pd.DataFrame, known: Known
) -> dict[str, str]:
    """Return the column of each name, which is that of the hyperparameter then."""
    found = {}
    for name in names:
        column = name if name in table.columns else known.column(name)
        check_column(argument, column, table)
        found[column] = name
    return found


def _chosen(
    table: pd.DataFrame, known: Known, hyperparameters: Sequence[str], roles: Roles
) -> dict[str, str]:
    """Return the columns that the user named as hyperparameters."""
    names = check_names("hyperparameters", hyperparameters)
    columns = _columns_of("hyperparameters", names, table, known)
    for column, name in columns.items():
        if column in roles.columns:
            problem = f"names {name!r}, which has another role here"
            raise InputError("hyperparameters", problem, name, "Leave it out.")
    return {column: known.names.get(column, column) for column in columns}


def configurations(
    table: pd.DataFrame, chosen: Chosen, known: Known
) -> tuple[pd.DataFrame, dict[str, Bools]]:
    """Return the cells of the hyperparameters, and where None is a value that was set.

    Returns
    -------
    configs : pandas.DataFrame
        A column per hyperparameter, by its name.
    set_to_none : dict of str to ndarray of bool, shape (n,)
        For each hyperparameter that is None in some row: in which. Known only where the framework
        told settings from what was not set.
    """
    import pandas as pd

    settings = known.settings
    set_to_none: dict[str, Bools] = {}
    columns: dict[str, pd.Series[Any]] = {}
    for column, name in chosen.names.items():
        cells = table[column]
        if any(name in row for row in settings):
            values = [row.get(name) for row in settings]
            cells = pd.Series(values, index=table.index, dtype=object)
            none = np.array([name in row and row[name] is None for row in settings])
            if none.any():
                set_to_none[name] = none
        columns[name] = texts_as_numbers(cells)
    return pd.DataFrame(columns, index=table.index), set_to_none
