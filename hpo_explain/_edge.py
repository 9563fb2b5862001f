"""The ways from data to people: words and plots, loaded only when they are asked for.

Everything else imports to its left. A result's sentence and plot are asked for on the result, which
stands left of both; these two functions are the only way there.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def words() -> Any:
    """Return the package that puts facts and claims into words."""
    return import_module("hpo_explain.wording")


def plots() -> Any:
    """Return the package that draws results."""
    return import_module("hpo_explain.plotting")
