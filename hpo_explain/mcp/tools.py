"""The catalog as tools: what each takes, and what it answers."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.html import plain_json
from hpo_explain.base.options import KINDS
from hpo_explain.base.result import Result
from hpo_explain.catalog.entry import Method
from hpo_explain.mcp.places import Places, abridged_name
from hpo_explain.question import arguments_of

_STUDY = (
    "A name that the tool `studies` lists: a file of a study, or an address."
)
_READING = {
    "study_name": {
        "type": "string",
        "description": "The study, where a storage holds several.",
    },
    "objective": {
        "type": "string",
        "description": "Of a table: the column of the objective.",
    },
    "direction": {
        "type": "string",
        "enum": ["minimize", "maximize"],
        "description": "Of a table: which way is better.",
    },
    "target": {
        "description": "In place of the objective: duration, failed or infeasible; or one of "
        "several objectives by its name or number."
    },
}
_FIGURE = {
    "type": "boolean",
    "default": False,
    "description": "Whether to return a figure, too.",
}
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
}
_CLASSES: dict[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "array": list,
    "null": type(None),
}
_LARGEST = 10_000  # of trees, samples and other counts: minutes at most
_NO_COUNTS = ("seed", "trial", "target")


@dataclass(frozen=True)
class Tool:
    """A method as a tool."""

    method: Method

    @cached_property
    def takes(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        several, arguments = arguments_of(self.method.function)
        taken: dict[str, Any] = {
            "study": {"type": "string", "description": _STUDY}
        }
        if several:
            both = {"type": "array", "items": taken["study"]}
            taken = {
                "studies": {**both, "description": f"Two or more: {_STUDY}"}
            }
        required = [*taken]
        for one in arguments:
            taken[one.name] = {**_type_of(one.hint), "description": one.told}
            if one.name in self.method.sources:
                taken[one.name] |= {
                    "type": "array",
                    "items": {"type": "string"},
                }
            elif one.name == "surrogate":
                taken[one.name]["enum"] = [*KINDS]
            if one.is_required:
                required.append(one.name)
            elif isinstance(one.default, (bool, int, float, str)):
                taken[one.name]["default"] = one.default
        taken = {**_READING, **taken, "figure": _FIGURE}
        return {
            "type": "object",
            "properties": taken,
            "required": required,
            "additionalProperties": False,
        }

    def answer(
        self, places: Places, given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], bytes | None]:
        """Return what the method says, and its figure as PNG where it is asked for.

        Raises
        ------
        ValueError, OSError, ImportError
            If an argument is wrong, or the study cannot be read.
        """
        taken = self.takes
        for name in given:
            check_name("arguments", name, [*taken["properties"]], "argument")
        for name in taken["required"]:
            if name not in given:
                raise InputError(
                    name,
                    "is missing",
                    remedy=taken["properties"][name]["description"],
                )
        options = {
            name: value for name, value in given.items() if value is not None
        }
        for name, value in options.items():
            _check_value(name, value, taken["properties"][name])
        figure = options.pop("figure", False)
        for name in self.method.sources:
            if name in options:
                options[name] = [places.opened(one) for one in options[name]]
        if "studies" in options:
            run: Any = {
                one: places.opened(one) for one in options.pop("studies")
            }
        else:
            run = places.opened(options.pop("study"))
        found = self.method.function(run, **options)
        return said(found), _png(found) if figure else None


def said(found: Result) -> dict[str, Any]:
    """Return what a result says: the sentence, and its claims with why they may not be certain."""
    claims = [
        {
            "text": claim.text,
            **{
                k: v
                for k, v in claim.to_dict().items()
                if k not in ("because", "term")
            },
            "because": [str(reason) for reason in claim.because],
        }
        for claim in found.claims
    ]
    notes = [str(note) for note in found.notes]
    answer: dict[str, Any] = plain_json(
        {
            "sentence": found.said,
            "claims": claims,
            "notes": notes,
            "details": found.details,
        }
    )
    return answer


def _check_value(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    """Raise InputError where a value has another type, or would keep the server busy for ever."""
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(_is_a(value, one) for one in names):
        problem = f"must be of type {' or '.join(names)}, but was {abridged_name(value)}"
        raise InputError(name, problem, value)
    is_count = isinstance(value, int) and name not in _NO_COUNTS
    if is_count and abs(value) > _LARGEST:
        problem = (
            f"must be at most {_LARGEST} here, but was {abridged_name(value)}"
        )
        remedy = "Use the command line or Python for more."
        raise InputError(name, problem, value, remedy)


def _is_a(value: Any, name: str) -> bool:
    if isinstance(value, bool) or name == "boolean":
        return isinstance(value, bool) and name == "boolean"
    return isinstance(value, _CLASSES[name])


def _png(found: Result) -> bytes:
    drawn = io.BytesIO()
    axes = np.ravel(np.asarray(found.plot(), dtype=object))
    axes[0].figure.figure.savefig(drawn, format="png", bbox_inches="tight")
    return drawn.getvalue()


def _type_of(hint: Any) -> dict[str, Any]:
    """Return what JSON schema can say of a type; nothing of configurations and objects."""
    if get_origin(hint) is Literal:
        return {"enum": [*get_args(hint)]}
    parts = (
        get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    )
    known = [_TYPES[part] for part in parts if part in _TYPES]
    return {"type": known} if len(known) == len(parts) else {}
