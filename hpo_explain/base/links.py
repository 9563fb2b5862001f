"""The way to a file, link by link: who could lead it elsewhere."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

_MOST_LINKS = 40  # as of Linux

Check = Callable[[Path, os.stat_result, os.stat_result], None]
"""Takes an entry, its own state and that of the folder that it is in; raises to go no further."""


def followed(path: Path, check: Check) -> Path:
    """Return the file that a path leads to, looking at each entry on the way once.

    Parameters
    ----------
    path : pathlib.Path
        The path; from what does not exist on, it is taken as it is.
    check : callable
        What is asked about each entry before it is followed.

    Raises
    ------
    OSError
        What `check` raises, or that links lead in a circle.

    Examples
    --------
    >>> followed(Path("/nowhere/../a"), lambda *about: None).as_posix()
    '/a'
    """
    absolute = path.absolute()
    place, left, links = Path(absolute.anchor), [*reversed(absolute.parts[1:])], 0
    while left:
        name = left.pop()
        if name == "..":
            place = place.parent
            continue
        entry = place / name
        try:
            state = entry.lstat()
        except (FileNotFoundError, NotADirectoryError):
            place = entry
            continue
        check(entry, state, place.lstat())
        if not stat.S_ISLNK(state.st_mode):
            place = entry
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = entry.readlink()
        left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        place = Path(target.anchor) if target.is_absolute() else place
    return place


def check_link(entry: Path, state: os.stat_result, folder: os.stat_result) -> None:
    """Raise PermissionError of a link that another user put into a folder for all.

    Linux itself refuses to follow it, unless it is told otherwise.
    """
    is_of_others = state.st_uid not in (folder.st_uid, os.geteuid())
    if stat.S_ISLNK(state.st_mode) and folder.st_mode & stat.S_IWOTH and is_of_others:
        problem = "is a link that another user put there"
        raise PermissionError(errno.EACCES, problem, str(entry))


def is_ours_alone(folder: Path) -> bool:
    """Say whether nobody else can put anything into a folder, or another one in its place."""
    if not hasattr(os, "getuid"):  # each user of Windows has folders
        return True
    try:
        place = followed(folder, _check_owner)
        state = place.lstat()
    except OSError:
        return False
    is_own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid()
    return is_own and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _check_owner(entry: Path, state: os.stat_result, folder: os.stat_result) -> None:
    """Raise PermissionError where others own an entry, or could put another one in its place."""
    trusted = (0, os.getuid())
    others_write = folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    is_open = others_write and not folder.st_mode & stat.S_ISVTX
    if state.st_uid not in trusted or folder.st_uid not in trusted or is_open:
        raise PermissionError(errno.EACCES, "others may write there", str(entry))
