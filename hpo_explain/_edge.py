"""The ways from data to people: words and plots, loaded only when they are asked for.

Everything imports to its left. A result's sentence and plot are asked for on the result, which
stands left of both: the package itself, which stands right of all, says here where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOADERS: dict[str, Callable[[], Any]] = {}


def connect(**loaders: Callable[[], Any]) -> None:
    """Say how ``words`` and ``plots`` are loaded."""
    _LOADERS.update(loaders)


def words() -> Any:
    """Return the package that puts facts and claims into words."""
    return _LOADERS["words"]()


def plots() -> Any:
    """Return the package that draws results."""
    return _LOADERS["plots"]()
