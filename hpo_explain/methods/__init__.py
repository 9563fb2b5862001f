"""Methods: one topic a folder, one method three files of one name."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(import_module("hpo_explain"), name)
