"""What every kind of hyperparameter checks when it is declared: name, range and activity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hpo_explain.base.checks import check_fraction
from hpo_explain.base.errors import InputError


def check_name(name: object) -> None:
    """Raise InputError unless the name is a text."""
    if not isinstance(name, str) or not name:
        problem = f"of a hyperparameter must be a non-empty text, but was {name!r}"
        raise InputError("name", problem, name)


def check_range(name: str, low: float, high: float, log: bool) -> None:
    """Raise InputError unless the range is one, and positive on a log scale."""
    where = f"low of {name!r}"
    if low > high:
        problem = f"must not be above high, but was [{low!r}, {high!r}]"
        raise InputError(where, problem, low, "Swap them.")
    if log and low <= 0:
        problem = f"must be above 0 on a log scale, but was {low!r}"
        raise InputError(where, problem, low, "Raise low, or set log=False.")


def check_activity(parameter: Any) -> None:
    """Check `optional` and `active_when`, and keep the values of each parent as a tuple."""
    name = parameter.name
    if parameter.optional is not None:
        check_fraction(f"optional of {name!r}", parameter.optional)
    object.__setattr__(parameter, "active_when", _conditions(name, parameter.active_when))


def _conditions(
    name: str, active_when: Mapping[str, Iterable[Any]] | None
) -> dict[str, tuple[Any, ...]]:
    where = f"active_when of {name!r}"
    if not isinstance(active_when, Mapping | None):
        problem = f"must map parents to lists of values, but was {active_when!r}"
        raise InputError(where, problem, active_when, "Write {parent: [value, ...]}.")
    clean = {}
    for parent, values in (active_when or {}).items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            problem = f"must give a list of values of {parent!r}, but was {values!r}"
            raise InputError(where, problem, values, f"Write {{{parent!r}: [{values!r}]}}.")
        clean[parent] = tuple(values)
        if not clean[parent]:
            problem = f"lists no value of {parent!r}, so that {name!r} would never be active"
            raise InputError(where, problem, clean[parent], "List at least one value.")
    return clean
