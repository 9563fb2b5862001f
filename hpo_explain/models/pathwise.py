"""Functions drawn from a Gaussian process given the trials: evaluated at any rows, at any time.

A draw is a function from the prior, made of random features, plus Matheron's update [1]_: the
kernel's combination of what the trials' values differ from it.

References
----------
.. [1] Wilson et al. (2020), Efficiently sampling functions from Gaussian process posteriors, Eq. 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from hpo_explain.models.product_kernel import Pairs, Parameters, matern
from hpo_explain.space import Array, Bools, Ints

FEATURES, OF_ONE = 512, 32  # of the product, and of each additive part
_BLOCK = 256  # rows at once, so that what is computed stays near the processor
Levels = list[tuple[Array, Ints]]
Single = npt.NDArray[Any]  # in single precision
Part = tuple[Array | None, Array | None, Array]


def levels(X: Array) -> Levels:
    """Return for each column its distinct values, an inactive one last as NaN, and their index."""
    found = []
    for x in X.T:
        values, index = np.unique(x, return_inverse=True, equal_nan=True)
        found.append((values, index.reshape(-1)))
    return found


def _of(found: Levels, rows: slice) -> Levels:
    return [(values[index[rows]], np.arange(len(index[rows]))) for values, index in found]


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions drawn with one setting of the kernel's parameters.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The trials' encoded rows.
    numbers : ndarray of bool, shape (d,)
        Which columns are numbers.
    parameters : Parameters
        The kernel's parameters.
    frequencies : ndarray of shape (d, FEATURES)
        Frequencies of the product's features; of numbers only.
    phases : tuple of ndarray
        For each column the phase of each category (or of being inactive), (values, FEATURES).
    shifts : ndarray of shape (FEATURES,)
        Phases of the features.
    slopes : ndarray of shape (FEATURES + 1, k)
        Weights of the features and the constant in each draw.
    ones : tuple
        Of each additive part its frequencies and phases, or None of a category, and weights.
    update : ndarray of shape (n, k)
        What each trial adds to each draw, times the kernel.
    """

    X: Array
    numbers: Bools
    parameters: Parameters
    frequencies: Single
    phases: tuple[Single, ...]
    shifts: Single
    slopes: Single
    ones: tuple[Part, ...]
    update: Single

    def __call__(self, found: Levels) -> Single:
        """Return the draws' standardized values (n, k) at rows, which are given by their levels."""
        n, d = len(found[0][1]), len(found)
        if n > _BLOCK and sum(len(values) for values, _ in found) > n * d / 2:
            parts = range(0, n, _BLOCK)  # few values are shared: no more of them than rows at once
            return np.concatenate([self(_of(found, slice(i, i + _BLOCK))) for i in parts])
        angles = [self._angle(j, values) for j, (values, _) in enumerate(found)]
        between = [self._between(j, values) for j, (values, _) in enumerate(found)]
        ones = [self._one(j, found[j][0], part) for j, part in enumerate(self.ones)]
        for j, part in enumerate(ones):
            part += (self.parameters.amplitude[j] * between[j][0]) @ self.update
        constant = self.slopes[-1] + self.update.sum(axis=0)
        values = np.empty((n, self.update.shape[1]), np.float32)
        angle = np.empty((_BLOCK, FEATURES), np.float32)
        product = np.empty((_BLOCK, len(self.X)), np.float32)
        for first in range(0, n, _BLOCK):
            some = slice(first, min(first + _BLOCK, n))
            m = some.stop - first
            angle[:m], product[:m] = self.shifts, self.parameters.product
            for j in range(d):
                index = found[j][1][some]
                angle[:m] += angles[j][index]
                product[:m] *= between[j][1][index]
            at = np.cos(angle[:m], out=angle[:m]) @ self.slopes[:-1]
            at += product[:m] @ self.update + constant
            for j, part in enumerate(ones):
                at += part[found[j][1][some]]
            values[some] = at
        return values

    def along(self, found: Levels, members: Sequence[int], values: Array) -> Single:
        """Return the draws' standardized values (n, G, k) with some columns at values (G, m).

        The cosine of a sum is split, so that each row's own part is computed once.
        """
        n, d, few = len(found[0][1]), len(found), len(values)
        others = [j for j in range(d) if j not in members]
        angles = [self._angle(j, found[j][0]) for j in others]
        between = [self._between(j, found[j][0]) for j in others]
        turn, factor = (
            np.zeros((few, FEATURES), np.float32),
            np.ones((few, len(self.X)), np.float32),
        )
        alone = np.zeros((few, self.update.shape[1]), np.float32)
        for j, x in zip(members, values.T, strict=True):
            base, by = self._between(j, x)
            turn += self._angle(j, x)
            factor *= by
            if self.ones:
                alone += self._one(j, x, self.ones[j])
                alone += (self.parameters.amplitude[j] * base) @ self.update
        slopes = self.slopes[:-1, None, :]
        weights = np.concatenate([
            np.cos(turn).T[:, :, None] * slopes,
            -np.sin(turn).T[:, :, None] * slopes,
            self.parameters.product * factor.T[:, :, None] * self.update[:, None, :],
        ]).reshape(-1, few * len(alone.T)).astype(np.float32)  # fmt: skip
        ones = [
            self._one(j, found[j][0], self.ones[j])
            + (self.parameters.amplitude[j] * base) @ self.update
            for j, (base, _) in zip(others, between, strict=True)
            if self.ones
        ]
        alone += self.slopes[-1] + self.update.sum(axis=0)
        drawn = np.empty((n, *alone.shape), np.float32)
        waves = np.empty((_BLOCK, 2 * FEATURES + len(self.X)), np.float32)
        for first in range(0, n, _BLOCK):
            some = slice(first, min(first + _BLOCK, n))
            m = some.stop - first
            angle, product = np.tile(self.shifts, (m, 1)), waves[:m, 2 * FEATURES :]
            product[:] = 1.0
            for place, j in enumerate(others):
                index = found[j][1][some]
                angle += angles[place][index]
                product *= between[place][1][index]
            np.cos(angle, out=waves[:m, :FEATURES])
            np.sin(angle, out=waves[:m, FEATURES : 2 * FEATURES])
            drawn[some] = (waves[:m] @ weights).reshape(m, *alone.shape) + alone
            for j, part in zip(others, ones, strict=False):
                drawn[some] += part[found[j][1][some]][:, None, :]
        return drawn

    def _angle(self, j: int, values: Array) -> Single:
        phases = self.phases[j]
        if not self.numbers[j]:
            codes = np.where(np.isnan(values), len(phases) - 1, np.nan_to_num(values)).astype(int)
            return np.asarray(phases[codes])
        angle = np.nan_to_num(values)[:, None].astype(np.float32) * self.frequencies[j]
        angle[np.isnan(values)] = phases[0]
        return np.asarray(angle)

    def _one(self, j: int, values: Array, part: Part) -> Single:
        """Return an additive part's values in each draw, (number of values, k)."""
        frequencies, phases, weights = part
        off = np.isnan(values)
        if frequencies is None or phases is None:
            added = weights[np.nan_to_num(values).astype(int)]
        else:
            added = np.cos(np.nan_to_num(values)[:, None] * frequencies + phases) @ weights
        added[off] = 0.0
        return np.asarray(added, np.float32)

    def _between(self, j: int, values: Array) -> tuple[Single, Single]:
        """Return B_j and the product's factor of some values with the trials', (values, n)."""
        x = self.X[:, j]
        if self.numbers[j]:
            base = matern(values, x, self.parameters.length[j])
        else:
            base = (values[:, None] == x).astype(np.float32)
        off, without = np.isnan(values), np.isnan(x)
        some = bool(off.any() or without.any())
        if some:
            base[off] = base[:, without] = 0.0
        weight = np.float32(self.parameters.weight[j])
        factor = base * weight
        factor += 1 - weight
        if some:
            factor[np.ix_(off, without)] = 1.0
        return base, factor


def draw(
    X: Array, pairs: Pairs, parameters: Parameters, categories: Ints, count: int, seed: list[int]
) -> Functions:
    """Draw functions with one setting of the kernel's parameters.

    `categories` says how many values each categorical column has, 0 of a number.
    """
    from scipy.linalg import cho_factor, cho_solve

    rng = np.random.default_rng(seed)
    numbers, d = categories == 0, X.shape[1]
    takes_part = rng.random((d, FEATURES)) < parameters.weight[:, None]
    # Matérn-5/2 has a t distribution with 5 degrees of freedom for its spectrum
    t = rng.standard_normal((d, FEATURES)) / np.sqrt(rng.chisquare(5, (d, FEATURES)) / 5)
    frequencies = np.where(takes_part, t / parameters.length[:, None], 0.0)
    turn = 2.0 * np.pi
    phases = []
    for j in range(d):
        count_of = 1 if numbers[j] else int(categories[j]) + 1
        some = turn * rng.random((count_of, FEATURES)) * takes_part[j]
        phases.append(some.astype(np.float32))
    shifts = turn * rng.random(FEATURES)
    slopes = rng.standard_normal((FEATURES + 1, count))
    slopes[:-1] *= math.sqrt(2.0 * parameters.product / FEATURES)
    ones: list[Part] = []
    for j in np.flatnonzero(parameters.amplitude).tolist():
        amplitude = parameters.amplitude[j]
        if numbers[j]:
            # one frequency in each part of equal probability
            at = (np.arange(OF_ONE) + rng.random(OF_ONE)) / OF_ONE
            own = stdtrit(5, at) / parameters.length[j]
            weights = rng.standard_normal((OF_ONE, count)) * math.sqrt(2.0 * amplitude / OF_ONE)
            ones.append((own, turn * rng.random(OF_ONE), weights))
        else:
            weights = rng.standard_normal((categories[j], count)) * math.sqrt(amplitude)
            ones.append((None, None, weights))
    prior = Functions(
        X=X,
        numbers=numbers,
        parameters=parameters,
        frequencies=frequencies.astype(np.float32),
        phases=tuple(phases),
        shifts=shifts.astype(np.float32),
        slopes=slopes.astype(np.float32),
        ones=tuple(ones),
        update=np.zeros((len(X), count), np.float32),
    )
    noise = math.sqrt(parameters.noise)
    values = prior(levels(X)) + noise * rng.standard_normal((len(X), count))
    factor = cho_factor(pairs.gram(parameters)[0], lower=True, check_finite=False)
    update = cho_solve(factor, pairs.z[:, None] - values, check_finite=False)
    object.__setattr__(prior, "update", update.astype(np.float32))
    return prior
