"""Functionals of the draws: what statements are about, one number (or curve) for each function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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


@dataclass(frozen=True, eq=False)
class Anova:
    """Functional ANOVA of each draw over the space, by regression on the landscape's rows.

    Main effects are polynomials up to degree 7 with steps (a mean of each category), those of pairs
    products of six by six (two by two, of more than 15 hyperparameters); the share that the rows'
    number leaves to chance is subtracted.

    Attributes
    ----------
    landscape : Landscape
        The draws.
    """

    landscape: Landscape

    @cached_property
    def _bases(self) -> tuple[_Basis, ...]:
        land = self.landscape
        many = len(land.axes) > _MANY
        most = max(2, len(land.latent) // (_ROWS_EACH * len(land.axes)))
        degree = min(_DEGREE, most)
        steps = _STEPS if most >= degree + len(_STEPS) else _STEPS[:0]
        return tuple(
            _Basis(x, a, degree, steps, many)
            for x, a in zip(land.latent.T, land.axes, strict=True)
        )

    @cached_property
    def mean(self) -> Array:
        """Mean cost of each draw, (k,)."""
        return np.asarray(self.landscape.values.mean(axis=1, dtype=float))

    @cached_property
    def variance(self) -> Array:
        """Variance of each draw over the space, (k,), in squared units of the objective."""
        with np.errstate(
            over="ignore"
        ):  # of objectives beyond 1e154 it is infinite
            return np.asarray(self._whole[:, 0] * self._unit * self._unit)

    @cached_property
    def _unit(self) -> float:
        return unit_of(self.landscape.values)

    @cached_property
    def _centered(self) -> Array:
        """The draws without their mean, in units in which no square overflows."""
        values = self.landscape.values
        centered = np.asarray((values - self.mean[:, None]) / self._unit)
        centered[np.ptp(values, axis=1) == 0.0] = (
            0.0  # of a constant a rounded mean is not it
        )
        return centered

    @cached_property
    def _whole(self) -> Array:
        return np.asarray(
            np.maximum((self._centered**2).mean(axis=1), 1e-300)[:, None]
        )

    @property
    def _ends(self) -> Ints:
        """Where each hyperparameter's coefficients end, but the last one's."""
        return np.cumsum([b.functions.shape[1] for b in self._bases])[:-1]

    @cached_property
    def _fitted(
        self,
    ) -> tuple[list[Array], dict[tuple[int, int], Array], Array]:
        """Coefficients of main effects and pairs, and the shares of the latter, per draw."""
        with one_blas_thread():  # the last digits of sums depend on it
            return self._regressed(self._centered)

    def _regressed(
        self, values: Array
    ) -> tuple[list[Array], dict[tuple[int, int], Array], Array]:
        n = values.shape[1]
        design = np.concatenate([b.functions for b in self._bases], axis=1)
        solve = design @ np.linalg.pinv(design.T @ design)
        own = values @ solve
        rest = values - own @ design.T
        left, chance = rest.copy(), (rest**2).mean(axis=1) / n
        pairs, shares = {}, []
        sizes = [
            (c**2).sum(axis=1).mean()
            for c in np.split(own, self._ends, axis=1)
        ]
        largest = np.sort(np.argsort(sizes, kind="stable")[-_AMONG:]).tolist()
        for i, a in enumerate(largest[:-1]):
            first, others = (
                self._bases[a],
                [self._bases[b] for b in largest[i + 1 :]],
            )
            both = _products(
                first.small, np.concatenate([b.small for b in others], axis=1)
            )
            coefficients = rest @ both / n
            left -= coefficients @ both.T
            ends = np.cumsum([b.small.shape[1] for b in others])
            coefficients = coefficients.reshape(
                len(values), first.small.shape[1], ends[-1]
            )
            ends = ends[:-1]
            for b, part in zip(
                largest[i + 1 :],
                np.split(coefficients, ends, axis=2),
                strict=True,
            ):
                pairs[a, b] = part.reshape(
                    len(values), part.shape[1] * part.shape[2]
                )
                by_chance = chance * pairs[a, b].shape[1]
                shares.append((pairs[a, b] ** 2).sum(axis=1) - by_chance)
        own = own + left @ solve
        of_pairs = (
            np.column_stack(shares) if shares else np.empty((len(values), 0))
        )
        self.__dict__["_chance"] = (left**2).mean(axis=1) / n
        return (
            np.split(own, self._ends, axis=1),
            pairs,
            np.maximum(of_pairs, 0.0),
        )

    @cached_property
    def mains(self) -> Array:
        """Share of the variance that each hyperparameter has alone, (k, d)."""
        own = self._fitted[0]
        sizes = [
            (c**2).sum(axis=1) - self.__dict__["_chance"] * c.shape[1]
            for c in own
        ]
        return np.asarray(
            np.maximum(np.stack(sizes, axis=1), 0.0) / self._whole
        )

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of hyperparameters; of more than 60, of those that matter most alone."""
        return tuple(self._fitted[1])

    @cached_property
    def of_pairs(self) -> Array:
        """Share that two have together beyond what each has alone, (k, number of pairs)."""
        return np.asarray(self._fitted[2] / self._whole)

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
        own, noise = (
            self._whole[:, 0],
            (self.landscape.belief.noise_std / self._unit) ** 2,
        )
        return np.asarray(own / (own + noise))

    def curve(self, j: int, positions: Array) -> Array:
        """Return the mean cost of each draw at encoded values of a hyperparameter, (k, G)."""
        own = self._fitted[0][j] @ self._bases[j].at(positions).T
        return np.asarray(self.mean[:, None] + self._unit * own)

    def surface(self, a: int, b: int, first: Array, second: Array) -> Array:
        """Return the mean cost of each draw at values of two hyperparameters, (k, G1, G2)."""
        alone = (
            self.curve(a, first)[:, :, None]
            + self.curve(b, second)[:, None, :]
        )
        coefficients = self._fitted[1][min(a, b), max(a, b)]
        small = [
            self._bases[j].small_at(x) for j, x in ((a, first), (b, second))
        ]
        widths = [
            self._bases[j].small.shape[1] for j in (min(a, b), max(a, b))
        ]
        shape = len(coefficients), *widths
        together = coefficients.reshape(shape)
        if a > b:
            together = together.transpose(0, 2, 1)
        joint = np.einsum("gi,kij,hj->kgh", small[0], together, small[1])
        return np.asarray(
            alone - self.mean[:, None, None] + self._unit * joint
        )


class _Basis:
    """Functions of one hyperparameter, orthonormal over the rows and without a mean."""

    def __init__(
        self, x: Array, axis: Axis, degree: int, steps: Array, many: bool
    ) -> None:
        self.axis, self.steps = axis, steps
        self.paired = _OF_MANY if many else _PAIRED[axis.category]
        self.degree = degree
        self.optional = bool(np.isnan(x).any())
        raw = self._everything(x)
        # a level that no row has, or more powers than values, makes a column depend on those before
        sizes = np.abs(np.diag(np.linalg.qr(raw, mode="r")))
        self.independent = np.flatnonzero(sizes > _DEPENDENT * np.sqrt(len(x)))
        root = np.linalg.qr(raw[:, self.independent], mode="r")
        self.change = np.linalg.inv(root) * np.sqrt(len(x))
        self.functions = self.at(x)

    def _everything(self, x: Array) -> Array:
        # of an optional one: it is inactive whatever others are
        off = np.isnan(x)
        if self.axis.category:
            levels = (x[:, None] == self.axis.centers[None, 1:]).astype(float)
        else:
            at = np.nan_to_num(x)
            smooth = np.polynomial.legendre.legvander(
                2.0 * at - 1.0, self.degree
            )[:, 1:]
            functions = np.column_stack([smooth, at[:, None] > self.steps])
            levels = np.where(off[:, None], 0.0, functions)
        inactive = off[:, None][:, : int(self.optional)]
        return np.column_stack([np.ones(len(x)), inactive, levels])

    @property
    def small(self) -> Array:
        """Those that pairs are made of."""
        return np.asarray(self.functions[:, : self.paired])

    def at(self, x: Array) -> Array:
        """Return the functions at encoded values."""
        return np.asarray(
            (
                self._everything(np.asarray(x, float))[:, self.independent]
                @ self.change
            )[:, 1:]
        )

    def small_at(self, x: Array) -> Array:
        """Return those that pairs are made of."""
        return np.asarray(self.at(x)[:, : self.paired])


def _products(a: Array, b: Array) -> Array:
    return np.asarray(
        (a[:, :, None] * b[:, None, :]).reshape(
            len(a), a.shape[1] * b.shape[1]
        )
    )


def attainable(land: Landscape, j: int) -> Array:
    """Return the least cost of each draw at each level of a hyperparameter, (k, L)."""
    levels = range(len(land.axes[j].centers))
    return np.column_stack(
        [least_in(land, land.level[:, j] == level) for level in levels]
    )


def least_in(land: Landscape, inside: Bools) -> Array:
    """Return the least cost of each draw among some of `all_rows`, (k,); infinite of none."""
    return np.asarray(
        land.possible_values[:, inside].min(axis=1, initial=np.inf), float
    )


def loss(land: Landscape, inside: Bools) -> Array:
    """Return what each draw loses where only some of `all_rows` are left, (k,), at least 0."""
    return np.asarray(least_in(land, inside) - land.least)


def argmin(land: Landscape) -> Array:
    """Return the row at which each draw is least, (k, d)."""
    return np.asarray(land.all_rows[land.possible_values.argmin(axis=1)])
