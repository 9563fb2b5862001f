"""An order of columns and categories that follows from the trials, not from how they are named.

Draws, searches and fits go through a space in this order, so that they are the same whatever the
hyperparameters and categories are called, and whichever is listed first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.space._values import Array
from hpo_explain.space.categorical_parameter import CategoricalParameter
from hpo_explain.space.conditions import Rules
from hpo_explain.space.parameter import Parameter

Codes = npt.NDArray[np.int64]


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

    columns: Codes
    categories: dict[int, Codes]
    of_trials: bool = True

    @property
    def key(self) -> str:
        """What differs where the order does."""
        codes = {j: codes.tolist() for j, codes in self.categories.items()}
        return f"{self.columns.tolist()} {codes}"

    @classmethod
    def as_listed(cls, parameters: Sequence[Parameter]) -> Canonical:
        """Return the order in which everything is listed."""
        sizes = {j: p.size for j, p in enumerate(parameters) if isinstance(p, CategoricalParameter)}
        return cls(np.arange(len(parameters)), {j: np.arange(n) for j, n in sizes.items()}, False)

    @classmethod
    def of(cls, parameters: Sequence[Parameter], rules: Sequence[Rules], X: Array) -> Canonical:
        """Return the order that encoded rows (n, d) lead to.

        Columns are in the order of their kind, then of their values in the first row, then in the
        second, and so on: further rows only decide between columns that were equal so far. A
        category stands where it was first tried; those never tried stand last, in the order of what
        they make active.
        """
        contents: list[list[float]] = []
        tried: dict[int, Codes] = {}
        for j, parameter in enumerate(parameters):
            column = X[:, j]
            if isinstance(parameter, CategoricalParameter):
                tried[j] = _first_tried(column)
                rank = np.full(parameter.size, -1.0)
                rank[tried[j]] = np.arange(len(tried[j]))
                active = ~np.isnan(column)
                column = np.where(active, -1.0, np.nan)
                column[active] = rank[X[active, j].astype(np.int64)]
            contents.append(np.nan_to_num(column, nan=-1.0).tolist())
        declared = [_declared(parameter) for parameter in parameters]
        columns = sorted(range(len(parameters)), key=lambda j: (declared[j], contents[j]))
        made_active: dict[tuple[int, int], list[int]] = {}
        for place, child in enumerate(columns):
            for parent, codes in rules[child]:
                for code in codes.tolist():
                    made_active.setdefault((parent, code), []).append(place)
        categories = {}
        for j, first in tried.items():
            rest = np.setdiff1d(np.arange(parameters[j].size or 0), first).tolist()
            rest.sort(key=lambda code, j=j: made_active.get((j, code), []))
            categories[j] = np.array([*first.tolist(), *rest], dtype=np.int64)
        return cls(np.array(columns, dtype=np.int64), categories)


def _first_tried(column: Array) -> Codes:
    """Return the codes of a column in the order in which they first appear."""
    codes, first = np.unique(column[~np.isnan(column)], return_index=True)
    return np.asarray(codes[np.argsort(first)].astype(np.int64))


def _declared(parameter: Parameter) -> tuple[Any, ...]:
    """Return what tells kinds of hyperparameters apart, without names and categories."""
    size = float("inf") if parameter.size is None else float(parameter.size)
    ends = (0.0, 0.0, False)
    if not isinstance(parameter, CategoricalParameter):
        ends = (float(parameter.low), float(parameter.high), bool(parameter.log))
    return (type(parameter).__name__, size, parameter.optional or 0.0, *ends)
