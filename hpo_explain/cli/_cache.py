"""Answers in the user's cache folder: the latest, 200 MB at most."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hpo_explain.adapters.formats import STORAGE, TABLE, place_of
from hpo_explain.base.cache_folder import cache_folder
from hpo_explain.base.regular_files import open_regular, text_of

_MOST = 200_000_000  # bytes in all
_BESIDE = ("-wal", "-journal")  # what SQLite has not put into its file yet
# an address that can mean one file only: with no options and no other spelling of its path
_ADDRESS = re.compile(r"sqlite:///(?!file:)([^?#%]+)")
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "optuna")


def folder() -> Path | None:
    """Return where answers are stored, if there is a place for them."""
    return cache_folder("answers")


def key_of(args: Sequence[str], rests_on: object) -> str:
    """Return the key of an answer: what was asked, what is in the files, and what answers.

    Whatever can be a source in the arguments counts: one file too many only costs an answer.

    Parameters
    ----------
    args : sequence of str
        What was asked for; those that are files (or addresses of SQLite's) are read.
    rests_on : object
        What else the answer rests on.

    Returns
    -------
    str
        The key; empty where the answer may rest on something else than these files.
    """
    key = hashlib.sha256(f"{args}{rests_on}{_answers()}".encode("utf-8", errors="replace"))
    has_source = False
    try:
        for text in dict.fromkeys(text for one in args for text in _texts(one)):
            path = _place(text)
            if path and not path.exists():
                continue
            if not path or not _stands_alone(path):
                return ""
            has_source = True
            for file in (path, *_beside(path)):
                key.update(f"|{text}|".encode("utf-8", errors="replace"))
                key.update(_digest(file))
    except (OSError, ValueError):
        return ""
    return key.hexdigest() if has_source else ""


def _texts(argument: str) -> Iterator[str]:
    """Yield what may be a source in an argument: all of it, or what follows an equals sign."""
    yield argument
    for sign in re.finditer("=", argument):
        yield argument[sign.end() :]


def _place(text: str) -> Path | None:
    """Return the only file that a source can be; None where it may be something else."""
    if "://" not in text:
        return Path(text)
    address = _ADDRESS.fullmatch(text)
    if address and Path(address[1]).is_file():
        return Path(address[1])
    return None


def _stands_alone(path: Path) -> bool:
    """Say whether a source is a file that is read without any others of its folder.

    A result of several files is none, nor a pickle, whose code may read anything, nor a pipe.
    """
    if not path.is_file():
        return False
    return place_of(path).format in (STORAGE, TABLE)


def _beside(file: Path) -> Iterator[Path]:
    """Yield the files that belong to a database: of a link, those beside what it leads to."""
    for path in (file, file.resolve()):
        for end in _BESIDE:
            yield path.with_name(f"{path.name}{end}")


def _digest(file: Path) -> bytes:
    """Return what stands for the content of a file, b"" where there is none."""
    if not file.exists():
        return b""
    content = hashlib.sha256()
    with open_regular(file) as opened:
        while block := opened.read(1 << 20):
            content.update(block)
    return content.digest()


def cached(key: str) -> str:
    """Return the answer with a key; empty without one."""
    root = folder()
    with suppress(OSError, ValueError):
        if root and key:
            text = text_of(root / key)
            (root / key).touch()
            return text
    return ""


def store(key: str, text: str) -> None:
    """Store an answer if there is a place for it; those that were not asked for longest go."""
    with suppress(OSError):
        root = folder()
        if not root:
            return
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = root / f"{key}.{secrets.token_hex(6)}"
        partial.write_text(text, encoding="utf-8")
        partial.replace(root / key)
        entries = [(path, path.stat()) for path in root.iterdir()]
        size = 0
        for path, stat in sorted(entries, key=lambda one: -one[1].st_mtime):
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
        for directory, _, names in os.walk(root, followlinks=True)
        for path in (Path(directory, name) for name in names if name.endswith(".py"))
    ]
    return f"{versions}{sorted(code)}"
