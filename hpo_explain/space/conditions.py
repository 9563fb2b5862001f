"""Conditions: which values of its parents make a hyperparameter active."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import unknown_name
from hpo_explain.base.errors import InputError
from hpo_explain.space._values import Array
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.float_parameter import FloatParameter
from hpo_explain.space.int_parameter import IntParameter
from hpo_explain.space.parameter import Parameter, values_text

Rules: TypeAlias = tuple[tuple[int, npt.NDArray[np.int64]], ...]
"""Conditions of one column: (column of the parent, codes for which it is active)."""


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
        If a condition names an unknown or real-valued parent or an impossible value, or the
        conditions form a circle.

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

    def allowed(self, X: Array, j: int) -> npt.NDArray[np.bool_]:
        """Return for each encoded row whether the parents of column `j` let it be active."""
        allowed = np.ones(len(X), dtype=bool)
        for parent, codes in self.rules[j]:
            column = X[:, parent]
            active = ~np.isnan(column)
            parameter = self._parameters[parent]
            values = np.zeros(len(X), dtype=np.int64)
            if not isinstance(parameter, FloatParameter):
                values[active] = parameter.codes(column[active])
            allowed &= active & np.isin(values, codes)
        return allowed

    def project(self, X: Array) -> Array:
        """Return a copy of latent rows in which everything inactive is NaN."""
        rows = np.array(X)
        for j in self.parents_first:
            if self.rules[j]:
                rows[~self.allowed(rows, j), j] = np.nan
        return rows


def _rules(child: Parameter, parameters: Sequence[Parameter]) -> Rules:
    where = f"active_when of {child.name!r}"
    names = [parameter.name for parameter in parameters]
    rules = []
    for name, values in (child.active_when or {}).items():
        if name not in names:
            raise unknown_name(where, name, names, "hyperparameter")
        parent = parameters[names.index(name)]
        if isinstance(parent, FloatParameter):
            problem = f"names {name!r}, which is real-valued"
            raise InputError(where, problem, name, "Parents are categorical or integer.")
        codes = [_code(where, parent, value) for value in values]
        rules.append((names.index(name), np.unique(codes)))
    return tuple(rules)


def _code(where: str, parent: IntParameter | CategoricalParameter, value: object) -> int:
    try:
        return parent.code(value)
    except InputError as error:
        problem = f"lists {value!r}, which is not a value of {parent.name!r}"
        remedy = f"Its values are {values_text(parent)}."
        raise InputError(where, problem, value, remedy) from error
