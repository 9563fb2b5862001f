"""Reading of regular files: a pipe or a device that lies in their place would be waited for."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from hpo_explain.base.errors import InputError

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; the only place where the package opens one.

    Raises
    ------
    InputError
        If it is something else.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> with open_regular(__file__) as file:
    ...     file.read(3)
    b'\"\"\"'
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
    if kind == stat.S_IFREG:
        return file
    file.close()
    raise InputError(
        "run",
        f"{os.fspath(path)!r} is {_KINDS.get(kind, 'something else')}, and only regular files are "
        "read",
        os.fspath(path),
        "Write what comes out of it into a file.",
    )


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe at once, though nobody writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def text_of(path: Path, errors: str = "strict") -> str:
    """Return the text of a regular file.

    Parameters
    ----------
    path : pathlib.Path
        The file, in UTF-8.
    errors : str, default "strict"
        What becomes of bytes that are none, as of ``bytes.decode``.
    """
    with open_regular(path) as file:
        return file.read().decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")
