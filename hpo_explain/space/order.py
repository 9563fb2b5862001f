"""An order of columns and categories that follows from the trials, not from how they are named.

Draws, searches and fits go through a space in this order, so that they are the same whatever the
hyperparameters and categories are called, and whichever is listed first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.space._values import Array, Bools, Ints, rounded
from hpo_explain.space.conditions import Rules
from hpo_explain.space.parameter import Parameter
from hpo_explain.space.ranges import Range


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
        return cls(np.arange(len(parameters)), {j: np.arange(n) for j, n in sizes.items()}, False)

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
        tried = {j: _first_tried(X[:, j], ranks) for j in np.flatnonzero(categorical).tolist()}
        contents = [_content(X[:, j], ranks, tried.get(j)) for j in range(len(parameters))]
        columns = sorted(range(len(parameters)), key=lambda j: (declared[j], contents[j]))
        made_active = _made_active(columns, rules)
        categories = {}
        for j, codes in tried.items():
            size = parameters[j].size or 0
            never = sorted({*range(size)} - {*codes})
            children = {code: made_active[j, code] for code in never}
            never.sort(key=children.__getitem__)
            categories[j] = np.array([*codes, *never], dtype=np.int64)
        return cls(np.array(columns, dtype=np.int64), categories)


def _content(column: Array, ranks: Ints, tried: Sequence[int] | None) -> list[float]:
    """Return the values of a column by the ranks of rows, of categories by when they were tried.

    Of rows of one rank the values are sorted: the order of rows decides last.
    """
    values = rounded(column)
    if tried is not None:
        first = {float(code): k for k, code in enumerate(tried)}
        values = np.array([first.get(code, np.nan) for code in values.tolist()])
    values = np.nan_to_num(values, nan=-1.0)
    in_order = values[np.lexsort((values, ranks))]
    return [*in_order.tolist(), *values.tolist()]


def _made_active(
    columns: Sequence[int], rules: Sequence[Rules]
) -> Mapping[tuple[int, int], list[int]]:
    """Return by parent and category the places of the columns that it makes active."""
    children: dict[tuple[int, int], list[int]] = defaultdict(list)
    for k, child in enumerate(columns):
        for parent, codes in rules[child]:
            # categories alone are counted in an order of their own
            for code in [] if isinstance(codes, Range) else codes.tolist():
                children[parent, code].append(k)
    return children


def _ranks_of_rows(X: Array, kind: Array, categorical: Bools, cost: Array | None) -> Ints:
    """Return ranks of rows (n,) that depend neither on their order nor on that of columns.

    By the values of numbers and by what is active, then by the cost, then by how often the
    categories were tried.
    """
    present = np.where(np.isnan(X), -1.0, 0.0)
    values = np.where(categorical, present, np.nan_to_num(rounded(X), nan=-1.0))
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
    keys = keys[in_order]
    different = (keys[1:] != keys[:-1]).any(axis=1)
    ranks = np.empty(len(X), dtype=np.int64)
    ranks[in_order] = np.cumsum([0, *different])[: len(X)]
    return ranks


def _first_tried(column: Array, ranks: Ints) -> list[int]:
    """Return the codes of a column in the order of the ranks of the rows in which they are."""
    tried: dict[int, list[int]] = {}
    for code, rank in zip(column.tolist(), ranks.tolist(), strict=True):
        if code == code:  # NaN where it is inactive
            tried.setdefault(int(code), []).append(rank)
    # of equal ones the first row decides: the order in which they were found
    return sorted(tried, key=lambda code: sorted(tried[code]))


def _declared(parameter: Parameter) -> tuple[Any, ...]:
    """Return what tells kinds of hyperparameters apart, without names, categories and units."""
    size = float("inf") if parameter.size is None else float(parameter.size)
    log = bool(getattr(parameter, "log", False))
    return (type(parameter).__name__, size, parameter.optional, log)
