"""The columns of a table that have another role than that of a hyperparameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from hpo_explain.adapters.frame.layouts import Layout
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError, Option

if TYPE_CHECKING:
    import pandas as pd


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
        """All of them."""
        found = [getattr(self, f.name) for f in fields(self) if f.name != "times"]
        return [*filter(None, found), *self.times]


def read_roles(
    table: pd.DataFrame,
    layout: Layout | None,
    mentioned: Sequence[str],
    *,
    objective: str | None,
    trial: str | None,
    time: object,
    instance: str | None,
    fidelity: str | bool | None,
    proposed: object,
    duration: str | None,
    status: str | None,
) -> Roles:
    """Return the columns with a role: those given, else those of the layout.

    A column that the user mentioned as a hyperparameter has none by its layout.

    Raises
    ------
    InputError
        If there is no such column, or one has two roles, or the objective is not known.
    """
    given = Roles(
        _objective(table, layout, objective),
        _named(trial),
        _named(instance),
        "" if isinstance(fidelity, bool) else _named(fidelity),
        proposed if isinstance(proposed, str) else "",
        _named(duration),
        _named(status),
        _times(table, time),
    )
    _check(table, given)
    if layout is None:
        return given
    free = {*table.columns} - {*given.columns, *mentioned}
    if not given.trial and not given.times and not given.instance:
        if layout.number in free:
            given = replace(given, trial=layout.number)
        elif {*layout.times} <= free:
            given = replace(given, times=layout.times)
    if fidelity is None and layout.fidelity in free:
        given = replace(given, fidelity=layout.fidelity)
    return given


def _named(column: object) -> str:
    return "" if column is None else str(column)


def _objective(table: pd.DataFrame, layout: Layout | None, given: object) -> str:
    if given is None:
        if layout is not None and layout.objective:
            return layout.objective
        columns = ", ".join(table.columns[:30])
        raise InputError(
            "objective",
            "is missing: a table does not say which column it is",
            remedy=("Add ", Option("objective", "..."), f"; the columns are {columns}."),
        )
    name = str(given)
    if name not in table.columns and layout is not None:
        return layout.metrics.get(name, name)
    return name


def _times(table: pd.DataFrame, time: object) -> tuple[str, ...]:
    """Return the columns of the times: none, one, or start and finish."""
    if time is None:
        return ()
    # a tuple may be the name of one column
    if not isinstance(time, (list, tuple)) or str(time) in table.columns:
        return (str(time),)
    if len(time) > 2:
        raise InputError(
            "time", f"must name one column, or start and finish, but was {time!r}", time
        )
    return tuple(str(name) for name in time)


def _check(table: pd.DataFrame, given: Roles) -> None:
    """Raise unless every column is there and has one role."""
    roles: dict[str, str] = {}
    for argument, name in _arguments(given):
        check_column(argument, name, table)
        if name in roles:
            problem = f"names {name!r}, which {roles[name]} does already"
            raise InputError(argument, problem, name, "Choose another column.")
        roles[name] = argument


def _arguments(given: Roles) -> Iterable[tuple[str, str]]:
    yield "objective", given.objective
    if given.trial:
        yield "trial", given.trial
    for name in given.times:
        yield "time", name
    for argument in ("instance", "fidelity", "proposed", "duration", "status"):
        if name := getattr(given, argument):
            yield argument, name


def check_column(argument: str, name: str, table: pd.DataFrame) -> None:
    """Raise InputError unless a table has a column."""
    if name not in table.columns:
        raise unknown_name(argument, name, table.columns, "column")
