"""The ways out of data: plots and frameworks, loaded only when they are asked for.

Everything imports to its left. A result's plot, and a space as a framework describes it,
are asked for on what stands left of them: the package itself, which stands right of all, says
here where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_LOADERS: dict[str, Callable[[], Any]] = {}


def connect(**loaders: Callable[[], Any]) -> None:
    """Say how ``pages`` and ``frameworks`` are loaded."""
    _LOADERS.update(loaders)


def pages() -> Any:
    """Return the module that writes figures into pages."""
    return _LOADERS["pages"]()


def renderer() -> Any:
    """Return the module that draws descriptions of figures."""
    return _LOADERS["renderer"]()


def plotly() -> Any:
    """Return the module that makes figures of plotly from descriptions.

    Raises
    ------
    ImportError
        If plotly is not installed; it says how to install it.
    """
    if find_spec("plotly") is None:
        raise ImportError("Figures of plotly need it: pip install plotly")
    return _LOADERS["plotly"]()


def views(method: str) -> Any:
    """Return the figures of a method, by the module that its function stands in."""
    return import_module(f"{method}_show").VIEWS


def frameworks() -> Any:
    """Return the package of the adapters, each of which loads its framework."""
    return _LOADERS["frameworks"]()
