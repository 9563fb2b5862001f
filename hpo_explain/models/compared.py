"""Rows compared with trials by the product kernel: products of its factors, and its added parts.

Rows often share values, those of a lattice or the categories: these are compared
once. And many rows differ from one row in few hyperparameters: neighbors in a search, or rows of
which most values are fixed. Theirs are that one's, with few factors exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.models._kernels import FAR, Single, compare
from hpo_explain.models.product_kernel import ROOT5, Parameters
from hpo_explain.space import Array, Bools, Ints

_FEW = 0.25  # of the values may differ from the usual row's, where they are exchanged
_NO_CATEGORY = np.float32(-1.0)


@dataclass(frozen=True, eq=False)
class Trials:
    """Trials that rows are compared with.

    Attributes
    ----------
    values : ndarray of shape (d, n)
        Their encoded values; where inactive, far from every number and equal to no category.
    inactive : ndarray of bool, shape (d, n)
        Where they are inactive.
    numbers : ndarray of bool, shape (d,)
        Which hyperparameters are numbers.
    """

    values: Single
    inactive: Bools
    numbers: Bools

    @classmethod
    def of(cls, X: Array, numbers: Bools) -> Trials:
        """Return trials by their encoded rows (n, d)."""
        inactive = np.ascontiguousarray(np.isnan(X).T)
        nowhere = np.where(numbers, FAR, _NO_CATEGORY)[:, None]
        values = np.where(inactive, nowhere, X.T).astype(np.float32)
        return cls(values, inactive, numbers)

    @property
    def rows(self) -> Array:
        """Their encoded rows (n, d) in single precision; NaN where inactive."""
        return np.where(self.inactive, np.nan, self.values).T

    def only(self, columns: Ints) -> Trials:
        """Return them with some of their hyperparameters."""
        return Trials(self.values[columns], self.inactive[columns], self.numbers[columns])


@dataclass(frozen=True, eq=False)
class Cells:
    """Single values of rows, by column, and equal ones one after the other.

    Attributes
    ----------
    rows, columns : ndarray of int, shape (e,)
        Where they stand.
    values : ndarray of shape (e,)
        The values, NaN where inactive.
    """

    rows: Ints
    columns: Ints
    values: Single


@dataclass(frozen=True, eq=False)
class Rows:
    """Encoded rows, and what they have in common.

    Attributes
    ----------
    X : ndarray of shape (m, d)
        The rows in single precision; NaN where inactive.
    """

    X: Single

    @cached_property
    def usual(self) -> Single:
        """The values that most rows have where there are such, (d,); NaN where there is no row."""
        if not len(self.X):
            return np.full_like(self.X, np.nan, shape=self.X.shape[1])
        return np.sort(self.X, axis=0)[len(self.X) // 2]

    @cached_property
    def in_order(self) -> Ints:
        """The rows in the order of the values of each column, (m, d)."""
        return np.argsort(self.X, axis=0)

    @cached_property
    def every(self) -> Cells:
        """All values."""
        rows = self.in_order.T.ravel()
        columns = np.repeat(np.arange(self.X.shape[1]), len(self.X))
        return Cells(rows, columns, self.X[rows, columns])

    @cached_property
    def exchanged(self) -> Cells | None:
        """Values that differ from the usual ones; None if these are many."""
        if len(self.X) < 2:
            return None
        both_inactive = np.isnan(self.X) & np.isnan(self.usual)
        differs = (self.X != self.usual) & ~both_inactive
        if np.count_nonzero(differs) > _FEW * differs.size:
            return None
        # as np.nonzero, whose arrays are not contiguous: kernels would be compiled twice
        columns, rows = np.divmod(np.flatnonzero(differs.T), len(self.X))
        values = self.X[rows, columns]
        in_order = np.lexsort((values, columns))
        return Cells(rows[in_order], columns[in_order], values[in_order])


def compared(
    rows: Rows, trials: Trials, parameters: tuple[Single, Single, Single]
) -> tuple[Single, Single]:
    """Return the products of factors (m, n) of rows and trials, and the sums of added parts.

    Parameters
    ----------
    rows, trials : Rows, Trials
        What is compared.
    parameters : tuple of ndarray, each of shape (d,)
        Rates, weights and amplitudes, as `Parameters.single` has them.
    """
    rates, weights, amplitudes = parameters
    scaled = np.array([rates * np.float32(ROOT5), weights, amplitudes])
    n = trials.values.shape[1]
    cells = rows.exchanged
    exchanges = cells is not None
    if cells is None:
        cells = rows.every
        product = np.ones((len(rows.X), n), np.float32)
        added = np.zeros_like(product)
    else:
        product, added = (
            np.repeat(of_usual, len(rows.X), axis=0)
            for of_usual in compared(Rows(rows.usual[None]), trials, parameters)
        )
    compare(
        cells.rows,
        cells.columns,
        cells.values,
        rows.usual,
        trials.values,
        trials.inactive,
        trials.numbers,
        scaled,
        exchanges,
        bool(amplitudes.any()),
        np.empty((4, n), np.float32),
        product,
        added,
    )
    return product, added


@dataclass(frozen=True, eq=False)
class Compared:
    """Rows beside trials, as a Gaussian process predicts them.

    Attributes
    ----------
    rows : Rows
        The rows.
    trials : Trials
        The trials.
    """

    rows: Rows
    trials: Trials

    @cached_property
    def active(self) -> Array:
        """1 where a hyperparameter is active in a row, else 0, (m, d)."""
        return (~np.isnan(self.rows.X)).astype(float)

    def covariances(self, p: Parameters) -> Single:
        """Return the covariances of the rows with the trials, (m, n)."""
        product, added = compared(self.rows, self.trials, p.single)
        return np.float32(1.0) + np.float32(p.product) * product + added
