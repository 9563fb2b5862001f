"""Connections to SQLite files in a mode in which SQLite itself refuses to write.

Nothing is put beside a file, and no statement runs for ever: a file may be another user's, who
trains at this moment, or made to do harm.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hpo_explain.base.regular_files import open_regular

SQLITE = b"SQLite format 3\x00"
"""The first bytes of a database."""
_ROLLBACK = b"\x01\x01"  # in a file's header: read and write versions without a write-ahead log
_LOG_HEADER = 32  # bytes at the start of a write-ahead log, others whenever it begins anew
# steps of SQLite that a statement may take, and more of them for each byte of the file
_STEPS, _STEPS_OF_BYTE = (10_000_000, 20)
_MOST_STEPS = 2**31 - 1  # that SQLite counts to
_LONGEST = 50_000_000  # bytes of a value
_NO_TABLES = """
SELECT name FROM sqlite_master AS about WHERE type = 'view' OR type = 'table' AND (
    rootpage = 0 OR EXISTS (SELECT 1 FROM pragma_table_xinfo(about.name) WHERE hidden > 1)
)
"""


def connect(path: Path, timeout: float = 5.0, **query: Any) -> sqlite3.Connection:
    """Return a connection that only reads tables, and takes bounded time for each statement.

    A reader of a write-ahead log puts two files beside the database, which its owner cannot write
    to where the reader is another user. So a copy is read where there is such a log.

    Parameters
    ----------
    path : Path
        The file.
    timeout : float
        How many seconds to wait while another process writes.
    **query : str
        Further parts of SQLite's address: `nolock`, `vfs`.

    Raises
    ------
    InputError
        If it is no regular file, or one is not that SQLite reads with it.
    OSError, sqlite3.Error
        If it cannot be read.
    """
    path = path.resolve()  # SQLite's other files are beside what a link leads to
    with open_regular(path) as file:
        versions = file.read(20)[18:]
    own = {"mode": "ro"}
    copy = None
    if _is_pending(_beside(path, "-wal")):
        copy = _copied(path, timeout)
    elif versions != _ROLLBACK:  # SQLite would make a log
        own["immutable"] = "1"
    elif _is_pending(_beside(path, "-journal")):
        open_regular(_beside(path, "-journal")).close()
    place = copy / path.name if copy else path
    address = f"{place.as_uri()}?{urlencode({**query, **own})}"
    database = sqlite3.connect(
        address, uri=True, timeout=timeout, check_same_thread=False, factory=_Connection
    )
    if copy:
        weakref.finalize(database, shutil.rmtree, copy, ignore_errors=True)
    try:
        _limit(database, path.stat().st_size)
    except BaseException:
        database.close()
        raise
    return database


class _Connection(sqlite3.Connection):
    """A connection of which can be told when nobody needs it any more."""


def _beside(path: Path, end: str) -> Path:
    return path.with_name(f"{path.name}{end}")


def _is_pending(path: Path) -> bool:
    """Say whether there is something in a file, or in what lies in its place."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return False
    return state.st_size > 0 or not path.is_file()


def _copied(path: Path, timeout: float) -> Path:
    """Return a temporary folder with a copy of a database and its write-ahead log.

    What is copied of the database while parts of the log are put into it is in the log, too, as
    long as that does not begin anew meanwhile.
    """
    folder = Path(tempfile.mkdtemp(prefix="hpo_explain-"))
    until = time.monotonic() + timeout
    try:
        while True:
            before = _state(path)
            _copy(path, folder)
            _copy(_beside(path, "-wal"), folder)
            if _state(path) == before:
                return folder
            if time.monotonic() > until:
                raise sqlite3.OperationalError("database is locked, as its log begins anew often")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _copy(file: Path, folder: Path) -> None:
    target = folder / file.name
    target.unlink(missing_ok=True)
    with suppress(FileNotFoundError), open_regular(file) as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)


def _state(path: Path) -> tuple[bytes, int]:
    """Return what changes when the log of a database begins anew, or ends."""
    with suppress(FileNotFoundError), open_regular(_beside(path, "-wal")) as log:
        return log.read(_LOG_HEADER), 0
    return b"", path.stat().st_mtime_ns


def _limit(database: sqlite3.Connection, size: int) -> None:
    """Have nothing read but tables with values of bounded size, in a bounded number of steps."""
    steps = min(_STEPS + _STEPS_OF_BYTE * size, _MOST_STEPS)
    database.set_progress_handler(lambda: 1, steps)
    if hasattr(database, "setlimit"):  # since Python 3.11
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    database.execute("PRAGMA trusted_schema = OFF")
    no_tables = {name for (name,) in database.execute(_NO_TABLES)}

    def allowed(action: int, name: str | None, *about: str | None) -> int:
        """Deny what is computed: views, virtual tables, columns that are generated."""
        is_computed = action == sqlite3.SQLITE_RECURSIVE or name in no_tables or about[-1]
        return sqlite3.SQLITE_DENY if is_computed else sqlite3.SQLITE_OK

    database.set_authorizer(allowed)


def tables_in(database: sqlite3.Connection) -> set[str]:
    """Return the names of the tables that can be read."""
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    no_tables = {name for (name,) in database.execute(_NO_TABLES)}
    return {str(name) for (name,) in rows} - no_tables


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table; none where there is no such table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {str(name) for (name,) in rows}
