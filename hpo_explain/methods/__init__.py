"""Methods: one topic a folder, one method three files of one name.

Their names stand in ``__init__.pyi``, which ``python -m tests.stubs`` writes from the catalog.
"""

from importlib import import_module
from typing import Any

import lazy_loader

from hpo_explain.base.guessed import hinting

_lookup, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _found(name: str) -> Any:
    if name == "importance":  # the topic, which is called as its method
        return import_module(f"{__name__}.importance")
    return _lookup(name)


def _public() -> list[str]:
    top = import_module("hpo_explain")
    return [*(f"methods.{name}" for name in __all__), *top.__all__]


__getattr__ = hinting(_found, __name__, _public)
