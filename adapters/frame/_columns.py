"""The columns of a table: those with a role of their own, and those that are hyperparameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.adapters.frame._cells import texts_as_numbers
from hpo_explain.adapters.frame._kinds import Column, rank_correlation
from hpo_explain.adapters.frame._layouts import Layout
from hpo_explain.adapters.frame._objective import missing_objective
from hpo_explain.adapters.frame._taken import Taken, take
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.text import declared_fact
from hpo_explain.space import (
    Array,
    Bools,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
)

if TYPE_CHECKING:
    import pandas as pd

_PARAMETERS = (FloatParameter, IntParameter, CategoricalParameter)
_SAME_ORDER = 0.99  # of the rank correlation with the objective
_SHOWN = 8  # columns of a list; the rest is counted

_WORDS: dict[str, str] = {
    "metric": "measured",
    "copy": "the objective again",
    "derived": "told by another column",
    "constant": "one value",
    "number": "numbers rows",
    "id": "identifies rows",
    "seed": "seeds",
    "time": "times",
    "duration": "durations",
    "status": "states",
    "instance": "instances",
    "fidelity": "budgets",
    "layout": "of the framework",
    "beside": "not in the configuration",
    "empty": "empty",
    "ignored": "ignored",
}
_ROLES: dict[str, str] = {
    "trial": "numbers the trials",
    "status": "says what became of them",
    "instance": "is what is averaged over",
    "fidelity": "is the budget, whose highest level counts",
    "duration": "is how long they took",
}


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {more} more"


def _roles_in_words(fact: Fact) -> str:
    return "".join(
        f"; {column} {_ROLES[role]}" for role, column in fact["roles"]
    )


def _left_out_in_words(fact: Fact) -> str:
    by_kind: dict[str, list[str]] = {}
    for column, kind in fact["left_out"]:
        by_kind.setdefault(kind, []).append(column)
    if not by_kind:
        return ""
    groups = [
        f"{_listed(columns)} ({_WORDS[kind]})"
        for kind, columns in sorted(
            by_kind.items(), key=lambda entry: [*_WORDS].index(entry[0])
        )
    ]
    return f"; left out: {', '.join(groups)}"


_COLUMNS = declared_fact(
    "columns",
    "columns: hyperparameters are {names}{source}{roles}{left_out}; {hyperparameters=} and "
    "{ignore=} settle it",
    names=lambda fact: _listed(fact.names),
    source=lambda fact: fact["source"] and f" ({fact['source']})",
    roles=_roles_in_words,
    left_out=_left_out_in_words,
)
_BY_ORDER = declared_fact(
    "orders_like_objective",
    "{names}: its rank correlation with the objective is {correlation:.3f}; if it was measured, "
    "not set, leave it out with {ignore=}",
)


@dataclass(frozen=True)
class Roles:
    """The columns with a role of their own, those that the user named and those of the layout.

    Attributes
    ----------
    objective : str
        The objective.
    trial, instance, fidelity, proposed, duration, status : str
        Their columns; empty where there is none.
    times : tuple of str
        The column of a time, or of start and finish.
    """

    objective: str
    trial: str = ""
    instance: str = ""
    fidelity: str = ""
    proposed: str = ""
    duration: str = ""
    status: str = ""
    times: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All columns of the table that have a role."""
        found = [
            getattr(self, f.name) for f in fields(self) if f.name != "times"
        ]
        return [*filter(None, found), *self.times]


def read_roles(
    table: pd.DataFrame,
    layout: Layout | None,
    mentioned: Sequence[str],
    asked: Mapping[str, Any],
    guessed: Fact | None,
) -> Roles:
    """Return the columns with a role: those given, else those of the layout.

    The objective that was guessed counts where neither is there.

    A column that the user mentioned as a hyperparameter has none by its layout.

    Raises
    ------
    InputError
        If there is no such column, or one has two roles, or the objective is not known.
    """
    named = {
        role: ""
        if name is None or (role == "fidelity" and isinstance(name, bool))
        else str(name)
        for role, name in asked.items()
        if role not in ("objective", "time", "proposed")
    }
    proposed = asked["proposed"] if isinstance(asked["proposed"], str) else ""
    objective, times = (
        _objective(table, layout, asked["objective"], guessed),
        _times(table, asked["time"]),
    )
    given = Roles(objective, proposed=proposed, times=times, **named)
    _check(table, given)
    if layout is None:
        return given
    free = {*table.columns} - {*given.columns, *mentioned}
    if not given.trial and not given.times and not given.instance:
        if layout.number in free:
            given = replace(given, trial=layout.number)
        elif {*layout.times} <= free:
            given = replace(given, times=layout.times)
    if asked["fidelity"] is None and layout.fidelity in free:
        given = replace(given, fidelity=layout.fidelity)
    return given


def _objective(
    table: pd.DataFrame,
    layout: Layout | None,
    given: object,
    guessed: Fact | None,
) -> str:
    if given is None or given == "?":
        if given is None and layout is not None and layout.objective:
            return layout.objective
        if guessed is not None:
            return guessed.names[0]
        raise missing_objective(table, every=given is not None)
    name = str(given)
    if layout is not None and name in layout.metrics:
        return layout.metrics[name]
    return column_called("objective", name, table)


def _times(table: pd.DataFrame, time: object) -> tuple[str, ...]:
    """Return the columns of the times: none, one, or start and finish."""
    if time is None:
        return ()
    # a tuple may be the name of one column
    if not isinstance(time, (list, tuple)) or str(time) in table.columns:
        return (str(time),)
    if len(time) > 2:
        problem = (
            f"must name one column, or start and finish, but was {time!r}"
        )
        raise InputError("time", problem, time)
    return tuple(str(name) for name in time)


def _check(table: pd.DataFrame, given: Roles) -> None:
    """Raise unless every column is there and has one role."""
    roles: dict[str, str] = {}
    times = [("time", name) for name in given.times]
    first = [("objective", given.objective), ("trial", given.trial), *times]
    rest = ("instance", "fidelity", "proposed", "duration", "status")
    for argument, name in [
        *first,
        *((role, getattr(given, role)) for role in rest),
    ]:
        if not name:
            continue
        check_column(argument, name, table)
        if name in roles:
            problem = f"names {name!r}, which {roles[name]} does already"
            raise InputError(argument, problem, name, "Choose another column.")
        roles[name] = argument


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
    """What the columns of a table were taken for.

    Attributes
    ----------
    names : mapping of str to str
        The name of the hyperparameter of each column.
    roles : Roles
        The columns with a role, those that were recognized included.
    left_out : mapping of str to str
        The kind of each other column.
    given : mapping of str to Parameter
        The hyperparameters that the user described one by one, by name.
    source : str
        What told the hyperparameters; empty for the columns themselves.
    notes : sequence of Fact
        Which of them are in doubt.
    """

    names: Mapping[str, str]
    roles: Roles
    left_out: Mapping[str, str]
    given: Mapping[str, Parameter]
    source: str = ""
    notes: Sequence[Fact] = ()

    def named_in(
        self, space: SearchSpace, given: Roles, ignored: Sequence[str]
    ) -> list[Fact]:
        """Return the notes, which name the hyperparameters that turned out to be so.

        Parameters
        ----------
        space : SearchSpace
            The space.
        given : Roles
            The roles that the user gave, of which no note is needed.
        ignored : sequence of str
            Columns that the user left out.
        """
        recognized = tuple(
            (role, column)
            for role in _ROLES
            if (column := getattr(self.roles, role))
            and column not in given.columns
        )
        about = _COLUMNS(
            names=[n for n in self.names.values() if n in space.names],
            source=self.source,
            roles=recognized,
            left_out=(
                *self.left_out.items(),
                *((name, "ignored") for name in ignored),
            ),
        )
        return [about, *self.notes]


def choose_columns(
    table: pd.DataFrame,
    layout: Layout | None,
    roles: Roles,
    hyperparameters: Sequence[str] | None,
    space: SearchSpace | Sequence[Parameter] | None,
    objective: Array,
    without: Collection[str] = (),
) -> Chosen:
    """Return the columns of the hyperparameters, and what the others were taken for.

    Raises
    ------
    InputError
        If a column is missing, or has another role.
    """
    described = _described(space)
    if isinstance(space, SearchSpace) and hyperparameters is not None:
        problem = "cannot be given together with space"
        raise InputError(
            "hyperparameters", problem, hyperparameters, "Leave one out."
        )
    names = [*space.names] if isinstance(space, SearchSpace) else [*described]
    named = _columns_of("space", names, table, layout)
    is_named = isinstance(space, SearchSpace)
    if hyperparameters is not None:
        named |= _chosen(table, layout, hyperparameters, roles)
        is_named = True
    others = () if layout is None else layout.others
    of_framework = layout is not None and not layout.is_generic
    left = [
        name
        for name in table.columns
        if name not in roles.columns and name not in named
    ]
    settings: dict[str, str] = {}
    if layout is not None and layout.names is not None and not is_named:
        short = _short(layout, table)
        settings = {name: short[name] for name in left if name in short}
    beside = {name for name in others if of_framework}
    open_ = [
        name for name in left if name not in settings and name not in beside
    ]
    taken = take(
        table,
        objective,
        named=[*named],
        settings=[*settings],
        candidates=open_,
        is_complete=is_named or bool(settings),
        without=without,
    )
    roles = _with_recognized(roles, taken, layout)
    candidates = {n: settings.get(n, n) for n in taken.hyperparameters}
    chosen = named | candidates
    names_ = {c: chosen[c] for c in table.columns if c in chosen}
    left_out = {
        **dict.fromkeys((n for n in left if n in beside), "layout"),
        **taken.left_out,
    }
    left_out = {n: k for n, k in left_out.items() if n not in roles.columns}
    doubtful = () if is_named or settings else [*candidates]
    notes = _in_doubt(table, doubtful, objective)
    source = "" if layout is None or is_named else layout.source
    return Chosen(names_, roles, left_out, described, source, notes)


def _with_recognized(
    roles: Roles, taken: Taken, layout: Layout | None
) -> Roles:
    """Return roles with those that columns were recognized to have, where they are free."""
    found = dict(taken.roles)
    if layout is not None and layout.state:
        found.pop("status", None)
    if layout is not None and layout.duration:
        found.pop("duration", None)
    if roles.trial or roles.times:
        found.pop("trial", None)
    free: dict[str, Any] = {
        role: column
        for role, column in found.items()
        if not getattr(roles, role)
    }
    return replace(roles, **free)


def _in_doubt(
    table: pd.DataFrame, names: Sequence[str], objective: Array
) -> list[Fact]:
    """Return notes on numbers in the order of the objective."""
    notes = []
    for name in names:
        column = Column.of(table, name)
        if column.numbers is None or column.n_different < 0.9 * len(table):
            continue
        correlation = rank_correlation(column.numbers, objective)
        if abs(correlation) >= _SAME_ORDER:
            notes.append(_BY_ORDER(names=[name], correlation=correlation))
    return notes


def _described(space: object) -> dict[str, Parameter]:
    """Return the hyperparameters that describe single columns, by name."""
    if space is None or isinstance(space, SearchSpace):
        return {}
    listed = isinstance(space, Iterable) and not isinstance(space, str)
    parameters: list[Any] = list(space) if listed else []  # type: ignore[call-overload]
    if not listed or not all(isinstance(p, _PARAMETERS) for p in parameters):
        problem = f"must be a SearchSpace, or a list of hyperparameters, but was {space!r}"
        remedy = 'Make one like SearchSpace([FloatParameter("lr", 0.0, 1.0)]), or leave it out.'
        raise InputError("space", problem, space, remedy)
    return {parameter.name: parameter for parameter in parameters}


def _columns_of(
    argument: str,
    names: Iterable[str],
    table: pd.DataFrame,
    layout: Layout | None,
) -> dict[str, str]:
    """Return the column of each name, which is that of the hyperparameter then."""
    found = {}
    for name in names:
        column = (
            name
            if layout is None or name in table.columns
            else layout.column(name)
        )
        check_column(argument, column, table)
        found[column] = name
    return found


def _short(layout: Layout, table: pd.DataFrame) -> dict[str, str]:
    """Return names without their prefix, but with it where two columns would have the same."""
    names = dict(layout.names or {})
    twice = [
        name for name in names.values() if list(names.values()).count(name) > 1
    ]
    return {
        column: column if name in twice else name
        for column, name in names.items()
    }


def _chosen(
    table: pd.DataFrame,
    layout: Layout | None,
    hyperparameters: Sequence[str],
    roles: Roles,
) -> dict[str, str]:
    """Return the columns that the user named as hyperparameters."""
    one = (
        isinstance(hyperparameters, str)
        or str(hyperparameters) in table.columns
    )
    if one or not isinstance(hyperparameters, Iterable):
        problem = f"must be a list of columns, but was {hyperparameters!r}"
        remedy = f"Write [{hyperparameters!r}]."
        raise InputError("hyperparameters", problem, hyperparameters, remedy)
    names = [str(name) for name in hyperparameters]
    short = {} if layout is None else _short(layout, table)
    found: dict[str, str] = {}
    for name in names:
        column = next(
            iter(_columns_of("hyperparameters", [name], table, layout))
        )
        if column in roles.columns:
            problem = f"names {name!r}, which has another role here"
            raise InputError("hyperparameters", problem, name, "Leave it out.")
        if column in found:
            problem = f"must name different columns, but was {names}: {name!r} is given twice"
            raise InputError(
                "hyperparameters", problem, names, "Name it once."
            )
        found[column] = short.get(column, column)
    return found


def configurations(
    table: pd.DataFrame, chosen: Chosen, layout: Layout | None
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

    settings = None if layout is None else layout.settings
    set_to_none: dict[str, Bools] = {}
    columns: dict[str, pd.Series[Any]] = {}
    for column, name in chosen.names.items():
        cells = table[column]
        if settings is not None and any(name in row for row in settings):
            values = [row.get(name) for row in settings]
            cells = pd.Series(values, index=table.index, dtype=object)
            none = np.array(
                [name in row and row[name] is None for row in settings]
            )
            if none.any():
                set_to_none[name] = none
        columns[name] = texts_as_numbers(cells)
    return pd.DataFrame(columns, index=table.index), set_to_none
