"""How far rows are from the trials, and their covariances with these.

A search looks at many rows that differ from one of them in few hyperparameters. Their covariances
are those of that one, with the factors of these hyperparameters exchanged: with d hyperparameters
that takes a d-th of the time, and of the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hpo_explain.models._compiled import compiled
from hpo_explain.models._squares import exp_32
from hpo_explain.models.product_kernel import (
    FAR,
    LEAST_FACTOR,
    Parameters,
    Single,
    covariances,
    distances,
)
from hpo_explain.space import Array, Bools, Ints

_FEW = 0.25  # of all hyperparameters may differ from the usual row on average
_ONE, _THIRD, _LEAST, _FAR = map(
    np.float32, (1.0, 1.0 / 3.0, LEAST_FACTOR, FAR)
)


class RowsApart(Protocol):
    """Rows as the kernel sees them from the trials."""

    @property
    def active(self) -> Array:
        """1 where a hyperparameter is active in a row, else 0, (m, d)."""

    def covariances(self, p: Parameters) -> Single:
        """Return the covariances of the rows with the trials, (m, n)."""


@dataclass(frozen=True, eq=False)
class Scattered:
    """Rows that have little in common.

    Attributes
    ----------
    apart : ndarray of shape (d, m * n)
        Distances of the rows from the trials, as `product_kernel.distances` returns them.
    active : ndarray of shape (m, d)
        1 where a hyperparameter is active in a row, else 0.
    """

    apart: Single
    active: Array

    def covariances(self, p: Parameters) -> Single:
        """Return the covariances of the rows with the trials, (m, n)."""
        return covariances(self.apart, p)[0].reshape(len(self.active), -1)


@dataclass(frozen=True, eq=False)
class Alike:
    """Rows that differ from one row, the usual one, in few hyperparameters.

    Attributes
    ----------
    usual : ndarray of shape (d, n)
        Distances of the usual row from the trials.
    rows, columns : ndarray of int, shape (e,)
        Where a row differs from it.
    apart : ndarray of shape (e, n)
        Distances there.
    active : ndarray of shape (m, d)
        1 where a hyperparameter is active in a row, else 0.
    """

    usual: Single
    rows: Ints
    columns: Ints
    apart: Single
    active: Array

    def covariances(self, p: Parameters) -> Single:
        """Return the covariances of the rows with the trials, (m, n)."""
        both, product = covariances(self.usual, p)
        shape = len(self.active), 1
        products, added = (
            np.tile(product, shape),
            np.tile(both - product, shape),
        )
        _exchange(
            self.usual,
            self.rows,
            self.columns,
            self.apart,
            *p.single,
            products,
            added,
        )
        added += products
        return added


def rows_apart(X: Array, trials: Array, numbers: Bools) -> RowsApart:
    """Return rows (m, d) as the kernel sees them from trials (n, d).

    Parameters
    ----------
    X, trials : ndarray of shape (m, d), (n, d)
        Encoded rows; NaN where inactive.
    numbers : ndarray of bool, shape (d,)
        Which hyperparameters are numbers.
    """
    active = (~np.isnan(X)).astype(float)
    # the value that most rows have, if there is one, is the middle one
    usual = np.sort(X, axis=0)[len(X) // 2]
    differs = (X != usual) & ~(np.isnan(X) & np.isnan(usual))
    if differs.mean() > _FEW:
        return Scattered(distances(X[:, None, :], trials, numbers), active)
    rows, columns = np.nonzero(differs)
    apart = np.empty((len(rows), len(trials)), np.float32)
    for j in np.unique(columns).tolist():
        here = columns == j
        x = X[rows[here], j, None, None]
        own = distances(x, trials[:, [j]], numbers[[j]])
        apart[here] = own.reshape(-1, len(trials))
    return Alike(
        distances(usual, trials, numbers), rows, columns, apart, active
    )


@compiled(error_model="numpy", fastmath={"contract"})
def _exchange(
    usual: Single,
    rows: Ints,
    columns: Ints,
    apart: Single,
    rates: Single,
    weights: Single,
    amplitudes: Single,
    products: Single,
    added: Single,
) -> None:
    """Exchange the factors of products (m, n), and the parts added, where rows differ."""
    for e in range(len(rows)):
        j = columns[e]
        rate = rates[j]
        weight = weights[j]
        amplitude = amplitudes[j]
        free = max(_ONE - weight, _LEAST)
        before = usual[j]
        after = apart[e]
        product = products[rows[e]]
        part = added[rows[e]]
        for k in range(len(after)):
            r = before[k] * rate
            old = (_ONE + r + r * r * _THIRD) * exp_32(-r)
            of_old = free + weight * old if before[k] <= _FAR else _ONE
            r = after[k] * rate
            new = (_ONE + r + r * r * _THIRD) * exp_32(-r)
            of_new = free + weight * new if after[k] <= _FAR else _ONE
            product[k] *= of_new / of_old
            part[k] += amplitude * (new - old)
