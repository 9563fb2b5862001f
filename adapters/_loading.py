"""Loads modules of the adapters by name, each when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def loaded(name: str) -> Any:
    """Return a public name such as "from_frame", or "module:name" of the adapters."""
    module, _, own_name = name.rpartition(":")
    path = ".".join(filter(None, ["hpo_explain.adapters", module]))
    return getattr(import_module(path), own_name)
