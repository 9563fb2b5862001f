"""The columns of a table: those with a role of their own, and those that are hyperparameters.

A table does not say which of its columns were set and which came out. Numbers with a name of
nothing but words of measurement, such as train_loss, were measured; those in the order of the
objective are pointed out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from hpo_explain.adapters.frame._cells import (
    as_float,
    is_empty,
    is_number,
    texts_as_numbers,
)
from hpo_explain.adapters.frame._layouts import Layout
from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError, Option
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
_MEASURED = frozenset(
    (
        "loss",
        "acc",
        "accuracy",
        "auc",
        "auroc",
        "auprc",
        "f1",
        "score",
        "rmse",
        "mse",
        "mae",
        "mape",
        "r2",
        "logloss",
        "nll",
        "perplexity",
        "ppl",
        "bleu",
        "rouge",
        "iou",
        "dice",
        "precision",
        "recall",
        "reward",
        "error",
        "err",
        "objective",
        "metric",
        "fitness",
        "regret",
        "runtime",
        "duration",
        "elapsed",
        "latency",
        "throughput",
        "time",
        "timestamp",
        "walltime",
    )
)
_OF_WHAT = frozenset(
    (
        "train",
        "training",
        "val",
        "valid",
        "validation",
        "test",
        "eval",
        "dev",
        "holdout",
        "cv",
        "oob",
        "mean",
        "std",
        "avg",
        "average",
        "best",
        "final",
        "last",
        "min",
        "max",
        "total",
        "epoch",
        "fold",
        "top",
        "top1",
        "top5",
        "weighted",
        "macro",
        "micro",
        "balanced",
        "ms",
        "s",
        "sec",
        "secs",
        "seconds",
        "fit",
    )
)
_LEAST_ROWS = 10
_SAME_ORDER = 0.99  # of the rank correlation with the objective
_DIFFERENT, _ALL_DIFFERENT = (
    0.3,
    0.9,
)  # share of the rows with a value of their own
# What pandas calls a first column without a name; the digits after the point tell those apart
# that were saved one after the other.
_NAMELESS = re.compile(r"Unnamed: 0(\.\d+)*")

_EVERY_OTHER = declared_fact(
    "every_other_column",
    "hyperparameters: every other column ({names}); {hyperparameters=} chooses",
)
_OF_LAYOUT = declared_fact(
    "columns_of_layout",
    "hyperparameters: those of {source} ({names}); left out: {left_out}; {hyperparameters=} "
    "chooses",
    left_out=lambda fact: ", ".join(fact["left_out"]) or "none",
)
_BY_NAME = declared_fact(
    "measured_by_name",
    "{names}: left out, as its name says that it was measured, not set; {hyperparameters=} keeps "
    "it",
)
_BY_ORDER = declared_fact(
    "orders_like_objective",
    "{names}: its rank correlation with the objective is {correlation:.3f}; if it was measured, "
    "not set, leave it out with {hyperparameters=}",
)
_ROW_NUMBERS = declared_fact(
    "row_numbers_left_out",
    "{names}: left out, a column with no name that numbers the rows",
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
) -> Roles:
    """Return the columns with a role: those given, else those of the layout.

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
        _objective(table, layout, asked["objective"]),
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
    table: pd.DataFrame, layout: Layout | None, given: object
) -> str:
    if given is None:
        if layout is not None and layout.objective:
            return layout.objective
        problem = "is missing: a table does not say which column it is"
        columns = f"; the columns are {', '.join(table.columns[:30])}."
        raise InputError(
            "objective",
            problem,
            None,
            ("Add ", Option("objective", "..."), columns),
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


def check_column(argument: str, name: str, table: pd.DataFrame) -> None:
    """Raise InputError unless a table has a column."""
    if name not in table.columns:
        raise unknown_name(argument, name, table.columns, "column")


# ---------------------------------------------------------------------- hyperparameters


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

    def named_in(self, space: SearchSpace) -> list[Fact]:
        """Return the notes, which name the hyperparameters that turned out to be so."""
        names = {*self.names.values()}
        kept = tuple(name for name in space.names if name in names)
        return [
            replace(n, names=kept) if n is self.about else n
            for n in self.notes
        ]


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
            raise InputError(
                "hyperparameters", problem, hyperparameters, "Leave one out."
            )
        return Chosen(
            _columns_of("space", space.names, table, layout), sure=True
        )
    columns = _columns_of("space", list(given), table, layout)
    if hyperparameters is not None:
        named = _chosen(table, layout, hyperparameters, roles)
        return Chosen(columns | named, sure=True, given=given)
    others = () if layout is None else layout.others
    left = [
        c for c in table.columns if c not in roles.columns and c not in others
    ]
    if layout is not None and layout.names is not None:
        short = _short(layout, table)
        named = {column: short[column] for column in left if column in short}
        note = _of_layout(layout, table, named, roles)
        return Chosen(columns | named, sure=True, notes=[note], given=given)
    kept, notes = _without_measured(
        table, [c for c in left if c not in columns], objective
    )
    names = {
        c: columns.get(c, c)
        for c in table.columns
        if c in kept or c in columns
    }
    about = _EVERY_OTHER(names=names.values())
    if layout is not None:
        about = _of_layout(layout, table, names, roles)
    return Chosen(
        names, sure=False, notes=[about, *notes], given=given, about=about
    )


def _of_layout(
    layout: Layout, table: pd.DataFrame, names: Mapping[str, str], roles: Roles
) -> Fact:
    left_out = tuple(
        c for c in table.columns if c not in [*names, *roles.columns]
    )
    return _OF_LAYOUT(
        names=names.values(), source=layout.source, left_out=left_out
    )


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


# ---------------------------------------------------------------------- what was measured


def _without_measured(
    table: pd.DataFrame, names: Sequence[str], objective: Array
) -> tuple[list[str], list[Fact]]:
    """Return the columns that may be hyperparameters, and a note on each one in doubt.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    names : sequence of str
        The columns that are hyperparameters unless they were measured.
    objective : ndarray of shape (n,)
        The objective; NaN where there is none.
    """
    numbers = {
        name: column
        for name in names
        if (column := _numbers(table[name])) is not None
    }
    left_out = [
        name
        for name, column in numbers.items()
        if _is_called_measured(name)
        and _differs(column, _DIFFERENT)
        and not _is_whole(column)
    ]
    kept = [name for name in names if name not in left_out]
    if not kept:  # nothing else could be explained
        kept, left_out = list(names), []
    notes = [_BY_NAME(names=[name]) for name in left_out]
    for name, column in numbers.items():
        correlation = _rank_correlation(column, objective)
        if (
            name in kept
            and abs(correlation) >= _SAME_ORDER
            and _differs(column, _ALL_DIFFERENT)
        ):
            notes.append(_BY_ORDER(names=[name], correlation=correlation))
    return kept, notes


def _numbers(column: pd.Series[Any]) -> Array | None:
    """Return a column of numbers as floats, NaN where a cell is empty; None for another one."""
    cells = column.tolist()
    if not all(is_empty(cell) or is_number(cell) for cell in cells):
        return None
    return np.array(
        [np.nan if is_empty(cell) else as_float(cell) for cell in cells]
    )


def _is_called_measured(name: str) -> bool:
    """Say whether a name has nothing but words of measurement.

    Examples
    --------
    >>> [_is_called_measured(n) for n in ("train_loss", "valAcc", "loss_weight", "test_size")]
    [True, True, False, False]
    """
    lowered = [word.lower() for word in _words(name)]
    known = all(word in _MEASURED or word in _OF_WHAT for word in lowered)
    return known and any(word in _MEASURED for word in lowered)


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?", name)


def _is_whole(column: Array) -> bool:
    present = column[np.isfinite(column)]
    return bool((present == np.round(present)).all())


def _differs(column: Array, share: float) -> bool:
    present = column[~np.isnan(column)]
    return len(present) > 2 and len(np.unique(present)) > max(
        2.0, share * len(present)
    )


def _rank_correlation(column: Array, objective: Array) -> float:
    """Return the rank correlation where both are known; 0 where that is in few rows."""
    both = np.isfinite(column) & np.isfinite(objective)
    if (
        both.sum() < _LEAST_ROWS
        or min(np.ptp(objective[both]), np.ptp(column[both])) == 0.0
    ):
        return 0.0
    first, second = rankdata(column[both]), rankdata(objective[both])
    return float(np.corrcoef(first, second)[0, 1])


def without_row_numbers(
    frame: pd.DataFrame, named: Collection[str | None]
) -> tuple[pd.DataFrame, list[Fact]]:
    """Return a table without a nameless column that numbers its rows, and notes.

    Parameters
    ----------
    frame : pandas.DataFrame
        A table as pandas read it.
    named : collection of str
        The columns that the user named: they are left as they are.

    Returns
    -------
    tuple of pandas.DataFrame and list of Fact
        The table, and a note on each such column.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"Unnamed: 0": [0, 1, 2], "x": [0.1, 0.2, 0.3]})
    >>> without_row_numbers(frame, ["x"])[0].columns.tolist()
    ['x']
    """
    numbering = [
        name
        for name in map(str, frame.columns)
        if name not in named
        and _NAMELESS.fullmatch(name)
        and _counts(frame[name].tolist())
    ]
    return frame.drop(columns=numbering), [
        _ROW_NUMBERS(names=[name]) for name in numbering
    ]


def _counts(values: list[Any]) -> bool:
    """Say whether values are 0, 1, 2, ... or 1, 2, 3, ...."""
    return any(
        values == list(range(first, first + len(values))) for first in (0, 1)
    )
