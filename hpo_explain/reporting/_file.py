"""Writing a file so that a reader sees the old one or the new one, never half of one.

Only a regular file is replaced. A device, a pipe or another user's file is written into.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from hpo_explain.base.errors import InputError
from hpo_explain.base.links import check_link, followed
from hpo_explain.base.regular_files import open_regular

if sys.platform != "win32":
    import fcntl

_PARTIAL = re.compile(r"\.[0-9a-f]{12}\.part")


def check_place(place: object) -> None:
    """Raise InputError or OSError if no file can be written there, as far as that can be seen."""
    if not isinstance(place, (str, os.PathLike)):
        problem = f"must be the path of a file, but was {place!r}"
        raise InputError("path", problem, place, "Give one such as 'report.html'.")
    path = Path(place)
    if path.is_dir():
        raise IsADirectoryError(
            f"path must name a file, but {str(path)!r} is a folder. Add a name such as report.html."
        )
    folder = _target(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"path is {str(path)!r}, but there is no folder {str(folder)!r}. Create it first."
        )
    state = _state(path)
    is_made = state is None or _may_be_replaced(state)
    if is_made and not os.access(folder, os.W_OK):
        raise PermissionError(
            f"path is {str(path)!r}, but no file may be made in {str(folder)!r}. Give another one."
        )


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file, or leave it as it was if anything goes wrong; write into what is no file.

    Parameters
    ----------
    path : pathlib.Path
        The file, whose mode and owner are kept; where it is a link, the file it leads to.
    content : str or bytes
        What it will hold.

    Raises
    ------
    OSError
        If the file cannot be written; it names `path`.

    Notes
    -----
    A process that is killed leaves behind what it had written. The next one to write the file
    removes that.
    """
    # a lone surrogate (of a name that was no UTF-8) has no encoding
    data = content if isinstance(content, bytes) else content.encode("utf-8", errors="replace")
    target = _target(path)
    state = _state(path)
    if state is not None and not _may_be_replaced(state):
        _write_into(path, state, data)
        return
    # beside the target: only within a file system is a file replaced in one step
    start = f".{target.name[:100]}"
    partial = target.with_name(f"{start}.{secrets.token_hex(6)}.part")
    try:
        with partial.open("xb") as file:
            locked = _is_locked(file)
            if state is not None:
                _keep_access(file, state)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if locked:
                partial.replace(target)
        if not locked:  # where an open file cannot be renamed
            partial.replace(target)
    except OSError as error:  # of a file whose name nobody has given
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):  # its folder may be gone, or read-only by now
            partial.unlink(missing_ok=True)
            _remove_left(target.parent, start)


def _target(path: Path) -> Path:
    """Return the file that links lead to.

    Raises
    ------
    OSError
        If one leads in a circle, or is of another user in a folder for all.
    """
    return followed(path, check_link) if hasattr(os, "geteuid") else path.resolve()


def _state(path: Path) -> os.stat_result | None:
    """Return what is at a place, of a link what it leads to; None where nothing is."""
    try:
        return path.stat()
    except OSError:  # writing tells what is wrong
        return None


def _may_be_replaced(state: os.stat_result) -> bool:
    """Say whether it is a file that another one may stand in for, with the same owner."""
    if not stat.S_ISREG(state.st_mode) or _stream_to(state) is not None:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return os.geteuid() in (0, state.st_uid)  # root can give it to the owner


def _stream_to(state: os.stat_result) -> BinaryIO | None:
    """Return the standard stream that leads to a file, whose text would be written over."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            if os.path.samestat(os.fstat(stream.fileno()), state):
                stream.flush()
                return stream.buffer
    return None


def _write_into(path: Path, state: os.stat_result, data: bytes) -> None:
    """Write into a device, a pipe, a standard stream, or a file of another user."""
    stream = _stream_to(state)
    if stream is None:
        with path.open("ab") as file:
            there = os.fstat(file.fileno())
            if not os.path.samestat(there, state):  # another one was put there meanwhile
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            if stat.S_ISREG(there.st_mode):
                file.truncate(0)
            file.write(data)
    else:
        stream.write(data)
        stream.flush()


def _keep_access(file: BinaryIO, state: os.stat_result) -> None:
    """Give an open file the mode of the one that it replaces, and its owner.

    By its name, what another user puts in its place would be given away.
    """
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):  # of a group that is not the user's
            os.fchown(file.fileno(), state.st_uid, state.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), stat.S_IMODE(state.st_mode))


def _is_locked(file: BinaryIO) -> bool:
    """Lock a file for as long as it is open, and say whether that could be done."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process has it, or the file system has no locks
        return False
    return True


def _remove_left(folder: Path, start: str) -> None:
    """Remove what processes have left that were killed while they wrote a file."""
    for path in folder.iterdir():
        end = path.name.removeprefix(start)
        # a pipe that others put there would be waited for
        if end != path.name and _PARTIAL.fullmatch(end) and path.is_file():
            with open_regular(path) as file:
                # an empty one may have been opened just now
                if path.stat().st_size and _is_locked(file):
                    path.unlink()
