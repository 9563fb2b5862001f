"""A hyperparameter of any kind, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from hpo_explain.base import abridged, format_in_range, format_value, values_in_words
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.number_parameters import FloatParameter, IntParameter
from hpo_explain.space.ranges import Range

Parameter: TypeAlias = FloatParameter | IntParameter | CategoricalParameter

_MOST_VALUES = 20


def asked_as(parameter: Parameter) -> str:
    """Return what the objective calls a hyperparameter."""
    part_of = None if parameter.is_category else parameter.part_of
    return part_of or parameter.name


def condition_text(parameter: Parameter) -> str:
    """Return when a hyperparameter is active: "active when booster = dart", or "always active"."""
    rules = _rules(parameter)
    frequency = _frequency(parameter)
    if not rules and not frequency:
        return "always active"
    active = f"active when {rules}" if rules else "active"
    return f"{active}, {frequency}" if frequency else active


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """Return a hyperparameter's name, values, scale, and when it is active."""
    active = " and ".join(filter(None, (_rules(parameter), _frequency(parameter))))
    return (parameter.name, values_text(parameter), _scale(parameter), active or "always")


def values_text(parameter: Parameter) -> str:
    """Return the values of a hyperparameter: "1 to 5", or its choices."""
    if parameter.is_category:
        return abridged(parameter.choices, _MOST_VALUES)
    return f"{parameter.low} to {parameter.high}"


def value_text(parameter: Parameter, value: Any) -> str:
    """Return a value as people write it, with the digits that the hyperparameter's range needs."""
    if parameter.is_category:
        return format_value(value)
    return format_in_range(value, parameter.low, parameter.high)


def has_value(parameter: Parameter, value: Any) -> bool:
    """Return whether a hyperparameter has a value, in the user's units."""
    if parameter.is_category:
        return parameter.has(value)
    return bool(parameter.low <= value <= parameter.high)


def _scale(parameter: Parameter) -> str:
    if parameter.is_category:
        return "categories"
    kind = "float" if isinstance(parameter, FloatParameter) else "integer"
    step = f", step {parameter.step}" if parameter.step not in (None, 1) else ""
    values = f", one of {values_in_words(parameter.values)}" if parameter.values else ""
    return f"{kind}{', log' if parameter.log else ''}{step}{values}"


def _rules(parameter: Parameter) -> str:
    rules = (parameter.active_when or {}).items()
    return " and ".join(_rule(*rule) for rule in rules)


def _rule(parent: str, values: Sequence[Any] | Range) -> str:
    if isinstance(values, Range):
        return values.of(parent)
    if len(values) == 1:
        return f"{parent} = {values[0]}"
    return f"{parent} in {{{abridged(values, _MOST_VALUES)}}}"


def _frequency(parameter: Parameter) -> str:
    share = parameter.optional
    return "" if share == 1.0 else f"at a frequency of {share:.2g}"
