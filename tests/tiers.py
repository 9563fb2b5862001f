"""When a test is run: before a commit, before a merge, or in the night.

A test without a marker is one of a commit. ``merge`` marks what only processes, browsers, real
fits and runs with a known truth show, ``thorough`` what takes long, and looks again at what other
tests look at. Of a test that is marked with ``alike``, all cases but the first do so.
"""

import re
from collections.abc import Collection
from pathlib import Path

OPTIONS = ("merge", "thorough")


def tier(markers: Collection[str]) -> str:
    """The one tier of a test with these markers."""
    if "thorough" in markers:
        return "thorough"
    return "merge" if "merge" in markers else "commit"


def runs(markers: Collection[str], options: Collection[str]) -> bool:
    """Say whether a test with these markers is run with these options of pytest.

    ``--thorough`` runs all tests, ``--merge`` those of a merge alone.
    """
    if "thorough" in options:
        return True
    return tier(markers) == ("merge" if "merge" in options else "commit")


# Of all tests of a file; those of one stand above it.
_OF_ALL = re.compile(r"^pytestmark = (?:\[[^]]*\]|.*)", re.MULTILINE)
_MARKER = re.compile(r"\bpytest\.mark\.(merge|thorough)\b")


def may_run(path: Path, options: Collection[str]) -> bool:
    """Say whether a file of tests has one that is run with these options, by its markers."""
    text = path.read_text(encoding="utf-8")
    of_all = {name for found in _OF_ALL.findall(text) for name in _MARKER.findall(found)}
    if of_all:
        return any(runs(of_all | {name}, options) for name in _MARKER.findall(text))
    return any(runs({name}, options) for name in ("", *_MARKER.findall(text)))
