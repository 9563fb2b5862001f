"""Formats: the kinds of files and folders that hold runs, recognized without running anything.

A format is one entry of `FORMATS`: what it is called, the sign by which it is recognized, what
opens it, and the reader of what it is opened as:

    Format("a KerasTuner project", folder_with("trial_*/trial.json"),
           "keras_tuner.project:opened", "from_keras_tuner")

What opens it is a context manager that takes the path, the options given to the reader, and
options of its own by keyword; it gives an `Opened`: a table, a study, or another source of which
the adapters know the class. So every function, option and objective works for a file as it does
for an object. Signs look at names and at the first bytes; they import no framework.
"""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._loading import loaded
from hpo_explain.adapters._signs import (
    TABLE_ENDS,
    Sign,
    damaged_json,
    database_with,
    folder_with,
    is_json_table,
    is_log,
    is_pickle,
    is_storage,
    is_table,
    is_text,
    json_with,
    read_json,
    start_of,
    starting_with,
    tables_of,
)
from hpo_explain.adapters._sqlite import SQLITE
from hpo_explain.adapters.addresses import shown_address
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import abridged
from hpo_explain.base.regular_files import open_regular

if TYPE_CHECKING:
    from hpo_explain.run import Run


@dataclass(frozen=True, eq=False)
class Opened:
    """What is in a file or a folder.

    Attributes
    ----------
    source : object
        A source whose class the adapters know.
    notes : sequence of Fact
        How it was read.
    options : mapping of str to object
        Options of its adapter that the file answers, where nothing else is given.
    """

    source: Any
    notes: Sequence[Fact] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def noted(self, run: Run) -> Run:
        """Return a run that was read from it with what was noted when it was opened."""
        if not self.notes:
            return run
        return replace(run, notes=[*self.notes, *run.notes])


Opener = Callable[..., AbstractContextManager[Opened]]


@dataclass(frozen=True)
class Format:
    """A kind of file or folder.

    Attributes
    ----------
    kind : str
        What it is called, as in "trials.csv is a table".
    sign : callable
        How it is recognized.
    opener : str
        The module of the adapters and the function that open it.
    reader : str
        The adapter of what it is opened as; empty where only its contents say so.
    """

    kind: str
    sign: Sign
    opener: str
    reader: str = ""

    def load(self) -> Opener:
        """Return what opens it, whose framework is loaded only now."""
        opener: Opener = loaded(self.opener)
        return opener

    def own_options(self) -> list[str]:
        """Return the options of opening it."""
        return [
            p.name
            for p in inspect.signature(self.load()).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        ]

    def takes(self, option: str) -> bool:
        """Say whether an option of reading is one of this format."""
        if not self.reader:
            return True
        reader = inspect.signature(loaded(self.reader)).parameters
        return option in reader or option in self.own_options()


@dataclass(frozen=True)
class Place:
    """A file, a folder or an address, and its format."""

    path: str
    format: Format


# ---------------------------------------------------------------------- formats

STORAGE = Format("an Optuna storage", is_storage, "optuna.storage:opened", "from_optuna")
TABLE = Format("a table", is_table, "table_files:opened_csv", "from_frame")
PICKLE = Format("a pickled result", is_pickle, "pickled:opened")
FORMATS = (
    STORAGE,
    Format(
        "an MLflow database",
        database_with("experiments", "runs"),
        "mlflow_store:opened_database",
        "from_frame",
    ),
    Format(
        "a folder of MLflow",
        folder_with("*/params/*|*/*/params/*", "meta.yaml|*/meta.yaml"),
        "mlflow_store:opened_folder",
        "from_frame",
    ),
    Format(
        "a KerasTuner project",
        folder_with("trial_*/trial.json", named="oracle.json"),
        "keras_tuner.project:opened",
        "from_keras_tuner",
    ),
    Format(
        "a run of SMAC",
        folder_with("runhistory.json", named="runhistory.json"),
        "smac.saved:opened",
        "from_smac",
    ),
    Format(
        "an experiment of Ray Tune",
        folder_with(
            "*/params.json", "*/result.json|*/progress.csv", named="experiment_state-*.json"
        ),
        "ray.experiment:opened",
        "from_ray",
    ),
    Format(
        "a snapshot of Ax",
        json_with("experiment", "generation_strategy"),
        "ax.snapshot:opened",
        "from_ax",
    ),
    Format(
        "a parquet table",
        starting_with(b"PAR1", ends=(".parquet", ".pq")),
        "table_files:opened_parquet",
        "from_frame",
    ),
    Format(
        "a feather table",
        starting_with(b"ARROW1", b"FEA1", ends=(".feather", ".arrow")),
        "table_files:opened_feather",
        "from_frame",
    ),
    Format(
        "an Excel table",
        starting_with(ends=(".xlsx", ".xlsm")),
        "table_files:opened_excel",
        "from_frame",
    ),
    Format("a table of JSON", is_json_table, "table_files:opened_json", "from_frame"),
    PICKLE,
    Format("what Optuna printed", is_log, "table_files:opened_log", "from_frame"),
    TABLE,
)
"""What is recognized, in this order; whatever else is text counts as a table."""

# ---------------------------------------------------------------------- places


def place_of(place: str | os.PathLike[str]) -> Place:
    """Return what a file, a folder or an address is.

    Parameters
    ----------
    place : str or path
        An address such as ``sqlite:///study.db``, or a path. A folder that is no run itself is
        looked into.

    Raises
    ------
    InputError
        If there is no such file, its format is not known, or a folder does not hold one run.
    OSError
        If it cannot be looked at.

    Examples
    --------
    >>> place_of("postgresql://host/trials").format.kind
    'an Optuna storage'
    """
    name = os.fspath(place)
    if "://" in name:
        return _of_address(name)
    path = Path(name)
    if not path.exists():
        shown = shown_address(name)
        raise InputError(
            "run",
            f"{shown!r} is neither a file nor an address such as sqlite:///study.db",
            shown,
            _meant(path) if shown == name else "Check the address.",
        )
    if not path.is_dir():
        open_regular(path).close()  # before libraries open it by its name
    found = _recognized(path)
    if found:
        return found
    if path.is_dir():
        return _only_one_in(path)
    raise InputError(
        "run",
        f"{name!r} is {what_it_is(path)}, which no adapter reads",
        name,
        AS_TABLE,
    )


def _of_address(name: str) -> Place:
    """Return what an address is: an Optuna storage, but MLflow has addresses of SQLite as well."""
    path = Path(name.removeprefix("sqlite:///"))
    found = None if tables_of(path) is None else _recognized(path)
    return found if found and found.format is not STORAGE else Place(name, STORAGE)


def is_several(place: str) -> bool:
    """Say whether a path is a folder that holds several runs, or none, and is none itself."""
    path = Path(place)
    if not path.is_dir() or _recognized(path):
        return False
    return len(runs_in(path)) != 1


def _recognized(path: Path) -> Place | None:
    for form in FORMATS:
        at = form.sign(path)
        if at:
            return Place(str(at), form)
    return None


def _only_one_in(folder: Path) -> Place:
    found = runs_in(folder)
    if len(found) == 1:
        return found[0]
    name = str(folder)
    if not found:
        holds = ", ".join(sorted(p.name for p in folder.iterdir())[:_SHOWN])
        raise InputError(
            "run",
            f"{name!r} is a folder in which no run was found",
            name,
            f"It holds {holds}." if holds else "It is empty.",
        )
    listed = ", ".join(f"{place.path!r} ({place.format.kind})" for place in found[:_SHOWN])
    more = f", and {len(found) - _SHOWN} more" * (len(found) > _SHOWN)
    raise InputError(
        "run",
        f"{name!r} is a folder with {len(found)} runs",
        name,
        f"Name one of them: {listed}{more}.",
    )


_SHOWN = 10
_DEEPEST = 4
AS_TABLE = "Write its trials as a table: a row of names, then a row for each trial."
"""What to do with a file that nobody can read."""
_MOST_ENTRIES = 20_000  # that are looked at


def runs_in(folder: Path, leading_to: Path | None = None) -> list[Place]:
    """Return the runs in a folder and in its folders, in order; hidden ones are left out.

    What is text counts where it is called as tables are. Nothing is sought in a folder that is a
    run itself.

    Parameters
    ----------
    folder : pathlib.Path
        The folder.
    leading_to : pathlib.Path, optional
        Look only at this file or folder, and at those that it is in.
    """
    left = iter(range(_MOST_ENTRIES))
    return [*_runs_below(folder, _DEEPEST, left, leading_to)]


def _runs_below(
    folder: Path, depth: int, left: Iterator[int], leading_to: Path | None
) -> Iterator[Place]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # which this user may not look into
        return
    for path in entries:
        if leading_to and not leading_to.is_relative_to(path):
            continue
        # what a link leads to lies somewhere else, or is found there
        is_link = path.is_symlink() and path.is_dir()
        if is_link or path.name.startswith(".") or next(left, None) is None:
            continue
        found = _run_at(path)
        if found:
            yield found
        elif path.is_dir() and depth > 1:
            yield from _runs_below(path, depth - 1, left, leading_to)


def _run_at(path: Path) -> Place | None:
    try:
        found = _recognized(path)
    except OSError:
        return None
    is_called_so = path.name.lower().endswith(TABLE_ENDS)
    return None if found and found.format is TABLE and not is_called_so else found


def what_it_is(path: Path) -> str:
    """Return what a file is that no format fits.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.json"
    ...     _ = path.write_text('{"lr": 0.1, "acc": 0.9}')
    ...     what_it_is(path)
    ...     _ = path.write_text("{}")
    ...     what_it_is(path)
    'JSON with the keys lr, acc'
    'JSON without a record'
    """
    if start_of(path) == SQLITE:
        tables = sorted(tables_of(path) or ())
        if not tables:
            return "an SQLite database without tables"
        return f"an SQLite database with the tables {abridged(tables)}"
    content = read_json(path)
    if content and isinstance(content, Mapping):
        return f"JSON with the keys {abridged([*content])}"
    if content is not None:
        return "JSON without a record"
    damaged = damaged_json(path)
    if damaged:
        return damaged
    if is_text(path):
        return "text without a row of names"
    start = start_of(path)
    return next((what for mark, what in _BINARY.items() if start.startswith(mark)), "a binary file")


_BINARY = {
    b"PK\x03\x04": "an archive",
    b"\x93NUMPY": "an array of NumPy",
    b"\x89HDF": "a file of HDF5",
    b"\x89PNG": "a picture",
    b"%PDF": "a PDF",
}


def _meant(path: Path) -> str:
    """Say which file was probably meant, or where it was looked for."""
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {str(folder)!r}; paths start from {str(Path.cwd())!r}."
    close = difflib.get_close_matches(path.name, [p.name for p in folder.iterdir()], n=1)
    if close:
        return f"Did you mean {str(folder / close[0])!r}?"
    return f"Check the path: it was looked for in {str(folder.resolve())!r}."
