"""Conditions of ConfigSpace as values of parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_explain.space import CategoricalParameter, IntParameter, Parameter, category_index

Values = dict[str, list[Any]]
"""By parent the values for which a child is active; several parents mean *and*."""


class UnstatedError(Exception):
    """A condition that values of parents cannot state: "or" over several, a bound of a float."""


def condition_of(conditions: Sequence[Any], parameters: Mapping[str, Parameter]) -> Values:
    """Return when a child is active that has some conditions, all of which must be met.

    Raises
    ------
    UnstatedError
        If values of parents cannot state it.
    """
    found: Values = {}
    for condition in conditions:
        for parent, values in _values(condition, parameters).items():
            kept = found.get(parent, values)
            found[parent] = [value for value in values if category_index(kept, value) is not None]
    if any(not values for values in found.values()):
        raise UnstatedError
    return found


def _values(condition: Any, parameters: Mapping[str, Parameter]) -> Values:
    kind = type(condition).__name__
    if kind == "AndConjunction":
        return condition_of(condition.components, parameters)
    if kind == "OrConjunction":
        parts = [_values(part, parameters) for part in condition.components]
        parents = {name for part in parts for name in part}
        if len(parents) > 1:
            raise UnstatedError
        (parent,) = parents
        joined = [value for part in parts for value in part[parent]]
        once = [v for i, v in enumerate(joined) if category_index(joined[:i], v) is None]
        return {parent: once}
    parent = str(condition.parent.name)
    if kind == "InCondition":
        return {parent: [_plain(value) for value in condition.values]}
    value = _plain(condition.value)
    if kind == "EqualsCondition":
        return {parent: [value]}
    every = _every(parameters[parent])
    if kind == "NotEqualsCondition":
        return {parent: [v for v in every if category_index([value], v) is None]}
    # of an ordinal hyperparameter: in its order
    at = category_index(every, value)
    if at is None:
        raise UnstatedError
    return {parent: every[:at] if kind == "LessThanCondition" else every[at + 1 :]}


def _every(parameter: Parameter) -> list[Any]:
    if isinstance(parameter, IntParameter):
        return list(range(parameter.low, parameter.high + 1, parameter.step))
    if isinstance(parameter, CategoricalParameter):
        return list(parameter.choices)
    raise UnstatedError


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
