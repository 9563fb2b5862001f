"""What is left of hyperparameters where some of their parents' values are given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpo_explain.space.conditions import ends_of
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.ranges import Range


def still_possible(
    parameters: Sequence[Parameter],
) -> tuple[list[Parameter], list[str]]:
    """Return hyperparameters whose conditions can be met, and the names of the others."""
    left = list(parameters)
    while True:
        values = {p.name: p for p in left}
        checked = [_conditions_within(p, values) for p in left]
        possible = [p for p in checked if p is not None]
        if len(possible) == len(left):
            names = {p.name for p in possible}
            return possible, [
                p.name for p in parameters if p.name not in names
            ]
        left = possible


def _conditions_within(
    parameter: Parameter, parents: Mapping[str, Parameter]
) -> Parameter | None:
    """Return a hyperparameter whose conditions name possible values only; None if there are none.

    A condition that is always met is kept: it says the same, and the space stays recognizable.
    """
    conditions: dict[str, Sequence[Any] | Range] = {}
    for name, values in (parameter.active_when or {}).items():
        if isinstance(values, Range):
            parent: Any = parents.get(name)
            # of real numbers the end alone is no part of the space
            if parent is None or ends_of(parent, values)[0] >= 1.0:
                return None
            if not values.meets(parent.low, parent.high):
                return None
            conditions[name] = values
            continue
        possible = [
            v
            for v in values
            if name in parents and has_value(parents[name], v)
        ]
        if not possible:
            return None
        conditions[name] = possible
    return (
        replace(parameter, active_when=conditions) if conditions else parameter
    )


def has_value(parameter: Parameter, value: Any) -> bool:
    """Return whether a hyperparameter has a value, in the user's units."""
    if parameter.is_category:
        return parameter.has(value)
    return bool(parameter.low <= value <= parameter.high)
