"""Answers in the user's cache folder: the latest, 200 MB at most."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_MOST = 200_000_000  # bytes in all
_BESIDE = ("-wal", "-journal")  # what SQLite has not put into its file yet
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "optuna")


def folder() -> Path:
    """Return where answers are stored."""
    from platformdirs import user_cache_path

    return user_cache_path("hpo_explain", appauthor=False)


def key_of(args: Sequence[str], rests_on: object) -> str | None:
    """Return the key of an answer: what was asked, what is in the files, and what answers.

    Parameters
    ----------
    args : sequence of str
        What was asked for; those that are files (or addresses of SQLite's) are read.
    rests_on : object
        What else the answer rests on.

    Returns
    -------
    str or None
        The key; None where it rests on something that is no file, or a file cannot be read.
    """
    files = []
    for one in args:
        place = Path(one.rpartition("=")[2].removeprefix("sqlite:///"))
        if place.is_file():
            files += [
                place,
                *[place.with_name(f"{place.name}{end}") for end in _BESIDE],
            ]
        elif place.is_dir() or "://" in one:
            return None
    key = hashlib.sha256(
        f"{args}{rests_on}{_answers()}".encode("utf-8", errors="replace")
    )
    with suppress(OSError):
        for file in files:
            key.update(b"|")
            if file.exists():
                with file.open("rb") as content:
                    while block := content.read(1 << 20):
                        key.update(block)
        return key.hexdigest() if files else None
    return None


def cached(key: str) -> str | None:
    """Return the answer with a key, if there is one."""
    path = folder() / key
    with suppress(OSError):
        text = path.read_text(encoding="utf-8")
        path.touch()
        return text
    return None


def store(key: str, text: str) -> None:
    """Store an answer if there is a place for it; those that were not asked for longest go."""
    with suppress(OSError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = place / f"{key}.{secrets.token_hex(6)}"
        partial.write_text(text, encoding="utf-8")
        partial.replace(place / key)
        found = [(path, path.stat()) for path in place.iterdir()]
        size = 0
        for path, stat in sorted(found, key=lambda one: -one[1].st_mtime):
            size += stat.st_size
            if size > _MOST:
                path.unlink(missing_ok=True)


def _answers() -> str:
    """Return the versions of what computes, and the state of the code, which may be edited."""
    versions = [platform.python_version(), platform.machine()]
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions.append(version(package))
    root = Path(__file__).parent.parent
    code = [
        (str(path), path.stat().st_mtime_ns)
        for place, _, names in os.walk(root, followlinks=True)
        for path in (
            Path(place, name) for name in names if name.endswith(".py")
        )
    ]
    return f"{versions}{sorted(code)}"
