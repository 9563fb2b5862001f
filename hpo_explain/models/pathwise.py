"""Functions drawn from a Gaussian process given the trials: evaluated at any rows, at any time.

A draw is a function from the prior, made of random features, plus Matheron's update [1]_: the
kernel's combination of what the trials' values differ from it.

References
----------
.. [1] Wilson et al. (2020), Efficiently sampling functions from Gaussian process posteriors, Eq. 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import stdtrit

from hpo_explain.models.product_kernel import (
    ROOT5,
    Pairs,
    Parameters,
    correlate,
)
from hpo_explain.space import Array, Ints

# of the product, and of each additive part
FEATURES = 512
OF_ONE = 32
_BLOCK = 256  # rows at once, so that what is computed stays near the processor
_VALUES = 2048  # at most at once, where rows share few
_SPARSE = 0.05  # of a block's numbers, at most: fewer are added one by one
Single = npt.NDArray[Any]  # in single precision
Tables = tuple[Single, Single, Single]


@dataclass(frozen=True, eq=False)
class Levels:
    """Rows by the distinct values of their columns.

    Attributes
    ----------
    categories : ndarray of int, shape (d,)
        How many values each categorical column has, 0 of a number.
    columns : ndarray of int, shape (L,)
        The column of each distinct value; values of a column are beside each other.
    values : ndarray of shape (L,)
        The values; of a column an inactive one is last, as NaN.
    index : ndarray of int, shape (n, c)
        Which of them each row has; not every column needs to be there.
    """

    categories: Ints
    columns: Ints
    values: Array
    index: Ints

    def parts(self) -> Iterator[Levels]:
        """Yield the rows in parts with values of their own, or at once where they share many."""
        n, c = self.index.shape
        size = max(1, min(_BLOCK, _VALUES // c))
        if n <= size or len(self.columns) <= n * c / 2:
            yield self
            return
        for first in range(0, n, size):
            index = self.index[first : first + size].T
            own = index.ravel()
            place = np.arange(index.size).reshape(index.shape)
            yield Levels(
                self.categories, self.columns[own], self.values[own], place.T
            )

    @cached_property
    def starts(self) -> Ints:
        """Where the values of each column begin."""
        return np.flatnonzero(np.diff(self.columns, prepend=-1))

    @cached_property
    def coded(self) -> tuple[Single, Ints]:
        """Of the values what a number is, 0 of others, and where its phase stands.

        Of each column the phases of its categories stand there, and one of being inactive; -1 of a
        number.
        """
        counts = np.where(self.categories == 0, 1, self.categories + 1)
        last = np.cumsum(counts)[self.columns] - 1
        categories = self.categories[self.columns]
        off = np.isnan(self.values)
        number = categories == 0
        at = np.where(off, 0.0, self.values)
        code = np.where(number, -1, last - categories + at.astype(int))
        return np.where(number, at, 0.0).astype(np.float32), np.where(
            off, last, code
        )

    @cached_property
    def usual(self) -> Ints:
        """The values that most rows have."""
        counts = np.bincount(self.index.ravel(), minlength=len(self.columns))
        common = np.flatnonzero(2 * counts >= len(self.index))
        return np.asarray(
            common[np.unique(self.columns[common], return_index=True)[1]]
        )

    @cached_property
    def steps(self) -> tuple[csr_array, csr_array]:
        """What each value is: a number in its column, (L, d), or a place among phases, (L, P)."""
        at, code = self.coded
        size = len(self.columns)
        places = int(
            np.where(self.categories == 0, 1, self.categories + 1).sum()
        )
        phased = code >= 0
        ones = np.ones(phased.sum(), np.float32)
        ends = np.cumsum([0, *phased])
        return (
            csr_array(
                (at, self.columns, np.arange(size + 1)),
                shape=(size, len(self.categories)),
            ),
            csr_array((ones, code[phased], ends), shape=(size, places)),
        )

    @cached_property
    def usual_steps(self) -> tuple[Single, Single]:
        """The sums of the usual values' numbers, (d,), and phases, (P,)."""
        number, phase = (step[self.usual].sum(axis=0) for step in self.steps)
        return np.asarray(number, np.float32), np.asarray(phase, np.float32)

    @cached_property
    def apart(
        self,
    ) -> list[tuple[slice, csr_array, Single | csr_array, csr_array]]:
        """Of blocks of rows what is to be added to the usual values: values, numbers, phases."""
        n = len(self.index)
        most = np.full(self.index.shape[1], -1)
        place = np.empty(len(self.columns), int)
        place[self.index] = np.arange(self.index.shape[1])
        most[place[self.usual]] = self.usual
        blocks = []
        for first in range(0, n, _BLOCK):
            index = self.index[first : first + _BLOCK]
            added = index != most
            removed = added & (most >= 0)
            places = np.stack(
                [index, np.broadcast_to(most, index.shape)], axis=2
            )
            taken = np.stack([added, removed], axis=2).reshape(len(index), -1)
            ends = np.concatenate([[0], np.cumsum(taken.sum(axis=1))])
            signs = np.broadcast_to(
                np.array([1.0, -1.0], np.float32), places.shape
            )
            entries = (
                signs.reshape(taken.shape)[taken],
                places.reshape(taken.shape)[taken],
                ends,
            )
            block = csr_array(entries, shape=(len(index), len(self.columns)))
            number, phase = (block @ step for step in self.steps)
            dense = number.nnz > _SPARSE * index.size
            number = number.toarray() if dense else number
            blocks.append(
                (slice(first, first + len(index)), block, number, phase)
            )
        return blocks


def levels(
    X: Array, categories: Ints, columns: Sequence[int] | None = None
) -> Levels:
    """Return rows (n, c) by the distinct values of their columns: of all, or of some."""
    index = np.empty(X.shape, int)
    values = [np.empty(0)]
    counts = list[int]()
    for j, x in enumerate(X.T):
        distinct, places = np.unique(x, return_inverse=True, equal_nan=True)
        index[:, j] = places.reshape(-1) + sum(counts)
        values.append(distinct)
        counts.append(len(distinct))
    return Levels(
        categories=categories,
        columns=np.repeat(
            np.arange(len(categories)) if columns is None else columns, counts
        ).astype(int),
        values=np.concatenate(values),
        index=index,
    )


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions drawn with one setting of the kernel's parameters.

    What a row needs are sums over its values: angles, logarithms of the product's factors, and
    additive parts.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The trials' encoded rows.
    categories : ndarray of int, shape (d,)
        How many values each categorical column has, 0 of a number.
    parameters : Parameters
        The kernel's parameters.
    frequencies : ndarray of shape (d, FEATURES)
        Frequencies of the product's features; of numbers only.
    phases : ndarray of shape (P, FEATURES)
        Of each column the phase of each category, and of being inactive.
    shifts : ndarray of shape (FEATURES,)
        Phases of the features.
    slopes : ndarray of shape (FEATURES + 1, k)
        Weights of the features and the constant in each draw.
    waves : tuple of ndarray
        Of each number's additive part frequencies and phases, (d, OF_ONE), and weights,
        (d, OF_ONE, k).
    steps : ndarray of shape (P, k)
        The additive part of each category.
    update : ndarray of shape (n, k)
        What each trial adds to each draw, times the kernel.
    """

    X: Array
    categories: Ints
    parameters: Parameters
    frequencies: Single
    phases: Single
    shifts: Single
    slopes: Single
    waves: Tables
    steps: Single
    update: Single

    def __call__(self, levels: Levels) -> Single:
        """Return the draws' standardized values (n, k) at rows, which are given by their levels."""
        values = np.empty(
            (len(levels.index), self.update.shape[1]), np.float32
        )
        for rows, angle, product, alone in self._sums(levels):
            angle += self.shifts
            waves = np.cos(angle, out=angle)
            correlation = np.exp(product, out=product)
            # BLAS may set the flag of an invalid value for lanes of a vector that it never returns
            with np.errstate(invalid="ignore"):
                np.matmul(waves, self.slopes[:-1], out=values[rows])
                values[rows] += correlation @ self._weights
            values[rows] += alone + self._constant
        return values

    def along(self, levels: Levels, at: Levels) -> Single:
        """Return the draws' standardized values (n, G, k) at rows with other columns at G rows.

        The cosine of a sum is split, so that each row's own part is computed once.
        """
        few = len(at.index)
        k = self.update.shape[1]
        turn, factor, alone = map(
            np.concatenate, list(zip(*self._sums(at), strict=True))[1:]
        )
        slopes = self.slopes[:-1, None, :]
        weights = np.concatenate(
            [
                np.cos(turn).T[:, :, None] * slopes,
                -np.sin(turn).T[:, :, None] * slopes,
                np.exp(factor).T[:, :, None] * self._weights[:, None, :],
            ]
        ).reshape(-1, few * k)
        alone = alone + self._constant
        values = np.empty((len(levels.index), few, k), np.float32)
        waves = np.empty((_BLOCK, 2 * FEATURES + len(self.X)), np.float32)
        for rows, angle, product, own in self._sums(levels):
            m = len(angle)
            angle += self.shifts
            np.cos(angle, out=waves[:m, :FEATURES])
            np.sin(angle, out=waves[:m, FEATURES : 2 * FEATURES])
            np.exp(product, out=waves[:m, 2 * FEATURES :])
            with np.errstate(invalid="ignore"):  # as above
                values[rows] = (waves[:m] @ weights).reshape(m, few, k)
            values[rows] += own[:, None, :] + alone
        return values

    @cached_property
    def _weights(self) -> Single:
        """What each trial adds to each draw, times the product's correlation, (n, k)."""
        return np.asarray(np.float32(self.parameters.product) * self.update)

    @cached_property
    def _constant(self) -> Single:
        return np.asarray(self.slopes[-1] + self.update.sum(axis=0))

    @cached_property
    def _trials(self) -> Single:
        """The trials' values of each column, (d, n), 0 where inactive."""
        return np.ascontiguousarray(np.nan_to_num(self.X).T, np.float32)

    def _sums(
        self, levels: Levels
    ) -> Iterator[tuple[slice, Single, Single, Single]]:
        """Yield the sums over the values of blocks of rows, (m, FEATURES), (m, n) and (m, k).

        Of angles, of the logarithms of the product's factors, and of additive parts.
        """
        factors, additive = self._tables(levels)
        number, phase = levels.usual_steps
        angle = number @ self.frequencies + phase @ self.phases
        product = factors[levels.usual].sum(axis=0)
        alone = additive[levels.usual].sum(axis=0)
        for rows, values, numbers, phases in levels.apart:
            angles = numbers @ self.frequencies
            angles += angle
            if phases.nnz:
                angles += phases @ self.phases
            yield (
                rows,
                angles,
                values @ factors + product,
                values @ additive + alone,
            )

    def _tables(self, levels: Levels) -> tuple[Single, Single]:
        """Return of distinct values the logarithm of the factors, (L, n), and the parts, (L, k)."""
        columns = levels.columns
        parameters = self.parameters
        at = levels.coded[0]
        off = np.isnan(levels.values)
        base = np.empty((len(columns), len(self.X)), np.float32)
        rates = (ROOT5 / parameters.length).astype(np.float32)
        correlate(at, columns, rates, self._trials, base)
        category = self.categories[columns] > 0
        base[category] = (
            levels.values[category, None] == self.X.T[columns[category]]
        )
        without = (
            np.isnan(self.X).T[columns] if np.isnan(self.X).any() else None
        )
        base[off] = 0.0
        if without is not None:
            base[without] = 0.0
        additive = np.zeros((len(columns), self.update.shape[1]), np.float32)
        if parameters.amplitude.any():
            additive = self._alone(levels)
            amplitude = parameters.amplitude[columns, None].astype(np.float32)
            additive += amplitude * (base @ self.update)
        weight = parameters.weight[columns, None].astype(np.float32)
        base *= weight
        base += 1 - weight
        if without is not None:
            base[off[:, None] & without] = 1.0
        return np.log(base, out=base), additive

    def _alone(self, levels: Levels) -> Single:
        """Return what the additive parts' features are at distinct values, (L, k)."""
        (at, code) = levels.coded
        columns = levels.columns
        frequencies, phases, weights = self.waves
        waves = np.cos(at[:, None] * frequencies[columns] + phases[columns])
        sizes = np.diff(levels.starts, append=len(columns))
        weights = weights[columns[levels.starts]]
        most = sizes.max(initial=0)
        if (sizes == most).all():
            additive = np.matmul(
                waves.reshape(len(sizes), most, OF_ONE), weights
            )
        else:
            each = zip(
                np.split(waves, levels.starts[1:]), weights, strict=True
            )
            additive = np.concatenate([own @ weight for own, weight in each])
        additive = additive.reshape(len(columns), weights.shape[2])
        phased = code >= 0
        additive[phased] = self.steps[code[phased]]
        return np.asarray(additive)


def valued(functions: Sequence[Functions], levels: Levels) -> list[Single]:
    """Return the standardized values (n, k) of several settings' draws at the same rows."""
    blocks = [[of(part) for of in functions] for part in levels.parts()]
    return [np.concatenate(of) for of in zip(*blocks, strict=True)]


def posterior_mean(
    X: Array, pairs: Pairs, parameters: Parameters, categories: Ints
) -> Functions:
    """Return the posterior mean with one setting of the kernel's parameters: no function is drawn.

    Its values have a single column.
    """
    from scipy.linalg import cho_solve

    factor = pairs.factor(parameters), True
    update = cho_solve(factor, pairs.z[:, None], check_finite=False)
    d = len(categories)
    places = int(np.where(categories == 0, 1, categories + 1).sum())
    single = np.float32
    return Functions(
        X=X,
        categories=categories,
        parameters=parameters,
        frequencies=np.zeros((d, 0), single),
        phases=np.zeros((places, 0), single),
        shifts=np.zeros(0, single),
        slopes=np.zeros((1, 1), single),
        waves=(
            np.zeros((d, OF_ONE), single),
            np.zeros((d, OF_ONE), single),
            np.zeros((d, OF_ONE, 1), single),
        ),
        steps=np.zeros((places, 1), single),
        update=update.astype(single),
    )


def draw(
    X: Array,
    pairs: Pairs,
    parameters: Parameters,
    categories: Ints,
    count: int,
    seed: list[int],
) -> Functions:
    """Draw functions with one setting of the kernel's parameters.

    `categories` says how many values each categorical column has, 0 of a number.
    """
    from scipy.linalg import cho_solve

    rng = np.random.default_rng(seed)
    numbers = categories == 0
    d = X.shape[1]
    takes_part = rng.random((d, FEATURES)) < parameters.weight[:, None]
    # Matérn-5/2 has a t distribution with 5 degrees of freedom for its spectrum
    t = rng.standard_normal((d, FEATURES)) / np.sqrt(
        rng.chisquare(5, (d, FEATURES)) / 5
    )
    frequencies = np.where(takes_part, t / parameters.length[:, None], 0.0)
    turn = 2.0 * np.pi
    counts = np.where(numbers, 1, categories + 1)
    column = np.repeat(np.arange(d), counts)
    phases = turn * rng.random((len(column), FEATURES)) * takes_part[column]
    shifts = turn * rng.random(FEATURES)
    slopes = rng.standard_normal((FEATURES + 1, count))
    slopes[:-1] *= math.sqrt(2.0 * parameters.product / FEATURES)
    start = np.concatenate([[0], np.cumsum(counts)])
    own = np.zeros((d, OF_ONE))
    waves = np.zeros((d, OF_ONE)), np.zeros((d, OF_ONE, count))
    steps = np.zeros((len(column), count))
    for j in np.flatnonzero(parameters.amplitude).tolist():
        amplitude = parameters.amplitude[j]
        if numbers[j]:
            # one frequency in each part of equal probability
            at = (np.arange(OF_ONE) + rng.random(OF_ONE)) / OF_ONE
            own[j] = stdtrit(5, at) / parameters.length[j]
            weights = rng.standard_normal((OF_ONE, count)) * math.sqrt(
                2.0 * amplitude / OF_ONE
            )
            waves[0][j] = turn * rng.random(OF_ONE)
            waves[1][j] = weights
        else:
            weights = rng.standard_normal((categories[j], count)) * math.sqrt(
                amplitude
            )
            steps[start[j] : start[j + 1] - 1] = weights
    prior = Functions(
        X=X,
        categories=categories,
        parameters=parameters,
        frequencies=frequencies.astype(np.float32),
        phases=phases.astype(np.float32),
        shifts=shifts.astype(np.float32),
        slopes=slopes.astype(np.float32),
        waves=(
            own.astype(np.float32),
            waves[0].astype(np.float32),
            waves[1].astype(np.float32),
        ),
        steps=steps.astype(np.float32),
        update=np.zeros((len(X), count), np.float32),
    )
    noise = math.sqrt(parameters.noise)
    values = valued([prior], levels(X, categories))[0]
    values = values + noise * rng.standard_normal((len(X), count))
    factor = pairs.factor(parameters), True
    update = cho_solve(factor, pairs.z[:, None] - values, check_finite=False)
    return replace(prior, update=update.astype(np.float32))
