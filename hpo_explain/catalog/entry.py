"""An entry of the catalog: what a method answers, and where its function is. Imports nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from hpo_explain.base.loaders import views


@dataclass(frozen=True, kw_only=True)
class Method:
    """One method.

    Attributes
    ----------
    name : str
        Its function's name, that of its command and of its section in the report.
    module : str
        The module that holds the function; beside it stand ``<module>_show`` and its `VIEWS`.
    asks, limits : str
        The question that it answers, and the limitations of the answer: the guide's line.
    top : bool
        Whether its function stands at the top level, among what a person remembers.
    title : str
        The question of its line in the report; empty where it has none.
    how_to_read : str
        How its figure is read.
    command : str or None
        What its command is called, by default as it; None where it has none of its own.
    result : str
        The module of its result, where it is that of several methods, without ``_result``.
    options : mapping of str to str
        What the command calls arguments whose names mean how a run is read there.
    needs : str
        What a run must have for its section to be part of the report.
    for_assistants : bool
        Whether it is a tool for assistants: not where it shows trials to the eye.
    """

    name: str
    module: str
    asks: str
    limits: str
    top: bool = False
    title: str = ""
    how_to_read: str = ""
    command: str | None = ""
    result: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    for_assistants: bool = True

    @property
    def called(self) -> str | None:
        """What its command is called."""
        return self.name.replace("_", "-") if self.command == "" else self.command

    def concerns(self, run: Any) -> bool:
        """Return whether a run has what the method is about."""
        held = getattr(run, self.needs) if self.needs else True
        return held is not None and held is not False

    @property
    def path(self) -> str:
        """Where users find its function, as in ``hx.trust``."""
        return f"hx.{'' if self.top else 'methods.'}{self.name}"

    @property
    def function(self) -> Callable[..., Any]:
        """What users call."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return function

    @property
    def views(self) -> dict[str, Any]:
        """The figures of its result by name, the main one by ''."""
        views_of: dict[str, Any] = views(self.result or self.module)
        return views_of
