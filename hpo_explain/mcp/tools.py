"""The catalog as tools: what each takes, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.result import Result
from hpo_explain.catalog.entry import Method
from hpo_explain.mcp.limits import COUNTS, check_size, quoted
from hpo_explain.mcp.places import Places
from hpo_explain.question import Argument, arguments_of

SHARED = {
    "study": "a name that this tool lists",
    "studies": "two or more of them",
    "study_name": "one of those that `study` holds",
    "objective": "of a table, the column of the objective",
    "direction": "of a table, which way is better",
    "target": "in place of the objective: duration, failed, infeasible, one of several objectives "
    "by its name or number; of importance trade-off (between two of them) and pareto_rank (of all)",
    "trial": "a number, latest, best, best-predicted or pending",
    "trials": "numbers of trials",
    "config": "a configuration or the number of a trial, by default the best one",
    "given": 'a part of the space, such as {"booster": ["dart"]}',
    "acquisition": "what is explained in place of the objective: auto (the optimizer's own), lcb, "
    "ei, pi, logei, mean or se",
    "background": "what is compared with: a number of rows, or a configuration such as a default",
    "before": "a trial: with what was known when it was proposed",
    "kind, surrogate": "the model of the objective, unless said otherwise",
    "order": "size of the largest sets of hyperparameters",
    "n_trees": "of a forest",
    "index": "how what hyperparameters do together is shared out",
    "estimator, orders, precision": "how Shapley values are computed; leave them out",
    "seed": "of models and samples",
    "figure": "whether to return a figure, too",
}
"""What the arguments of several tools mean, which is said once."""
_SAID_ONCE = {name for names in SHARED for name in names.split(", ")}
_READING: dict[str, dict[str, Any]] = {
    "study_name": {"type": "string"},
    "objective": {"type": "string"},
    "direction": {"enum": ["minimize", "maximize"]},
    "target": {},
}
_FIGURE = {"type": "boolean"}
_OF_A_TERMINAL = ("n_jobs", "progress")  # which change no answer
_TYPES: dict[type, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_CLASSES: dict[str, tuple[type, ...]] = {
    **{name: (kind,) for kind, name in _TYPES.items()},
    "number": (int, float),
    "array": (list,),
}
_ROLE = re.compile(r":\w+:`([^`]*)`")
_SENTENCE = re.compile(r"[^.;]*(?:[.;](?! [A-Z\"]|$)[^.;]*)*")


@dataclass(frozen=True)
class Tool:
    """A method as a tool."""

    method: Method

    @cached_property
    def takes(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        several, arguments = arguments_of(self.method.function)
        study: dict[str, Any] = {"study": {"type": "string"}}
        if several:
            names = {"type": "array", "items": {"type": "string"}}
            study = {"studies": names}
        properties = {
            one.name: self._schema_of(one) for one in arguments if one.name not in _OF_A_TERMINAL
        }
        needed = [one.name for one in arguments if one.is_required]
        return {
            "type": "object",
            "properties": {**study, **_READING, **properties, "figure": _FIGURE},
            "required": [*study, *needed],
        }

    def _schema_of(self, argument: Argument) -> dict[str, Any]:
        """Return the JSON schema of an argument."""
        kind = argument.kind
        schema: dict[str, Any] = {}  # of configurations and objects JSON can say nothing
        if isinstance(kind, tuple):
            schema = {"enum": [*kind]}
        elif kind is not None:
            schema = {"type": _TYPES[kind]}
        if schema.get("type") == "integer" and argument.name in COUNTS:
            schema["maximum"] = COUNTS[argument.name]
        if argument.name not in _SAID_ONCE:
            schema["description"] = _briefly(argument.told)
            if isinstance(argument.default, (bool, int, float, str)):
                schema["default"] = argument.default
        return schema

    def answer(self, places: Places, given: Mapping[str, Any]) -> tuple[Result, bytes]:
        """Return what the method finds, and its figure as PNG where it is asked for.

        Raises
        ------
        ValueError, OSError, ImportError
            If an argument is wrong, or the study cannot be read.
        """
        from hpo_explain.draw.pages import image_of

        options = self._checked(given)
        figure = options.pop("figure", False)
        if "studies" in options:
            run: Any = {one: places.opened(one) for one in options.pop("studies")}
        else:
            run = places.opened(options.pop("study"))
        result = self.method.function(run, **options)
        return result, image_of(result, "png") if figure else b""

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that have a value, all of which may be given."""
        schemas = self.takes["properties"]
        options = {}
        for name, value in given.items():
            if name not in schemas:
                name = check_name("arguments", name[:100], schemas, "argument")
            if value is not None:
                check_size(name, value)
                options[name] = _checked(name, value, schemas[name])
        for name in self.takes["required"]:
            if name not in options:
                raise InputError(name, "is missing", remedy=_REMEDY)
        return options


_REMEDY = "The tool studies says which studies there are, and what arguments mean."


def _checked(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value of the type that an argument has."""
    kind = schema.get("type")
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # as JSON has one kind of numbers
    items = value if kind == "array" and "items" in schema else []
    if kind is not None and not _is_a(value, kind):
        problem = f"must be of type {kind}, but was {quoted(value)}"
        raise InputError(name, problem, value)
    for one in items:
        _checked(name, one, schema["items"])
    return value


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _CLASSES[kind])


def _briefly(description: str) -> str:
    """Return the beginning of what is told of an argument, without marks of the documentation.

    It has 105 characters at most, unless one word is longer.
    """
    plain = _ROLE.sub(r"\1", description).replace("``", "`")
    sentence = _SENTENCE.match(plain)
    first = sentence[0] if sentence else plain
    if len(first) <= 105:
        return first.rstrip(".")
    clauses = re.split(r"(?=, |: | \(|; )", first[:105])
    return "".join(clauses[:-1] or clauses)
