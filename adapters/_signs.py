"""Signs by which files and folders are recognized: by their names and first bytes, nothing run."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from hpo_explain.adapters._json import json_in, place_of_damage
from hpo_explain.adapters._sqlite import SQLITE, connect, tables_in
from hpo_explain.base.regular_files import open_regular, text_of

Sign = Callable[[Path], Path | None]
"""Looks at a path: what is to be opened, the path itself or its folder; None for other formats."""
_JOURNAL = b'{"op_code"'  # every line of Optuna's journals starts with it
_JSON = (b"{", b"[")
_RECORDS = ("results", "all_results", "trials", "runs", "records", "experiments", "history")
_LOGGED = re.compile(rb"Trial \d+ finished with value|Finished trial#\d+ with value")
_LEAST_ALIKE = 2  # objects, and names that all have
_LARGEST_START = 1_000_000  # of what is printed before the first trial
_LARGEST_JSON = 500_000_000
_LOOKED_AT = 4096
# Pickles since protocol 2, and what joblib and skopt.dump may compress them with: zlib, gzip,
# bz2, xz, lzma, lz4.
_PICKLES = (
    b"\x80",
    b"x\x01",
    b"x\x5e",
    b"x\x9c",
    b"x\xda",
    b"\x1f\x8b",
    b"BZ",
    b"\xfd7zXZ",
    b"]\x00\x00\x80",
    b"\x04\x22M\x18",
)
_STORAGE_ENDS = (".db", ".journal", ".log", ".sqlite", ".sqlite3")
TABLE_ENDS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".csv.bz2", ".csv.xz")


def folder_with(*patterns: str, named: str = "") -> Sign:
    """Return the sign of a folder that has a file for each of some patterns.

    Parameters
    ----------
    *patterns : str
        What has to be there, as of ``Path.glob``; "a|b" is one or the other.
    named : str
        The file that stands for its folder where it is given itself, as a pattern.
    """

    def sign(path: Path) -> Path | None:
        folder = path
        if path.is_file() and named and path.match(named):
            folder = path.parent
        if not folder.is_dir():
            return None
        complete = all(
            any(any(folder.glob(one)) for one in pattern.split("|")) for pattern in patterns
        )
        return folder if complete else None

    return sign


def database_with(*tables: str) -> Sign:
    """Return the sign of an SQLite database that has some tables."""

    def sign(path: Path) -> Path | None:
        found = tables_of(path)
        return path if {*tables} <= (found or set()) else None

    return sign


def starting_with(*starts: bytes, ends: Sequence[str] = ()) -> Sign:
    """Return the sign of a file that starts with some bytes, or whose name has such an end."""

    def sign(path: Path) -> Path | None:
        if not path.is_file():
            return None
        named = bool(ends) and path.name.lower().endswith(tuple(ends))
        return path if named or start_of(path).startswith(starts) else None

    return sign


def json_with(*keys: str) -> Sign:
    """Return the sign of a file with a JSON object that has some keys."""

    def sign(path: Path) -> Path | None:
        content = read_json(path)
        is_one = isinstance(content, dict) and {*keys} <= {*content}
        return path if is_one else None

    return sign


def is_storage(path: Path) -> Path | None:
    """Recognize a database or a journal of Optuna; one that nobody has written to yet is empty."""
    if not path.is_file() or path.name.lower().endswith(TABLE_ENDS):
        return None
    start = start_of(path)
    if start == SQLITE:
        # a database that cannot be looked into is one that another process writes to
        tables = tables_of(path)
        is_one = tables is None or {"studies", "trials"} <= tables
    else:
        is_empty = not start and path.suffix.lower() in _STORAGE_ENDS
        is_one = is_empty or start.startswith(_JOURNAL)
    return path if is_one else None


def is_pickle(path: Path) -> Path | None:
    if not path.is_file() or path.name.lower().endswith(TABLE_ENDS):
        return None
    return path if start_of(path).startswith(_PICKLES) else None


def is_json_table(path: Path) -> Path | None:
    return path if records_of(read_json(path)) else None


def records_of(content: Any) -> list[Mapping[str, Any]]:
    """Return what holds a row each: a list of objects, under a key, or one for each name.

    What pandas writes has an object for each column, with the number of each row.

    Examples
    --------
    >>> rows = [{"lr": 0.1, "acc": 0.8}, {"lr": 0.2, "acc": 0.9}]
    >>> records_of({"trials": {"first": rows[0], "second": rows[1]}, "n": 2}) == rows
    True
    >>> records_of({"model": {"lr": 0.1}, "data": {"path": "x"}})
    []
    """
    if isinstance(content, list):
        return content if all(isinstance(row, Mapping) for row in content) else []
    if not isinstance(content, Mapping):
        return []
    named = next((found for key in _RECORDS if (found := records_of(content.get(key)))), None)
    rows = [*content.values()]
    if named or len(rows) < _LEAST_ALIKE or not all(isinstance(row, Mapping) for row in rows):
        return named or []
    shared = {*rows[0]}.intersection(*rows[1:])
    if all(str(key).isdecimal() for key in shared):
        return [{name: content[name][key] for name in content} for key in rows[0] if key in shared]
    return rows if len(shared) >= _LEAST_ALIKE else []


def is_log(path: Path) -> Path | None:
    """Recognize what Optuna prints, alone or among what else was printed."""
    if not path.is_file():
        return None
    with open_regular(path) as file:
        return path if _LOGGED.search(file.read(_LARGEST_START)) else None


def is_table(path: Path) -> Path | None:
    """Recognize text: what has separated values cannot be told from what has none."""
    if not path.is_file():
        return None
    if path.name.lower().endswith(TABLE_ENDS):
        return path
    return path if is_text(path) and not start_of(path).startswith(_JSON) else None


def is_text(path: Path) -> bool:
    with open_regular(path) as file:
        return b"\x00" not in file.read(_LOOKED_AT)


def tables_of(path: Path) -> set[str] | None:
    """Return the names of the tables of an SQLite database; None if it cannot be looked into."""
    if not path.is_file() or start_of(path) != SQLITE:
        return None
    try:
        with closing(connect(path, timeout=0.5)) as database:
            return tables_in(database)
    except sqlite3.Error:
        return None


def read_json(path: Path) -> Any:
    """Return what a file of JSON holds, of one with an object a line a list; None for others."""
    if not path.is_file() or path.stat().st_size > _LARGEST_JSON:
        return None
    if not start_of(path).lstrip().startswith(_JSON):
        return None
    try:
        return json_in(text_of(path, "replace"))[0]
    except (ValueError, RecursionError):  # what is nested too deep is no run
        return None


def damaged_json(path: Path) -> str:
    """Return how JSON is damaged; empty where it is none, as what is printed in brackets."""
    if not b"".join(start_of(path).split()).startswith((b"{", b"[{", b"[[")):
        return ""
    try:
        json_in(text_of(path, "replace"))
    except (ValueError, RecursionError) as error:
        return f"JSON, but {place_of_damage(error)}"
    return ""


def start_of(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read(len(SQLITE))
