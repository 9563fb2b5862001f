"""Methods about what the objective depends on."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Topic(ModuleType):
    """The topic, which is called as its method of the same name: ``hx.methods.importance(run)``."""

    def __call__(self, *sources: Any, **options: Any) -> Any:
        method = import_module(f"{__name__}.importance").importance
        return method(*sources, **options)


sys.modules[__name__].__class__ = _Topic
