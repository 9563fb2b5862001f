"""When a test is run: before a commit, before a merge, or in the night.

A test without a marker is one of a commit. ``merge`` marks what only processes, browsers, real
fits and runs with a known truth show, ``thorough`` what takes long, and looks again at what other
tests look at.
"""

from collections.abc import Collection

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
