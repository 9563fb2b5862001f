"""What a source is, found out without running anything that is in it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from hpo_explain.base.errors import InputError

STORAGE, TABLE, PICKLE = "an Optuna storage", "a table", "a pickled result"

_SQLITE = b"SQLite format 3\x00"
_JOURNAL = b'{"op_code"'  # every line of Optuna's journals starts with it
_JSON = (b"{", b"[")
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
TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".csv.bz2", ".csv.xz")


def kind_of(place: str) -> str:
    """Return what a source is.

    Parameters
    ----------
    place : str
        An address such as ``sqlite:///study.db``, or the path of a file.

    Returns
    -------
    {STORAGE, TABLE, PICKLE}
        What it is.

    Raises
    ------
    ValueError
        If there is no such file.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> kind_of("postgresql://host/trials")
    'an Optuna storage'
    """
    if "://" in place:
        return STORAGE
    path = Path(place)
    if not path.is_file():
        raise InputError(
            "run",
            f"{place!r} is neither a file nor an address such as sqlite:///study.db",
            place,
            _meant(path),
        )
    with path.open("rb") as file:
        start = file.read(len(_SQLITE))
    # a journal nobody has written to yet is empty
    if start == _SQLITE or start.startswith(_JOURNAL) or not start:
        return STORAGE
    if start.startswith(_JSON):
        raise InputError(
            "run",
            f"{place!r} holds JSON, which no adapter reads",
            place,
            "Read it into a pandas.DataFrame and give that, or install an adapter for such files.",
        )
    if start.startswith(_PICKLES) and not path.name.lower().endswith(TABLES):
        return PICKLE
    return TABLE


def is_run(path: Path) -> bool:
    """Say whether a file is a storage or a result, or is called as tables are."""
    try:
        return kind_of(str(path)) != TABLE or path.name.lower().endswith(
            TABLES
        )
    except (ValueError, OSError):
        return False


def runs_below(paths: Iterable[Path]) -> list[Path]:
    """Return those paths that are files of runs, in order; hidden files are none."""
    return sorted(
        p
        for p in paths
        if not p.name.startswith(".") and p.is_file() and is_run(p)
    )


def shown(place: str) -> str:
    """Return a place as it may be shown: an address without its password.

    Examples
    --------
    >>> shown("mysql://me:secret@host/trials")
    'mysql://me:***@host/trials'
    """
    return re.sub(r"(://[^:@/]*:).*@", r"\1***@", place)


def _meant(path: Path) -> str:
    """Say which file was probably meant, or where it was looked for."""
    folder = path.parent
    if path.is_dir():
        return "It is a folder: name a file in it."
    if not folder.is_dir():
        return f"There is no folder {str(folder)!r}; paths start from {str(Path.cwd())!r}."
    close = difflib.get_close_matches(
        path.name, [p.name for p in folder.iterdir()], n=1
    )
    if close:
        return f"Did you mean {str(folder / close[0])!r}?"
    return f"Check the path: it was looked for in {str(folder.resolve())!r}."
