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

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from hpo_explain.models._kernels import Single
from hpo_explain.models.compared import Rows, Trials, compared
from hpo_explain.models.product_kernel import Pairs, Parameters
from hpo_explain.space import Array, Ints

# of the product, and of each additive part; with twice as many all claims were as right (60 runs)
FEATURES = 256
OF_ONE = 32
# rows at once, and numbers of them by columns or trials: what is computed stays near the processor
_ROWS = (64, 1024)
_NUMBERS = 2**18
Tables = tuple[Single, Single, Single]


@dataclass(frozen=True, eq=False)
class Block:
    """A few rows, which several settings' functions are evaluated at.

    Attributes
    ----------
    rows : Rows
        The rows, of all columns or of some.
    columns : ndarray of int, shape (c,)
        Which columns these are.
    categories : ndarray of int, shape (d,)
        How many values each categorical column has, 0 of a number; of all columns.
    """

    rows: Rows
    columns: Ints
    categories: Ints

    @cached_property
    def numbers(self) -> Single:
        """The numbers, 0 where there is none, (m, c)."""
        X = self.rows.X
        there = ~np.isnan(X) & (self.categories[self.columns] == 0)
        return np.where(there, X, np.float32(0.0))

    @cached_property
    def distinct(self) -> tuple[Single, Ints, csr_array]:
        """Distinct values of numbers, and their columns, each (L,), and which rows have, (m, L)."""
        numbers = np.flatnonzero(self.categories[self.columns] == 0)
        in_order = self.rows.in_order[:, numbers]
        values = np.take_along_axis(self.rows.X[:, numbers], in_order, axis=0)
        is_new = np.ones(values.shape, bool)
        is_new[1:] = values[1:] != values[:-1]
        place = np.cumsum(is_new.T).reshape(is_new.T.shape).T - 1
        index = np.empty(values.shape, int)
        np.put_along_axis(index, in_order, place, axis=0)
        columns = np.repeat(self.columns[numbers], is_new.sum(axis=0))
        rows = np.repeat(np.arange(len(index)), len(numbers))
        return values.T[is_new.T], columns, _ones(rows, index.ravel(), (len(index), len(columns)))

    @cached_property
    def coded(self) -> csr_array | None:
        """Which phases rows have by values that are no numbers, (m, P); None if all are numbers.

        Each column has phases of its categories, and one of being inactive.
        """
        X = self.rows.X
        category = self.categories[self.columns] > 0
        there = (np.isnan(X) | category).T
        columns, rows = np.nonzero(there)
        if not len(rows):
            return None
        inactive = np.isnan(X[rows, columns])
        code = np.nan_to_num(X[rows, columns]).astype(int)
        columns = self.columns[columns]
        ends = np.cumsum(_places(self.categories))
        last = ends[columns] - 1
        places = np.where(inactive, last, last - self.categories[columns] + code)
        return _ones(rows, places, (len(X), int(ends[-1])))


def _ones(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """Return a sparse matrix that is 1 at some places."""
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


def _places(categories: Ints) -> Ints:
    """Return how many phases each column has: of its categories, and of being inactive."""
    return np.where(categories == 0, 1, categories + 1)


def blocks(X: Array, categories: Ints, trials: int, columns: Ints | None = None) -> Iterator[Block]:
    """Yield rows (n, c), of all columns or of some, as many at a time as is fast."""
    which = np.arange(len(categories)) if columns is None else columns
    size = int(np.clip(_NUMBERS // max(trials, len(which)), *_ROWS))
    single = np.ascontiguousarray(X, np.float32)
    for first in range(0, max(len(single), 1), size):
        yield Block(Rows(single[first : first + size]), which, categories)


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions drawn with one setting of the kernel's parameters.

    What a row needs are sums over its values (angles and additive parts) and products of factors.

    Attributes
    ----------
    trials : Trials
        The trials.
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

    trials: Trials
    parameters: Parameters
    frequencies: Single
    phases: Single
    shifts: Single
    slopes: Single
    waves: Tables
    steps: Single
    update: Single

    def __call__(self, block: Block) -> Single:
        """Return the draws' standardized values (m, k) at rows."""
        angle, product, added = self._sums(block)
        angle += self.shifts
        waves = np.cos(angle, out=angle)
        product *= np.float32(self.parameters.product)
        added += product
        # BLAS may set the flag of an invalid value for lanes of a vector that it never returns
        with np.errstate(invalid="ignore"):
            values = waves @ self.slopes[:-1] + self._alone(block)
            return np.asarray(values + (added @ self._exact + self._constant), np.float32)

    def along(self, rows: Sequence[Block], at: Block) -> Single:
        """Return the draws' standardized values (n, G, k) at rows with other columns at G rows.

        The cosine of a sum is split, so that each row's own part is computed once.
        """
        few, k = len(at.rows.X), self.update.shape[1]
        turn, factor, added = self._sums(at)
        slopes = self.slopes[:-1, None, :]
        weights = np.concatenate(
            [
                np.cos(turn).T[:, :, None] * slopes,
                -np.sin(turn).T[:, :, None] * slopes,
                factor.T[:, :, None] * self._weights[:, None, :],
            ]
        ).reshape(len(factor.T) + 2 * len(turn.T), few * k)
        alone = self._apart(at, added) + self._constant
        values = []
        for block in rows:
            angle, product, added = self._sums(block)
            own = self._apart(block, added)
            angle += self.shifts
            waves = np.concatenate([np.cos(angle), np.sin(angle), product], axis=1)
            with np.errstate(invalid="ignore"):  # as above
                together = (waves @ weights).reshape(len(own), few, k)
            values.append(together + (own[:, None, :] + alone))
        return np.concatenate(values, dtype=np.float32)

    @cached_property
    def _weights(self) -> Single:
        """What each trial adds to each draw, times the product's correlation, (n, k)."""
        return np.float32(self.parameters.product) * self.update

    @cached_property
    def _exact(self) -> Array:
        """The update in double precision: sums of large parts of it, which cancel, are small."""
        return self.update.astype(float)

    @cached_property
    def _constant(self) -> Array:
        return self.slopes[-1] + self._exact.sum(axis=0)

    def _sums(self, block: Block) -> tuple[Single, Single, Single]:
        """Return of rows the angles (m, FEATURES), and products and added parts, each (m, n)."""
        columns = block.columns
        rates, weights, amplitudes = self.parameters.single
        product, added = compared(
            block.rows,
            self.trials.only(columns),
            (rates[columns], weights[columns], amplitudes[columns]),
        )
        angle = block.numbers @ self.frequencies[columns]
        if block.coded is not None:
            angle += block.coded @ self.phases
        return angle, product, added

    def _apart(self, block: Block, added: Single) -> Array:
        """Return the additive parts of draws at rows, (m, k)."""
        return added @ self._exact + self._alone(block)

    def _alone(self, block: Block) -> Single:
        """Return what the additive parts' features are at rows, (m, k)."""
        if not self.parameters.amplitude.any():
            return np.zeros((len(block.numbers), self.update.shape[1]), np.float32)
        frequencies, phases, weights = self.waves
        values, columns, rows = block.distinct
        waves = np.cos(values[:, None] * frequencies[columns] + phases[columns])
        waves[np.isnan(values)] = 0.0
        starts = np.flatnonzero(np.diff(columns, prepend=-1))
        own = weights[columns[starts]]
        sizes = np.diff(starts, append=len(columns))
        if (sizes == sizes.max(initial=0)).all():
            shape = len(sizes), -1, OF_ONE
            table = np.matmul(waves.reshape(shape), own) if len(sizes) else waves
        else:
            table = np.empty((len(columns), weights.shape[2]), np.float32)
            ends = np.append(starts[1:], len(columns))
            each = zip(starts.tolist(), ends.tolist(), own, strict=True)
            for first, end, weight in each:
                np.matmul(waves[first:end], weight, out=table[first:end])
        alone = rows @ table.reshape(-1, weights.shape[2])
        if block.coded is not None:
            alone += block.coded @ self.steps
        return np.asarray(alone)


def valued(functions: Sequence[Functions], X: Array, categories: Ints) -> list[Single]:
    """Return the standardized values (n, k) of several settings' draws at the same rows."""
    trials = len(functions[0].update)
    some = blocks(X, categories, trials)
    values = [[of(block) for of in functions] for block in some]
    return [np.concatenate(of) for of in zip(*values, strict=True)]


def posterior_mean(X: Array, pairs: Pairs, parameters: Parameters, categories: Ints) -> Functions:
    """Return the posterior mean with one setting of the kernel's parameters: no function is drawn.

    Its values have a single column.
    """
    return interpolated(X, pairs, parameters, categories, pairs.z[:, None])


def interpolated(
    X: Array, pairs: Pairs, parameters: Parameters, categories: Ints, values: Array
) -> Functions:
    """Return the posterior means of several functions by their values (n, k) at rows."""
    from scipy.linalg import cho_solve

    factor = pairs.factor(parameters), True
    update = cho_solve(factor, values, check_finite=False)
    d, k = len(categories), values.shape[1]
    places = int(_places(categories).sum())
    single = np.float32
    return Functions(
        trials=Trials.of(X, categories == 0),
        parameters=parameters,
        frequencies=np.zeros((d, 0), single),
        phases=np.zeros((places, 0), single),
        shifts=np.zeros(0, single),
        slopes=np.zeros((1, k), single),
        waves=(
            np.zeros((d, OF_ONE), single),
            np.zeros((d, OF_ONE), single),
            np.zeros((d, OF_ONE, k), single),
        ),
        steps=np.zeros((places, k), single),
        update=update.astype(single),
    )


def draw(
    X: Array, pairs: Pairs, parameters: Parameters, categories: Ints, count: int, seed: list[int]
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
    t = rng.standard_normal((d, FEATURES)) / np.sqrt(rng.chisquare(5, (d, FEATURES)) / 5)
    frequencies = np.where(takes_part, t / parameters.length[:, None], 0.0)
    turn = 2.0 * np.pi
    counts = _places(categories)
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
            weights = rng.standard_normal((OF_ONE, count)) * math.sqrt(2.0 * amplitude / OF_ONE)
            waves[0][j] = turn * rng.random(OF_ONE)
            waves[1][j] = weights
        else:
            weights = rng.standard_normal((categories[j], count)) * math.sqrt(amplitude)
            steps[start[j] : start[j + 1] - 1] = weights
    prior = Functions(
        trials=Trials.of(X, numbers),
        parameters=parameters,
        frequencies=frequencies.astype(np.float32),
        phases=phases.astype(np.float32),
        shifts=shifts.astype(np.float32),
        slopes=slopes.astype(np.float32),
        waves=(own.astype(np.float32), waves[0].astype(np.float32), waves[1].astype(np.float32)),
        steps=steps.astype(np.float32),
        update=np.zeros((len(X), count), np.float32),
    )
    noise = math.sqrt(parameters.noise)
    values = valued([prior], X, categories)[0]
    values = values + noise * rng.standard_normal((len(X), count))
    factor = pairs.factor(parameters), True
    update = cho_solve(factor, pairs.z[:, None] - values, check_finite=False)
    return replace(prior, update=update.astype(np.float32))
