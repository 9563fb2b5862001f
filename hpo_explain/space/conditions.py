"""Conditions between hyperparameters: when each is active, and which can still be met."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from hpo_explain.base import InputError, unknown_name
from hpo_explain.space._values import ON_GRID, Array, Bools, Ints, to_position
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.number_parameters import FloatParameter, IntParameter
from hpo_explain.space.parameter import Parameter, has_value, values_text
from hpo_explain.space.ranges import Range

Rules: TypeAlias = tuple[tuple[int, Ints | Range], ...]
"""Conditions of one column: (column of the parent, codes or range for which it is active)."""


class Conditions:
    """When each hyperparameter of a space is active.

    Parameters
    ----------
    parameters : sequence of FloatParameter, IntParameter or CategoricalParameter
        The hyperparameters, in the order of the columns; their names differ.

    Attributes
    ----------
    rules : tuple of Rules
        The conditions of each column.
    parents_first : tuple of int
        The columns in an order in which every parent stands before its children.

    Raises
    ------
    InputError
        If a condition names an unknown parent or an impossible value, or the conditions form a
        circle.

    Examples
    --------
    >>> from hpo_explain.space import CategoricalParameter, FloatParameter
    >>> booster = CategoricalParameter("booster", ["gbtree", "dart"])
    >>> drop = FloatParameter("rate_drop", 0.0, 1.0, active_when={"booster": ["dart"]})
    >>> Conditions([drop, booster]).parents_first
    (1, 0)
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = tuple(parameters)
        self.rules = tuple(_rules(parameter, self._parameters) for parameter in parameters)
        self.parents_first = self._parents_first()

    def _parents_first(self) -> tuple[int, ...]:
        order: list[int] = []
        waiting = list(range(len(self._parameters)))
        while waiting:
            ready = [j for j in waiting if all(parent in order for parent, _ in self.rules[j])]
            if not ready:
                circle = [self._parameters[j].name for j in waiting]
                problem = f"forms a circle: {', '.join(circle)}"
                raise InputError("active_when", problem, circle, "Remove one condition.")
            order += ready
            waiting = [j for j in waiting if j not in ready]
        return tuple(order)

    def allowed(self, X: Array, j: int) -> Bools:
        """Return for each encoded row whether the parents of column `j` let it be active."""
        allowed = np.ones(len(X), dtype=bool)
        for parent, values in self.rules[j]:
            allowed &= holds(self._parameters[parent], values, X[:, parent])
        return allowed

    def project(self, X: Array) -> Array:
        """Return a copy of latent rows in which everything inactive is NaN."""
        rows = np.array(X)
        for j in self.parents_first:
            if self.rules[j]:
                rows[~self.allowed(rows, j), j] = np.nan
        return rows


def holds(parent: Parameter, values: Ints | Range, column: Array) -> Bools:
    """Return which positions of a parent, (n,), are those of some of its values; no NaN is."""
    if isinstance(values, Range):
        low, high = ends_of(parent, values)
        return (column >= low) & (column < high)
    held = ~np.isnan(column)
    whole: Any = parent  # real numbers have ranges
    held[held] = np.isin(whole.codes(column[held]), values)
    return held


def ends_of(parent: Any, values: Range) -> tuple[float, float]:
    """Return the positions of the ends of a range, infinite where no value of a number is beyond.

    Where values are counted they are half a step before one.
    """
    return _end(parent, values.low), _end(parent, values.high)


def _end(parent: Any, value: float) -> float:
    slack = ON_GRID * (parent.step or 0.0)
    if value <= parent.low + slack:
        return -math.inf
    if value > parent.high + slack:
        return math.inf
    if parent.step is not None:
        steps = math.ceil((value - slack - parent.low) / parent.step)
        value = parent.low + (steps - 0.5) * parent.step
    ends = to_position(np.array([value]), parent.low, parent.high, parent.log)
    return float(ends[0])


def common(parent: Parameter, one: Ints | Range, other: Ints | Range) -> Ints | Range | None:
    """Return the values of a parent that two conditions have in common; None without any."""
    if isinstance(one, Range) and isinstance(other, Range):
        return one.common(other)
    codes: Any = other if isinstance(one, Range) else one
    others = one if isinstance(one, Range) else other
    if isinstance(others, Range):
        both = codes[holds(parent, others, parent.encode(codes.tolist()))]
    else:
        both = np.intersect1d(codes, others)
    return both if both.size else None


def _rules(child: Parameter, parameters: Sequence[Parameter]) -> Rules:
    where = f"active_when of {child.name!r}"
    names = [parameter.name for parameter in parameters]
    rules = []
    for name, values in (child.active_when or {}).items():
        if name not in names:
            raise unknown_name(where, name, names, "hyperparameter")
        parent = parameters[names.index(name)]
        rules.append((names.index(name), _values(where, parent, values)))
    return tuple(rules)


def _values(where: str, parent: Parameter, values: Sequence[Any] | Range) -> Ints | Range:
    if isinstance(values, Range):
        if parent.is_category:
            problem = f"gives {values!r} of {parent.name!r}, which is categorical"
            raise InputError(where, problem, values, "List its values.")
        if not values.meets(parent.low, parent.high):
            problem = f"gives {values!r}, in which {parent.name!r} has no value"
            remedy = f"Its values are {values_text(parent)}."
            raise InputError(where, problem, values, remedy)
        return values
    if isinstance(parent, FloatParameter):
        problem = f"lists {list(values)} of {parent.name!r}, which is real-valued"
        remedy = f"Give a hpo_explain.space.Range of {parent.name!r}."
        raise InputError(where, problem, list(values), remedy)
    return np.unique([_code(where, parent, value) for value in values])


def _code(where: str, parent: IntParameter | CategoricalParameter, value: object) -> int:
    try:
        return parent.code(value)
    except InputError as error:
        problem = f"lists {value!r}, which is not a value of {parent.name!r}"
        remedy = f"Its values are {values_text(parent)}."
        raise InputError(where, problem, value, remedy) from error


def still_possible(parameters: Sequence[Parameter]) -> tuple[list[Parameter], list[str]]:
    """Return hyperparameters whose conditions can be met, and the names of the others."""
    left = list(parameters)
    while True:
        values = {p.name: p for p in left}
        checked = [_conditions_within(p, values) for p in left]
        possible = [p for p in checked if p is not None]
        if len(possible) == len(left):
            names = {p.name for p in possible}
            return possible, [p.name for p in parameters if p.name not in names]
        left = possible


def _conditions_within(parameter: Parameter, parents: Mapping[str, Parameter]) -> Parameter | None:
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
        possible = [v for v in values if name in parents and has_value(parents[name], v)]
        if not possible:
            return None
        conditions[name] = possible
    return replace(parameter, active_when=conditions) if conditions else parameter
