"""Connections to SQLite files in a mode in which SQLite itself refuses to write."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

SQLITE = b"SQLite format 3\x00"
"""The first bytes of a database."""
_WAL = b"\x02\x02"  # in a file's header: read and write versions of a write-ahead log


def connect(
    path: Path, timeout: float = 5.0, most_steps: int = 0, **query: Any
) -> sqlite3.Connection:
    """Return a connection that only reads.

    Parameters
    ----------
    path : Path
        The file.
    timeout : float
        How many seconds to wait while another process writes.
    most_steps : int
        After how many steps SQLite gives a question up, which a hostile file can make endless; 0
        for no limit.
    **query : str
        Further parts of SQLite's address: `nolock`, `vfs`.
    """
    own = {"mode": "ro"}
    if _is_left_alone(path):
        own["immutable"] = "1"
    address = f"{path.absolute().as_uri()}?{urlencode({**query, **own})}"
    database = sqlite3.connect(address, uri=True, timeout=timeout, check_same_thread=False)
    if most_steps:
        database.set_progress_handler(lambda: 1, most_steps)
    return database


def _is_left_alone(path: Path) -> bool:
    """Say whether a file with a write-ahead log can be read only as one that nobody changes.

    Even a reader puts two files beside it, which a read-only folder does not take. Without them
    nobody is writing.
    """
    log = path.with_name(f"{path.name}-wal")
    if os.access(path.parent, os.W_OK) or log.exists():
        return False
    with path.open("rb") as file:
        return file.read(20)[18:] == _WAL


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table; none where there is no such table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {str(name) for (name,) in rows}
