"""Conditions between hyperparameters, and an order of columns and categories that trials lead to.

An order of columns and categories that follows from the trials, not from how they are named.

Draws, searches and fits go through a space in this order, so that they are the same whatever the
hyperparameters and categories are called, and whichever is listed first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hpo_explain.base import InputError, unknown_name
from hpo_explain.space._values import (
    Array,
    Bools,
    Ints,
    rounded,
    to_position,
)
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.number_parameters import FloatParameter, IntParameter
from hpo_explain.space.parameter import Parameter, values_text
from hpo_explain.space.ranges import Range

Rules: TypeAlias = tuple[tuple[int, Ints | Range], ...]
"""Conditions of one column: (column of the parent, codes or range for which it is active)."""


_ON_GRID = 1e-6  # of a step: ends that were only rounded


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
        self.rules = tuple(
            _rules(parameter, self._parameters) for parameter in parameters
        )
        self.parents_first = self._parents_first()

    def _parents_first(self) -> tuple[int, ...]:
        order: list[int] = []
        waiting = list(range(len(self._parameters)))
        while waiting:
            ready = [
                j
                for j in waiting
                if all(parent in order for parent, _ in self.rules[j])
            ]
            if not ready:
                circle = [self._parameters[j].name for j in waiting]
                problem = f"forms a circle: {', '.join(circle)}"
                raise InputError(
                    "active_when", problem, circle, "Remove one condition."
                )
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
    held[held] = np.isin(_codes_at(parent, column[held]), values)
    return held


def _codes_at(parent: Any, positions: Array) -> Ints:
    return np.asarray(parent.codes(positions))


def ends_of(parent: Any, values: Range) -> tuple[float, float]:
    """Return the positions of the ends of a range, infinite where no value of a number is beyond.

    Where values are counted they are half a step before one.
    """
    return _end(parent, values.low), _end(parent, values.high)


def _end(parent: Any, value: float) -> float:
    slack = _ON_GRID * (parent.step or 0.0)
    if value <= parent.low + slack:
        return -math.inf
    if value > parent.high + slack:
        return math.inf
    if parent.step is not None:
        steps = math.ceil((value - slack - parent.low) / parent.step)
        value = parent.low + (steps - 0.5) * parent.step
    ends = to_position(np.array([value]), parent.low, parent.high, parent.log)
    return float(ends[0])


def common(
    parent: Parameter, one: Ints | Range, other: Ints | Range
) -> Ints | Range | None:
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


def _values(
    where: str, parent: Parameter, values: Sequence[Any] | Range
) -> Ints | Range:
    if isinstance(values, Range):
        if parent.is_category:
            problem = (
                f"gives {values!r} of {parent.name!r}, which is categorical"
            )
            raise InputError(where, problem, values, "List its values.")
        if not values.meets(parent.low, parent.high):
            problem = (
                f"gives {values!r}, in which {parent.name!r} has no value"
            )
            remedy = f"Its values are {values_text(parent)}."
            raise InputError(where, problem, values, remedy)
        return values
    if isinstance(parent, FloatParameter):
        problem = (
            f"lists {list(values)} of {parent.name!r}, which is real-valued"
        )
        remedy = f"Give a hpo_explain.space.Range of {parent.name!r}."
        raise InputError(where, problem, list(values), remedy)
    return np.unique([_code(where, parent, value) for value in values])


def _code(
    where: str, parent: IntParameter | CategoricalParameter, value: object
) -> int:
    try:
        return parent.code(value)
    except InputError as error:
        problem = f"lists {value!r}, which is not a value of {parent.name!r}"
        remedy = f"Its values are {values_text(parent)}."
        raise InputError(where, problem, value, remedy) from error


@dataclass(frozen=True, eq=False)
class Canonical:
    """The order of the columns, and of the categories of each.

    Attributes
    ----------
    columns : ndarray of int, shape (d,)
        The columns in their order.
    categories : dict of int to ndarray of int
        For categorical columns the codes in their order.
    of_trials : bool
        Whether it follows from trials; otherwise everything is in the order in which it is listed.
    """

    columns: Ints
    categories: dict[int, Ints]
    of_trials: bool = True

    @property
    def key(self) -> str:
        """A text that identifies the order: equal for equal orders."""
        codes = {j: codes.tolist() for j, codes in self.categories.items()}
        return f"{self.columns.tolist()} {codes}"

    @classmethod
    def as_listed(cls, parameters: Sequence[Parameter]) -> Canonical:
        """Return the order in which the hyperparameters and their choices are listed."""
        sizes = {j: p.size for j, p in enumerate(parameters) if p.is_category}
        return cls(
            np.arange(len(parameters)),
            {j: np.arange(n) for j, n in sizes.items()},
            False,
        )

    @classmethod
    def of(
        cls,
        parameters: Sequence[Parameter],
        rules: Sequence[Rules],
        X: Array,
        cost: Array | None = None,
    ) -> Canonical:
        """Return the order that encoded rows (n, d) lead to, in whichever order these are.

        Rows are ranked by their values, whichever columns these are in, then by their cost (n,).
        Columns are in the order of their kind, then of their values in the first row, then in the
        second, and so on: further rows only decide between columns that were equal so far. A
        category stands where it was first tried; those never tried stand last, in the order of what
        they make active.
        """
        declared = [_declared(parameter) for parameter in parameters]
        kinds = sorted(set(declared))
        kind = np.array([kinds.index(one) for one in declared], dtype=float)
        categorical = np.array([p.is_category for p in parameters])
        ranks = _ranks_of_rows(X, kind, categorical, cost)
        contents: list[list[float]] = []
        tried: dict[int, Ints] = {}
        for j, parameter in enumerate(parameters):
            column = rounded(X[:, j])
            if parameter.is_category:
                tried[j] = _first_tried(column, ranks)
                place = np.full(parameter.size, -1.0)
                place[tried[j]] = np.arange(len(tried[j]))
                active = ~np.isnan(column)
                column[active] = place[column[active].astype(np.int64)]
            column = np.nan_to_num(column, nan=-1.0)
            # of rows of one rank the values are sorted: the order of rows decides last
            in_order = column[np.lexsort((column, ranks))]
            contents.append([*in_order.tolist(), *column.tolist()])
        columns = sorted(
            range(len(parameters)), key=lambda j: (declared[j], contents[j])
        )
        made_active: dict[tuple[int, int], list[int]] = {}
        for place_of_child, child in enumerate(columns):
            for parent, codes in rules[child]:
                # categories alone are counted in an order of their own
                for code in [] if isinstance(codes, Range) else codes:
                    made_active.setdefault((parent, int(code)), []).append(
                        place_of_child
                    )
        categories = {}
        for j, first in tried.items():
            rest = np.setdiff1d(
                np.arange(parameters[j].size or 0), first
            ).tolist()
            rest.sort(key=lambda code, j=j: made_active.get((j, code), []))
            categories[j] = np.array([*first.tolist(), *rest], dtype=np.int64)
        return cls(np.array(columns, dtype=np.int64), categories)


def _ranks_of_rows(
    X: Array, kind: Array, categorical: Bools, cost: Array | None
) -> Ints:
    """Return ranks of rows (n,) that depend neither on their order nor on that of columns.

    By the values of numbers and by what is active, then by the cost, then by how often the
    categories were tried.
    """
    present = np.where(np.isnan(X), -1.0, 0.0)
    values = np.where(
        categorical, present, np.nan_to_num(rounded(X), nan=-1.0)
    )
    # values of other kinds are never equal: each lies in [-1, 1]
    values = np.sort(values + 4.0 * kind, axis=1)
    counts = np.zeros(X.shape)
    for j in np.flatnonzero(categorical).tolist():
        codes, which = np.unique(X[:, j], return_inverse=True)
        counts[:, j] = np.bincount(which, minlength=len(codes))[which]
    counts = np.sort(counts + X.shape[0] * 2.0 * kind, axis=1)
    of_cost = np.zeros(len(X)) if cost is None else cost
    keys = np.column_stack([values, of_cost, counts])
    in_order = np.lexsort(keys.T[::-1])
    different = (np.diff(keys[in_order], axis=0) != 0.0).any(axis=1)
    ranks = np.empty(len(X), dtype=np.int64)
    ranks[in_order] = np.cumsum([0, *different])[: len(X)]
    return ranks


def _first_tried(column: Array, ranks: Ints) -> Ints:
    """Return the codes of a column in the order of the ranks of the rows in which they are."""
    present = ~np.isnan(column)
    codes, first, which, counts = np.unique(
        column[present],
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    own = ranks[present]
    of_codes = np.split(own[np.lexsort((own, which))], np.cumsum(counts)[:-1])
    places = sorted(
        range(len(codes)), key=lambda i: (of_codes[i].tolist(), first[i])
    )
    return np.asarray(codes[places].astype(np.int64))


def _declared(parameter: Parameter) -> tuple[Any, ...]:
    """Return what tells kinds of hyperparameters apart, without names, categories and units."""
    size = float("inf") if parameter.size is None else float(parameter.size)
    log = bool(getattr(parameter, "log", False))
    return (type(parameter).__name__, size, parameter.optional or 0.0, log)
