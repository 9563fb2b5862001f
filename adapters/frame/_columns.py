"""The columns of a table that are hyperparameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.adapters.frame._leaks import without_measured
from hpo_explain.adapters.frame._number_text import texts_as_numbers
from hpo_explain.adapters.frame._roles import Roles, check_column
from hpo_explain.adapters.frame.layouts import Layout
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
)

if TYPE_CHECKING:
    import pandas as pd

_PARAMETERS = (FloatParameter, IntParameter, CategoricalParameter)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The columns of the hyperparameters, and what these are called.

    Attributes
    ----------
    names : mapping of str to str
        The name of the hyperparameter of each column.
    sure : bool
        Whether the user or the layout named them, rather than that they were left.
    notes : list of Fact
        What was assumed.
    given : mapping of str to Parameter
        The hyperparameters that the user described one by one, by name.
    about : Fact or None
        The note that names the hyperparameters, where more may turn out to be none.
    """

    names: Mapping[str, str]
    sure: bool
    notes: list[Fact] = field(default_factory=list)
    given: Mapping[str, Parameter] = field(default_factory=dict)
    about: Fact | None = None


def choose_columns(
    table: pd.DataFrame,
    layout: Layout | None,
    roles: Roles,
    hyperparameters: Sequence[str] | None,
    space: SearchSpace | Sequence[Parameter] | None,
    objective: Array,
) -> Chosen:
    """Return the columns of the hyperparameters.

    Raises
    ------
    InputError
        If a column is missing, or has another role.
    """
    given = _described(space)
    if isinstance(space, SearchSpace):
        if hyperparameters is not None:
            problem = "cannot be given together with space"
            raise InputError("hyperparameters", problem, hyperparameters, "Leave one out.")
        return Chosen(_columns_of("space", space.names, table, layout), sure=True)
    columns = _columns_of("space", list(given), table, layout)
    if hyperparameters is not None:
        named = _chosen(table, layout, hyperparameters, roles)
        return Chosen(columns | named, sure=True, given=given)
    others = () if layout is None else layout.others
    left = [c for c in table.columns if c not in roles.columns and c not in others]
    if layout is not None and layout.names is not None:
        short = _short(layout, table)
        named = {column: short[column] for column in left if column in short}
        note = fact(
            "columns_of_layout",
            names=named.values(),
            source=layout.source,
            left_out=tuple(c for c in table.columns if c not in [*named, *roles.columns]),
        )
        return Chosen(columns | named, sure=True, notes=[note], given=given)
    left = [column for column in left if column not in columns]
    kept, notes = without_measured(table, left, objective)
    kept = [c for c in table.columns if c in kept or c in columns]
    names = {c: columns.get(c, c) for c in kept}
    if layout is None:
        about = fact("every_other_column", names=names.values())
    else:
        out = tuple(c for c in table.columns if c not in [*names, *roles.columns])
        about = fact("columns_of_layout", names=names.values(), source=layout.source, left_out=out)
    return Chosen(names, sure=False, notes=[about, *notes], given=given, about=about)


def _described(space: object) -> dict[str, Parameter]:
    """Return the hyperparameters that describe single columns, by name."""
    if space is None or isinstance(space, SearchSpace):
        return {}
    listed = isinstance(space, Iterable) and not isinstance(space, str)
    parameters: list[Any] = list(space) if listed else []  # type: ignore[call-overload]
    if not listed or not all(isinstance(p, _PARAMETERS) for p in parameters):
        raise InputError(
            "space",
            f"must be a SearchSpace, or a list of hyperparameters, but was {space!r}",
            space,
            'Make one like SearchSpace([FloatParameter("lr", 0.0, 1.0)]), or leave it out: it '
            "is then inferred.",
        )
    return {parameter.name: parameter for parameter in parameters}


def _columns_of(
    argument: str, names: Iterable[str], table: pd.DataFrame, layout: Layout | None
) -> dict[str, str]:
    """Return the column of each name, which is that of the hyperparameter then."""
    found = {}
    for name in names:
        column = name if layout is None or name in table.columns else layout.column(name)
        check_column(argument, column, table)
        found[column] = name
    return found


def _short(layout: Layout, table: pd.DataFrame) -> dict[str, str]:
    """Return names without their prefix, but with it where two columns would have the same."""
    names = dict(layout.names or {})
    twice = [name for name in names.values() if list(names.values()).count(name) > 1]
    return {column: column if name in twice else name for column, name in names.items()}


def _chosen(
    table: pd.DataFrame, layout: Layout | None, hyperparameters: Sequence[str], roles: Roles
) -> dict[str, str]:
    """Return the columns that the user named as hyperparameters."""
    one = isinstance(hyperparameters, str) or str(hyperparameters) in table.columns
    if one or not isinstance(hyperparameters, Iterable):
        raise InputError(
            "hyperparameters",
            f"must be a list of columns, but was {hyperparameters!r}",
            hyperparameters,
            f"Write [{hyperparameters!r}].",
        )
    names = [str(name) for name in hyperparameters]
    short = {} if layout is None else _short(layout, table)
    found: dict[str, str] = {}
    for name in names:
        column = next(iter(_columns_of("hyperparameters", [name], table, layout)))
        if column in roles.columns:
            problem = f"names {name!r}, which has another role here"
            raise InputError("hyperparameters", problem, name, "Leave it out.")
        if column in found:
            problem = f"must name different columns, but was {names}: {name!r} is given twice"
            raise InputError("hyperparameters", problem, names, "Name it once.")
        found[column] = short.get(column, column)
    return found


def configurations(
    table: pd.DataFrame, chosen: Chosen, layout: Layout | None
) -> tuple[pd.DataFrame, dict[str, npt.NDArray[np.bool_]]]:
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
    set_to_none: dict[str, npt.NDArray[np.bool_]] = {}
    columns: dict[str, pd.Series[Any]] = {}
    for column, name in chosen.names.items():
        cells = table[column]
        if settings is not None and any(name in row for row in settings):
            values = [row.get(name) for row in settings]
            cells = pd.Series(values, index=table.index, dtype=object)
            none = np.array([name in row and row[name] is None for row in settings])
            if none.any():
                set_to_none[name] = none
        columns[name] = texts_as_numbers(cells)
    return pd.DataFrame(columns, index=table.index), set_to_none
