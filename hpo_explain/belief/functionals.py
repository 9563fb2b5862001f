"""Functionals of the draws: what statements are about, one number (or curve) for each function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.base import one_blas_thread, unit_of
from hpo_explain.belief.landscape import Axis, Landscape
from hpo_explain.space import Array, Bools, Ints

_DEGREE = 7  # of polynomials of one hyperparameter
# where a number's effect may jump: polynomials round a cliff off
_STEPS = np.arange(1, 16) / 16
_PAIRED = (6, 12)  # functions of a number, and of a category, in a pair
_OF_MANY = 2  # of either, where there are more hyperparameters than
_MANY = 15
_AMONG = 60  # hyperparameters, the largest, whose pairs are looked at
_DEPENDENT = 1e-6
_ROWS_EACH = 4  # rows at least for each function of one hyperparameter
# of the rows' number may functions be regressed on at once; beyond, a hyperparameter at a time
_MOST_OF_ROWS = 0.5
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class _Fitted:
    """Coefficients of each draw's regression.

    Attributes
    ----------
    own : list of ndarray
        Those of each hyperparameter's main effect, (k, number of functions).
    pairs : dict of ndarray
        Those of each pair.
    of_pairs : ndarray of shape (k, number of pairs)
        The variance that pairs have beyond chance.
    chance : list of ndarray
        What each squared coefficient of a main effect has by chance, (k,).
    """

    own: list[Array]
    pairs: dict[tuple[int, int], Array]
    of_pairs: Array
    chance: list[Array]


@dataclass(frozen=True, eq=False)
class Anova:
    """Functional ANOVA of each draw over the space, by regression on the landscape's rows.

    Main effects are polynomials up to degree 7 with steps (a mean of each category), those of pairs
    products of six by six (two by two, of more than 15 hyperparameters); the share that the rows'
    number leaves to chance is subtracted. Where categories are so many that there are not twice as
    many rows, main effects are regressed on one hyperparameter after the other.

    Attributes
    ----------
    landscape : Landscape
        The draws.
    """

    landscape: Landscape

    def __getstate__(self) -> dict[str, Any]:
        # as many numbers as the values of the landscape, which leaves them out, too
        return {k: v for k, v in vars(self).items() if k != "_centered"}

    @cached_property
    def _bases(self) -> tuple[_Basis, ...]:
        land = self.landscape
        many = len(land.axes) > _MANY
        most = max(2, len(land.latent) // (_ROWS_EACH * len(land.axes)))
        degree = min(_DEGREE, most)
        steps = _STEPS if most >= degree + len(_STEPS) else _STEPS[:0]
        return tuple(
            _Basis(x, a, degree, steps, many) for x, a in zip(land.latent.T, land.axes, strict=True)
        )

    @cached_property
    def mean(self) -> Array:
        """Mean cost of each draw, (k,)."""
        return self.landscape.values.mean(axis=1, dtype=float)

    @cached_property
    def variance(self) -> Array:
        """Variance of each draw over the space, (k,), in squared units of the objective."""
        with np.errstate(over="ignore"):  # of objectives beyond 1e154 it is infinite
            return self._whole[:, 0] * self._unit * self._unit

    @cached_property
    def _unit(self) -> float:
        return unit_of(self.landscape.values)

    @cached_property
    def _centered(self) -> Array:
        """The draws without their mean, in units in which no square overflows."""
        values = self.landscape.values
        centered = np.asarray((values - self.mean[:, None]) / self._unit)
        centered[np.ptp(values, axis=1) == 0.0] = 0.0  # of a constant a rounded mean is not it
        return centered

    @cached_property
    def _whole(self) -> Array:
        return np.maximum((self._centered**2).mean(axis=1), 1e-300)[:, None]

    @property
    def _ends(self) -> Ints:
        """Where each hyperparameter's coefficients end, but the last one's."""
        return np.cumsum([basis.count for basis in self._bases])[:-1]

    @cached_property
    def _fitted(self) -> _Fitted:
        with one_blas_thread():  # the last digits of sums depend on it
            return self._regressed(self._centered)

    def _regressed(self, values: Array) -> _Fitted:
        n = values.shape[1]
        count = sum(basis.count for basis in self._bases)
        if count > n * _MOST_OF_ROWS:
            return self._in_turn(values)
        design = np.concatenate([b.functions for b in self._bases], axis=1)
        solve = design @ _inverse(design.T @ design)
        own = values @ solve
        rest = values - own @ design.T
        sizes = [(c**2).sum(axis=1).mean() for c in np.split(own, self._ends, axis=1)]
        pairs, shares, left = self._pairs_in(rest, sizes)
        own = own + left @ solve
        chance = (left**2).mean(axis=1) / n
        own_of_each = np.split(own, self._ends, axis=1)
        return _Fitted(own_of_each, pairs, shares, [chance] * len(own_of_each))

    def _in_turn(self, values: Array) -> _Fitted:
        """Regress on hyperparameters in turn: together they have too many categories.

        Each on what the others leave, of which as much is taken as is not chance.
        """
        n = values.shape[1]
        rest = values.copy()
        fitted = [np.zeros_like(values) for _ in self._bases]
        own = [np.empty(0)] * len(fitted)
        chance = [np.empty(0)] * len(fitted)
        fewest_first = np.argsort([b.count for b in self._bases], kind="stable")
        for _ in range(_ROUNDS):
            for i in fewest_first.tolist():
                basis = self._bases[i]
                rest += fitted[i]
                own[i] = basis.coefficients(rest)
                count = own[i].shape[1]
                explained = (own[i] ** 2).sum(axis=1)
                missed = (rest**2).mean(axis=1) - explained
                chance[i] = missed / max(n - 1 - count, 1)
                size = np.maximum(explained - count * chance[i], 0.0)
                share = size / np.maximum(explained, 1e-300)
                fitted[i] = basis.values(share[:, None] * own[i])
                rest -= fitted[i]
        sizes = [float((of**2).mean()) for of in fitted]
        pairs, shares, _ = self._pairs_in(rest, sizes)
        return _Fitted(own, pairs, shares, chance)

    def _pairs_in(
        self, rest: Array, sizes: list[float]
    ) -> tuple[dict[tuple[int, int], Array], Array, Array]:
        """Return coefficients and sizes of pairs in what is left by main effects, and the rest."""
        k, n = rest.shape
        left = rest.copy()
        chance = (rest**2).mean(axis=1) / n
        pairs, shares = {}, [np.empty((k, 0))]
        largest = np.sort(np.argsort(sizes, kind="stable")[-_AMONG:]).tolist()
        for i, a in enumerate(largest[:-1]):
            first = self._bases[a].small
            others = [self._bases[b].small for b in largest[i + 1 :]]
            both = _products(first, np.concatenate(others, axis=1))
            coefficients = rest @ both / n
            left -= coefficients @ both.T
            ends = np.cumsum([other.shape[1] for other in others])
            table = coefficients.reshape(k, first.shape[1], ends[-1])
            of_each = np.split(table, ends[:-1], axis=2)
            for b, part in zip(largest[i + 1 :], of_each, strict=True):
                pairs[a, b] = part.reshape(k, part.shape[1] * part.shape[2])
                by_chance = chance * pairs[a, b].shape[1]
                size = (pairs[a, b] ** 2).sum(axis=1) - by_chance
                shares.append(np.maximum(size, 0.0)[:, None])
        return pairs, np.concatenate(shares, axis=1), left

    @cached_property
    def mains(self) -> Array:
        """Share of the variance that each hyperparameter has alone, (k, d)."""
        sizes = [
            (own**2).sum(axis=1) - chance * own.shape[1]
            for own, chance in zip(self._fitted.own, self._fitted.chance, strict=True)
        ]
        return np.maximum(np.stack(sizes, axis=1), 0.0) / self._whole

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of hyperparameters; of more than 60, of those that matter most alone."""
        return tuple(self._fitted.pairs)

    @cached_property
    def of_pairs(self) -> Array:
        """Share that two have together beyond what each has alone, (k, number of pairs)."""
        return self._fitted.of_pairs / self._whole

    @cached_property
    def totals(self) -> Array:
        """Share in which each hyperparameter takes part, alone and in pairs, (k, d)."""
        shares = self.mains.copy()
        for share, pair in zip(self.of_pairs.T, self.pairs, strict=True):
            shares[:, pair] += share[:, None]
        return np.minimum(shares, 1.0)

    @cached_property
    def of_evaluations(self) -> Array:
        """The draws' variance over that of evaluations, which noise scatters, (k,).

        Times a share of the objective it is one of what evaluations scatter by: where nothing is
        but noise, shares of the little that draws vary by mean nothing.
        """
        own, noise = (self._whole[:, 0], (self.landscape.belief.noise_std / self._unit) ** 2)
        return own / (own + noise)

    @cached_property
    def left_out(self) -> Array:
        """Share of the objective's variance that draws leave out, (k,).

        Rows that no trial is near vary by it, so it is no effect of one hyperparameter alone. Which
        interaction it is, if it is no noise, no trial tells.
        """
        own = self._whole[:, 0]
        left_out = (self.landscape.belief.roughness / self._unit) ** 2
        return left_out / (own + left_out)

    def curve(self, j: int, positions: Array) -> Array:
        """Return the mean cost of each draw at encoded values of a hyperparameter, (k, G)."""
        own = self._fitted.own[j] @ self._bases[j].at(positions).T
        return self.mean[:, None] + self._unit * own

    def surface(self, a: int, b: int, first: Array, second: Array) -> Array:
        """Return the mean cost of each draw at values of two hyperparameters, (k, G1, G2)."""
        alone = self.curve(a, first)[:, :, None] + self.curve(b, second)[:, None, :]
        coefficients = self._fitted.pairs[min(a, b), max(a, b)]
        small = [self._bases[j].small_at(x) for j, x in ((a, first), (b, second))]
        widths = [self._bases[j].small.shape[1] for j in (min(a, b), max(a, b))]
        shape = len(coefficients), *widths
        together = coefficients.reshape(shape)
        if a > b:
            together = together.transpose(0, 2, 1)
        joint = np.einsum("gi,kij,hj->kgh", small[0], together, small[1])
        return alone - self.mean[:, None, None] + self._unit * joint


def _inverse(gram: Array) -> Array:
    """Return the inverse of a Gram matrix, a pseudo-inverse where functions depend on others."""
    from scipy.linalg.lapack import dpotrf, dpotri

    root, failed = dpotrf(gram, lower=1)
    sizes = np.diag(root)
    if failed or sizes.min() <= _DEPENDENT * sizes.max():
        return np.asarray(np.linalg.pinv(gram))
    lower, _ = dpotri(root, lower=1, overwrite_c=1)
    return np.tril(lower) + np.tril(lower, -1).T


class _Basis:
    """Functions of one hyperparameter, orthonormal over the rows and without a mean."""

    def __init__(self, x: Array, axis: Axis, degree: int, steps: Array, many: bool) -> None:
        self._x, self.axis, self.steps = x, axis, steps
        self.paired = _OF_MANY if many else _PAIRED[axis.category]
        self.degree = degree
        self.optional = bool(np.isnan(x).any())
        if axis.category:
            self._by_level = contrasts(np.bincount(self._level(x), minlength=len(axis.centers) + 1))
        else:
            raw = self._everything(x)
            # more powers than values make a column depend on those before
            root = np.linalg.qr(raw, mode="r")
            sizes = np.abs(np.diag(root))
            self.independent = np.flatnonzero(sizes > _DEPENDENT * np.sqrt(len(x)))
            if len(self.independent) < raw.shape[1]:
                root = np.linalg.qr(raw[:, self.independent], mode="r")
            self.change = np.linalg.inv(root) * np.sqrt(len(x))

    def __getstate__(self) -> dict[str, Any]:
        # functions at all rows are computed again where they are needed
        of_rows = ("functions", "small")
        return {k: v for k, v in vars(self).items() if k not in of_rows}

    @property
    def count(self) -> int:
        """How many functions there are."""
        if self.axis.category:
            return int(self._by_level.shape[1])
        return len(self.independent) - 1

    @cached_property
    def functions(self) -> Array:
        """Its functions at the rows, (n, number of functions)."""
        return self.at(self._x)

    def coefficients(self, values: Array) -> Array:
        """Return the coefficients of values (k, n) at the rows."""
        n = values.shape[1]
        if not self.axis.category:
            return values @ self.functions / n
        # sums over the rows of each level, in place of a product with all of its functions
        in_order = np.argsort(self._level(self._x), kind="stable")
        level = self._level(self._x)[in_order]
        present, starts = np.unique(level, return_index=True)
        sums = np.add.reduceat(values[:, in_order], starts, axis=1)
        return sums @ self._by_level[present] / n

    def values(self, coefficients: Array) -> Array:
        """Return what functions with coefficients (k, number of functions) are at the rows."""
        if not self.axis.category:
            return coefficients @ self.functions.T
        of_level = coefficients @ self._by_level.T
        return of_level[:, self._level(self._x)]

    def _level(self, x: Array) -> Ints:
        """Return the level of categories; of inactive ones a last one."""
        level = self.axis.level(x)
        return np.where(level < 0, len(self.axis.centers), level)

    def _everything(self, x: Array) -> Array:
        # of an optional one: it is inactive whatever others are
        off = np.isnan(x)
        at = np.nan_to_num(x)
        smooth = np.polynomial.legendre.legvander(2.0 * at - 1.0, self.degree)
        functions = np.column_stack([smooth[:, 1:], at[:, None] > self.steps])
        levels = np.where(off[:, None], 0.0, functions)
        inactive = off[:, None][:, : int(self.optional)]
        return np.column_stack([np.ones(len(x)), inactive, levels])

    @cached_property
    def small(self) -> Array:
        """Those that pairs are made of, at the rows."""
        # all functions of a thousand categories are large, and not needed
        if self.axis.category:
            return self.small_at(self._x)
        return self.functions[:, : self.paired]

    def at(self, x: Array) -> Array:
        """Return the functions at encoded values."""
        return self._first(x, self.count)

    def small_at(self, x: Array) -> Array:
        """Return those that pairs are made of."""
        return self._first(x, self.paired)

    def _first(self, x: Array, count: int) -> Array:
        x = np.asarray(x, float)
        if self.axis.category:
            return self._by_level[self._level(x), :count]
        raw = self._everything(x)[:, self.independent]
        return (raw @ self.change)[:, 1 : 1 + count]


def contrasts(counts: Ints) -> Array:
    """Return functions of levels, orthonormal over rows and without a mean, (L + 1, L or fewer).

    Each level from the second on, against the first and those after it, is the Gram-Schmidt process
    in closed form. A level without rows is as the first.

    Parameters
    ----------
    counts : ndarray of int, shape (L + 1,)
        How many rows have each level; last those in which there is none.
    """
    n, active = counts.sum(), counts[:-1]
    others = active[0] + np.cumsum(active[::-1])[::-1] - active
    others[0] -= active[0]
    together = np.maximum(active + others, 1)
    sizes = active * others / together
    table = np.tile(-active / together, (len(counts), 1))
    # what was before a level is apart from it already
    level = np.arange(len(active))
    before = (level[:, None] < level) & (level[:, None] > 0)
    table[:-1][before & (active[:, None] > 0)] = 0.0
    table[level, level] += 1.0
    table[-1] = 0.0
    table[:-1][active == 0] = table[0]
    independent = np.flatnonzero(sizes > _DEPENDENT**2 * n)
    independent = independent[independent > 0]
    functions = np.asarray(table[:, independent] * np.sqrt(n / sizes[independent]))
    if not counts[-1]:
        return functions
    none = np.where(np.arange(len(counts)) == len(active), 1.0, 0.0)
    share = counts[-1] / n
    none = (none - share) / np.sqrt(share * (1.0 - share))
    return np.column_stack([none, functions])


def _products(a: Array, b: Array) -> Array:
    return (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1])


def attainable(land: Landscape, j: int) -> Array:
    """Return the least cost of each draw at each level of a hyperparameter, (k, L)."""
    levels = range(len(land.axes[j].centers))
    return np.column_stack([least_in(land, land.level[:, j] == level) for level in levels])


def least_in(land: Landscape, inside: Bools) -> Array:
    """Return the least cost of each draw among some of `all_rows`, (k,); infinite of none."""
    values = np.compress(inside, land.possible_values, axis=1)
    return np.asarray(values.min(axis=1, initial=np.inf), float)


def loss(land: Landscape, inside: Bools) -> Array:
    """Return what each draw loses where only some of `all_rows` are left, (k,), at least 0."""
    return least_in(land, inside) - land.least


def argmin(land: Landscape) -> Array:
    """Return the row at which each draw is least, (k, d)."""
    return land.all_rows[land.possible_values.argmin(axis=1)]
