"""Rows compared with trials by the product kernel: products of its factors, and its added parts.

Both are compiled. Rows often share values, those of a lattice or the categories: these are compared
once. And many rows differ from one row in few hyperparameters: neighbors in a search, or rows of
which most values are fixed. Theirs are that one's, with few factors exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.models._compiled import compiled
from hpo_explain.models._squares import exp_32
from hpo_explain.models.product_kernel import (
    FAR,
    ROOT5,
    Parameters,
    Single,
)
from hpo_explain.space import Array, Bools, Ints

_FEW = 0.25  # of the values may differ from the usual row's, where they are exchanged
_NONE, _ONE, _THIRD = map(np.float32, (0.0, 1.0, 1.0 / 3.0))
# smaller products are 0: they count for nothing, and the smallest take 100 times as long
_TINY = np.float32(1e-30)
_NO_CATEGORY = np.float32(-1.0)
_compiled = compiled(error_model="numpy", fastmath={"contract"})


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
        return Trials(
            self.values[columns], self.inactive[columns], self.numbers[columns]
        )


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
        """The values that most rows have where there are such, (d,)."""
        return np.asarray(np.sort(self.X, axis=0)[len(self.X) // 2])

    @cached_property
    def in_order(self) -> Ints:
        """The rows in the order of the values of each column, (m, d)."""
        return np.argsort(self.X, axis=0)

    @cached_property
    def exchanged(self) -> tuple[Ints, Ints] | None:
        """Rows and columns of values that differ from the usual ones; None if these are many."""
        if len(self.X) < 2:
            return None
        both_inactive = np.isnan(self.X) & np.isnan(self.usual)
        differs = (self.X != self.usual) & ~both_inactive
        if np.count_nonzero(differs) > _FEW * differs.size:
            return None
        # as np.nonzero, whose arrays are not contiguous: kernels would be compiled twice
        rows, columns = np.divmod(np.flatnonzero(differs), differs.shape[1])
        return rows, columns


def compared(
    rows: Rows,
    trials: Trials,
    parameters: tuple[Single, Single, Single],
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
    about = (
        trials.values,
        trials.inactive,
        trials.numbers,
        rates * np.float32(ROOT5),
        weights,
        amplitudes,
    )
    d, n = trials.values.shape
    shape = len(rows.X), n
    additive = bool(amplitudes.any())
    work = np.empty((2, n), np.float32)
    if rows.exchanged is None:
        product = np.ones(shape, np.float32)
        added = np.zeros(shape, np.float32)
        _compare(rows.X, rows.in_order, *about, additive, work, product, added)
        return product, added
    usual = Rows(rows.usual[None])
    product, added = (
        np.repeat(of_usual, len(rows.X), axis=0)
        for of_usual in compared(usual, trials, parameters)
    )
    which, columns = rows.exchanged
    values = rows.X[which, columns]
    _exchange(
        rows.usual,
        which,
        columns,
        values,
        *about,
        np.zeros(d, np.bool_),
        np.empty((2 * d, n), np.float32),
        work,
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
        return np.asarray((~np.isnan(self.rows.X)).astype(float))

    def covariances(self, p: Parameters) -> Single:
        """Return the covariances of the rows with the trials, (m, n)."""
        product, added = compared(self.rows, self.trials, p.single)
        return np.asarray(_ONE + np.float32(p.product) * product + added)


@_compiled
def _of_value(
    x: Any,
    trials: Single,
    inactive: Bools,
    number: bool,
    rate: Any,
    weight: Any,
    amplitude: Any,
    factor: Single,
    part: Single,
) -> None:
    """Write the factors of one value and each trial, and the parts added."""
    free = _ONE - weight
    if np.isnan(x):
        for k in range(len(factor)):
            factor[k] = _ONE if inactive[k] else free
            part[k] = _NONE
    elif number:
        for k in range(len(factor)):
            r = abs(x - trials[k]) * rate
            base = (_ONE + r + r * r * _THIRD) * exp_32(-r)
            factor[k] = free + weight * base
            part[k] = amplitude * base
    else:
        for k in range(len(factor)):
            base = _ONE if trials[k] == x else _NONE
            factor[k] = free + weight * base
            part[k] = amplitude * base


@_compiled
def _compare(
    X: Single,
    in_order: Ints,
    trials: Single,
    inactive: Bools,
    numbers: Bools,
    rates: Single,
    weights: Single,
    amplitudes: Single,
    additive: bool,
    work: Single,
    product: Single,
    added: Single,
) -> None:
    """Multiply the products of rows (m, n) by all factors, and add all parts.

    Column by column in the order of the values, so that those of equal ones are computed once.
    `work`, (2, n), is written to: to make arrays takes the compiler as long as all the rest.
    """
    n = product.shape[1]
    factor = work[0]
    part = work[1]
    for j in range(X.shape[1]):
        for at in range(X.shape[0]):
            i = in_order[at, j]
            x = X[i, j]
            if at == 0 or x != X[in_order[at - 1, j], j]:
                _of_value(
                    x,
                    trials[j],
                    inactive[j],
                    numbers[j],
                    rates[j],
                    weights[j],
                    amplitudes[j],
                    factor,
                    part,
                )
            own = product[i]
            for k in range(n):
                smaller = own[k] * factor[k]
                own[k] = smaller if smaller > _TINY else _NONE
            if additive:
                sums = added[i]
                for k in range(n):
                    sums[k] += part[k]


@_compiled
def _exchange(
    usual: Single,
    rows: Ints,
    columns: Ints,
    values: Single,
    trials: Single,
    inactive: Bools,
    numbers: Bools,
    rates: Single,
    weights: Single,
    amplitudes: Single,
    compared_before: Bools,
    of_usual: Single,
    work: Single,
    product: Single,
    added: Single,
) -> None:
    """Exchange the factors and parts of the usual row for those of values that differ.

    `compared_before`, (d,) and False, `of_usual`, (2 d, n), and `work`, (2, n), are written to.
    """
    n = trials.shape[1]
    factor = work[0]
    part = work[1]
    for e in range(len(rows)):
        j = columns[e]
        about = (
            trials[j],
            inactive[j],
            numbers[j],
            rates[j],
            weights[j],
            amplitudes[j],
        )
        old = of_usual[2 * j]
        old_part = of_usual[2 * j + 1]
        if not compared_before[j]:
            _of_value(usual[j], *about, old, old_part)
            compared_before[j] = True
        _of_value(values[e], *about, factor, part)
        own = product[rows[e]]
        sums = added[rows[e]]
        for k in range(n):
            own[k] *= factor[k] / old[k]
            sums[k] += part[k] - old_part[k]


@_compiled
def add_to_rows(table: Single, places: Ints, rows: Ints, out: Single) -> None:
    """Add to named rows (m, k) the entries of a table (L, k) that stand at places, (e,) each."""
    for e in range(len(rows)):
        row = out[rows[e]]
        entry = table[places[e]]
        for k in range(len(row)):
            row[k] += entry[k]
