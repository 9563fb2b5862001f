"""The public names, and what users call among them."""

import inspect
from functools import cache
from importlib import import_module
from typing import Any

from tests.stubs import names_of, results

HOMES = (
    "hpo_explain",
    "hpo_explain.methods",
    "hpo_explain.models",
    "hpo_explain.run",
    "hpo_explain.base",
)


@cache
def names() -> dict[str, str]:
    """All public names with the first package that has it; of results, with their module."""
    return results() | {name: home for home in reversed(HOMES) for name in names_of(home)}


def public(name: str) -> Any:
    """What has a public name."""
    return getattr(import_module(names()[name]), name)


@cache
def functions() -> list[str]:
    """The functions that answer a question about a run."""
    found = []
    for name in names():
        # a reader is not even looked up: that would import its framework
        if name.startswith("from_") or name in ("report", "watch", "what_if"):
            continue
        if inspect.isfunction(public(name)):
            first = next(iter(inspect.signature(public(name)).parameters), "")
            if first in ("run", "runs", "study", "studies", "source") or name == "guide":
                found.append(name)
    return sorted(found)
