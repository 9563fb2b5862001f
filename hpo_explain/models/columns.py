"""How encoded rows become the columns a model is fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_explain.models._squares import INACTIVE_CATEGORY
from hpo_explain.space import Array, Range, SearchSpace

if TYPE_CHECKING:
    import pandas as pd

# below every position, so that one threshold separates inactive from active
INACTIVE = -1.0


class KernelColumns:
    """Columns for a kernel: every hyperparameter spans a distance of 1.

    A numeric hyperparameter is its position. A categorical one is the number of its category, of
    which only equality counts: two are as far apart as the two ends of a numeric column
    (`squared_distances`). An inactive one stands at the midpoint (of the range, or amid all
    categories), and each distinct condition adds an indicator column (1 active, 0 inactive).
    Hyperparameters with a single value have no column. They are in the order of the space's
    `order`.

    Parameters
    ----------
    space : SearchSpace
        The space whose encoded rows are transformed.

    Attributes
    ----------
    amid : ndarray
        For each column of categories the squared distance of an inactive one to any other, 0 for
        the others.
    members : tuple of tuple of int
        For each column those of the encoded row that it depends on: one hyperparameter, or all
        that share an indicator.
    owners : ndarray of int
        For each column the column of the encoded row that it comes from; an indicator belongs to
        the first of those that share it.
    """

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        amid: list[float] = []
        members: list[tuple[int, ...]] = []
        self._indicators: list[int] = []
        seen: dict[tuple[object, ...], int] = {}
        for j in space.order.tolist():
            parameter = space.parameters[j]
            if parameter.size != 1:
                category = parameter.is_category
                amid.append((1.0 - 1.0 / (parameter.size or 1)) / 2.0 if category else 0.0)
                members.append((j,))
        self._own = np.array([j for (j,) in members], dtype=np.int64)
        for j in space.order.tolist():
            parameter = space.parameters[j]
            if not space.is_conditional(parameter.name):
                continue
            key: tuple[object, ...] = tuple(
                (parent, codes if isinstance(codes, Range) else tuple(codes))
                for parent, codes in space.conditions[j]
            )
            if parameter.optional < 1.0:
                key = (*key, j)  # no other hyperparameter shares its activity
            if key in seen:
                members[seen[key]] += (j,)
                continue
            seen[key] = len(members)
            amid.append(0.0)
            members.append((j,))
            self._indicators.append(j)
        # every hyperparameter has a single value: one constant column
        if not members:
            amid = [0.0]
            members = [(0,)]
        self.amid = np.array(amid)
        self.members = tuple(members)
        self.owners = np.array([member[0] for member in members], dtype=np.int64)

    def __call__(self, X: Array) -> Array:
        """Return the model's columns (n, p) of encoded rows (n, d)."""
        X = self.space.check_rows("X", X)
        columns = np.zeros((len(X), len(self.amid)))
        own = X[:, self._own]
        off = np.where(self.amid[: len(self._own)] > 0.0, INACTIVE_CATEGORY, 0.5)
        columns[:, : len(self._own)] = np.where(np.isnan(own), off, own)
        if self._indicators:
            columns[:, -len(self._indicators) :] = ~np.isnan(X[:, self._indicators])
        return columns


class OrderedColumns:
    """Columns for trees: categories in the order of their mean objective, inactive ones below.

    With categories so ordered a threshold is a split into subsets, and the best one for squared
    error is among them [1]_, so any number of categories costs no more than a number.

    Parameters
    ----------
    space : SearchSpace
        The space whose encoded rows are transformed.
    X : ndarray of shape (n, d)
        Encoded rows of the observed trials.
    y : ndarray of shape (n,)
        Their objective. Categories with equal means are in the order of the space's `codes`.

    References
    ----------
    .. [1] Fisher, W. D. (1958). On grouping for maximum homogeneity. JASA 53(284), 789-798.
       https://doi.org/10.1080/01621459.1958.10501479
    """

    def __init__(self, space: SearchSpace, X: Array, y: Array) -> None:
        self.space = space
        self.owners = np.arange(len(space))
        self.ranks: dict[int, Array] = {}
        overall = float(np.mean(y)) if len(y) else 0.0
        for j, parameter in enumerate(space.parameters):
            if not parameter.is_category:
                continue
            # of a category that was never tried
            means = np.full(parameter.size, overall)
            active = ~np.isnan(X[:, j])
            codes = parameter.codes(X[active, j])
            count = np.bincount(codes, minlength=parameter.size)
            total = np.bincount(codes, weights=y[active], minlength=parameter.size)
            means[count > 0] = total[count > 0] / count[count > 0]
            ranks = np.empty(parameter.size)
            listed = space.codes(j)
            ranks[listed[np.argsort(means[listed], kind="stable")]] = np.arange(parameter.size)
            self.ranks[j] = ranks

    def __call__(self, X: Array) -> Array:
        """Return the model's columns (n, d) of encoded rows (n, d)."""
        columns = np.array(self.space.check_rows("X", X))
        active = ~np.isnan(columns)
        for j, ranks in self.ranks.items():
            codes = columns[active[:, j], j].astype(np.int64)
            columns[active[:, j], j] = ranks[codes]
        columns[~active] = INACTIVE
        return columns


class ValueColumns:
    """Columns of a table in the user's units, for a model that was fitted on one.

    What is inactive is missing.

    Parameters
    ----------
    space : SearchSpace
        The space whose encoded rows are transformed.
    names : sequence of str
        The hyperparameters, in the order of the table.
    """

    def __init__(self, space: SearchSpace, names: Sequence[str]) -> None:
        self.space = space
        self.names = tuple(names)

    def __call__(self, X: Array) -> pd.DataFrame:
        """Return the table (n, p) of encoded rows (n, d)."""
        import pandas as pd

        return pd.DataFrame(self.space.decode(X), columns=list(self.names))

    def numbers(self, X: Array) -> Array:
        """Return the table of encoded rows as an array (n, p) of numbers."""
        return self(X).to_numpy(dtype=float)
