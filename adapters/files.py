"""A run in a file or a database: an Optuna storage, a table, or a pickled result.

What the command line reads every function reads, in the same way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters.file_kind import PICKLE, STORAGE, TABLE, kind_of
from hpo_explain.adapters.sources import (
    as_run,
    as_runs,
    checked_options,
    read_by,
)
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.text import declared_fact
from hpo_explain.run import Run

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+([eE][+-]?\d+)?")
_BELOW_ONE = re.compile(r"[+-]?0?,\d+([eE][+-]?\d+)?")

_SEPARATED = declared_fact(
    "separator",
    "table: its columns are separated by {separator}{decimals}",
    decimals=lambda fact: (
        ", and numbers have decimal commas" * fact["decimal_commas"]
    ),
)

# the options of a table that name columns
_COLUMNS = (
    "objective",
    "hyperparameters",
    "ignore",
    "trial",
    "time",
    "instance",
    "proposed",
    "fidelity",
    "duration",
    "status",
)


def read_place(place: str | os.PathLike[str], **options: Any) -> Run:
    r"""Return the run in a file or a database.

    Parameters
    ----------
    place : str or path
        An address such as ``sqlite:///study.db``, the file of an SQLite database or of a journal
        of Optuna, a table of separated values (which may be compressed), or a pickled result, as
        of ``skopt.dump``.
    **options
        ``study_name=`` of a storage, ``trust_pickle=True`` for a pickled result, and the options
        of the adapter: of :func:`hpo_explain.from_optuna` for a storage, of
        :func:`hpo_explain.from_frame` for a table.

    Raises
    ------
    TimeoutError
        If a storage stays locked by another process.
    InputError
        If there is no such file, it cannot be read, or an option is unknown to its adapter.
    NothingToExplain
        If no trial of it can be read.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trials.csv"
    ...     _ = path.write_text("lr,loss\n0.1,1.0\n0.01,2.0\n")
    ...     len(read_place(path, objective="loss"))
    2
    """
    name = os.fspath(place)
    kind = kind_of(name)
    check_filled(name, is_table=options.get("objective") is not None)
    if kind == STORAGE:
        from hpo_explain.adapters.optuna.storage import read_storage

        return read_storage(
            name, options.pop("study_name", None), **_of_study(options)
        )
    return _table(name, options) if kind == TABLE else _pickled(name, options)


def read_place_by_objective(
    place: str | os.PathLike[str], **options: Any
) -> dict[str, Run]:
    """Return a run by objective in a file or a database; raises as :func:`read_place`.

    Parameters
    ----------
    place, **options
        As of :func:`read_place`; with `target` there is one run.
    """
    name = os.fspath(place)
    kind = kind_of(name)
    if kind == TABLE:
        check_filled(name, is_table=options.get("objective") is not None)
        frame, read_as = _frame(name, options)
        runs = as_runs(frame, **options)
        return {
            objective: replace(run, notes=[*read_as, *run.notes])
            for objective, run in runs.items()
        }
    if kind != STORAGE:
        run = read_place(name, **options)
        return {run.objective_name: run}
    check_filled(name, is_table=options.get("objective") is not None)
    from hpo_explain.adapters.optuna.storage import read_objectives

    return read_objectives(
        name, options.pop("study_name", None), **_of_study(options)
    )


def check_trusted(place: str, *, trust_pickle: bool) -> None:
    """Raise InputError where a pickled result is not trusted."""
    if not trust_pickle:
        raise InputError(
            "run",
            f"{place!r} is {PICKLE}. Unpickling runs whatever code is in the file",
            place,
            (
                "Add ",
                Option("trust_pickle", True),
                " only if you trust whoever made it.",
            ),
        )


def _of_study(options: dict[str, Any]) -> dict[str, Any]:
    from hpo_explain.adapters.optuna import from_optuna

    return checked_options(options, from_optuna)


def check_filled(place: str, *, is_table: bool) -> None:
    """Raise InputError where a table is meant, and the file is empty; a journal may be."""
    path = Path(place)
    meant = is_table or path.name.lower().endswith((".csv", ".tsv"))
    if meant and path.is_file() and path.stat().st_size == 0:
        raise InputError(
            "run",
            f"{place!r} is empty",
            place,
            "Give a file with a row of names and a row for each trial.",
        )


def _table(place: str, options: dict[str, Any]) -> Run:
    from hpo_explain.adapters.frame import from_frame

    frame, read_as = _frame(place, options)
    run = read_by(from_frame, frame, options)
    return replace(run, notes=[*read_as, *run.notes])


def _frame(
    place: str, options: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[Fact]]:
    """Return the table in a file, whose columns the options name, and how it was read."""
    given = [
        options[name] for name in _COLUMNS if options.get(name) is not None
    ]
    named = {
        name
        for value in given
        for name in ([value] if isinstance(value, str) else value)
    }
    return read_csv(place, named)


def _pickled(place: str, options: dict[str, Any]) -> Run:
    check_trusted(place, trust_pickle=options.pop("trust_pickle", False))
    import joblib

    try:
        result = joblib.load(place)
    except Exception as error:  # any may be raised by what is in the file
        raise InputError(
            "run",
            f"{place!r} cannot be unpickled: {type(error).__name__}: {error}",
            place,
            "Make it with skopt.dump(result, path, store_objective=False), which leaves out "
            "your own code, and read it where the same packages are installed.",
        ) from error
    return as_run(result, **options)


# ---------------------------------------------------------------------- separated values


def read_csv(
    source: str, named: Collection[str]
) -> tuple[pd.DataFrame, list[Fact]]:
    """Return the table in a file, and notes on how it was read.

    The separator is that of the row of names, and what the file's name says where this could be
    several. Numbers with a decimal comma are read where semicolons separate.

    Parameters
    ----------
    source : str
        The path of the file, which may be compressed.
    named : collection of str
        Columns that the user named: a separator that does not give them is not meant.

    Raises
    ------
    ValueError
        If it is no table, or has a name twice.
    """
    try:
        usual = "\t" if ".tsv" in source.lower() else ","
        separator, names = _header(source, usual, named)
        comma = separator == ";" and _has_decimal_commas(source, named)
        frame = _read(source, separator, decimal="," if comma else ".")
    except (
        ValueError
    ) as error:  # pandas's own errors are among them, and end in a new line
        text = " ".join(str(error).split()).removesuffix(".")
        raise InputError(
            "run", f"{source!r} cannot be read as a table: {text}", source
        ) from error
    _check_different(source, names)
    notes = []
    if separator != ",":
        notes.append(
            _SEPARATED(separator=_SEPARATORS[separator], decimal_commas=comma)
        )
    return frame, notes


def _read(source: str, separator: str, **options: Any) -> pd.DataFrame:
    import pandas as pd

    # An empty cell means inactive; the texts None and NA may be categories.
    frame: pd.DataFrame = pd.read_csv(
        source,
        sep=separator,
        keep_default_na=False,
        na_values=["", "NaN", "nan"],
        low_memory=False,
        **options,
    )
    return frame


def _header(
    source: str, usual: str, named: Collection[str]
) -> tuple[str, list[str]]:
    """Return the separator, and the names as they are written."""
    tried = dict.fromkeys([usual, *_SEPARATORS])
    found = {separator: _names(source, separator) for separator in tried}
    apart = {
        separator: names
        for separator, names in found.items()
        if len(names) > 1
    }
    if len(apart) > 1:
        apart = {
            separator: names
            for separator, names in apart.items()
            if {*named} <= {*names}
        }
    separator = next(iter(apart)) if len(apart) == 1 else usual
    return separator, found[separator]


def _names(source: str, separator: str) -> list[str]:
    import pandas as pd

    # as a row like any other: pandas renames a name that occurs twice
    row = pd.read_csv(
        source,
        sep=separator,
        header=None,
        nrows=1,
        dtype=str,
        keep_default_na=False,
    )
    return [str(cell) for cell in row.iloc[0]]


def _check_different(source: str, names: list[str]) -> None:
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise InputError(
            "run",
            f"{source!r} has the column {', '.join(twice)} more than once",
            source,
            "Rename one.",
        )


def _has_decimal_commas(source: str, named: Collection[str]) -> bool:
    """Say whether commas can be nothing but decimal ones: "64,32" alone may be two numbers."""
    table = _read(source, ";", dtype=str)
    columns = {
        str(name): table[name].dropna().str.strip().tolist()
        for name in table.columns
    }
    if any(
        _WITH_POINT.fullmatch(cell)
        for cells in columns.values()
        for cell in cells
    ):
        return False
    with_comma = {
        name: cells
        for name, cells in columns.items()
        if any(map(_WITH_COMMA.fullmatch, cells))
        and all(
            _WITH_COMMA.fullmatch(cell) or _WHOLE.fullmatch(cell)
            for cell in cells
        )
    }
    return any(
        name in named or any(map(_BELOW_ONE.fullmatch, cells))
        for name, cells in with_comma.items()
    )
