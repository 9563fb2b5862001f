"""Where this user may keep what only saves time: a cache folder, a temporary one, or nowhere."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from hpo_explain.base.links import is_ours_alone

_OWNER = "hpo_explain"


def cache_folder(purpose: str) -> Path | None:
    """Return a folder in the user's cache, a temporary one where that is read-only, or None.

    A user without a home, as in many containers, has only the temporary one.
    """
    from platformdirs import user_cache_path

    with suppress(RuntimeError):  # without a home, newer versions raise it
        usual = user_cache_path(_OWNER, appauthor=False)
        # older ones return a path whose "~" would be a folder of that name here
        place = usual / purpose
        is_there = usual.is_absolute() and _can_be_written(place)
        if is_there and is_ours_alone(place):
            return place
    return _temporary_folder(purpose)


def _temporary_folder(purpose: str) -> Path | None:
    """Return a folder of this user's alone among the temporary files; None where there is none.

    What another user could have put there is not read: compiled code would be run.
    """
    user = getattr(os, "getuid", lambda: "user")()
    with suppress(OSError):
        place = Path(tempfile.gettempdir(), f"{_OWNER}-{user}")
        place.mkdir(mode=0o700, exist_ok=True)
        if _can_be_written(place / purpose) and is_ours_alone(place / purpose):
            return place / purpose
    return None


def _can_be_written(place: Path) -> bool:
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        tempfile.TemporaryFile(dir=place).close()
    except OSError:
        return False
    return True
