"""What decides whether a configuration is among the best: functional ANOVA of being there.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
p          share of rows that are among the best (`top` of the space)
I          1 for the rows of a draw that are among the best, 0 for the others
V_j        variance of E[I | level of j]
V_ij       variance of E[I | levels of i and j], less V_i and V_j
share      V / (p (1 - p)): part of the variance of I
=========  ============================================================================

The Pearson divergence of PED-ANOVA (Watanabe et al. 2023, Eq. 11) is V_j / p². Among the better
rows alone (`within`) all of this is of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from hpo_explain.belief.draws import Draws
from hpo_explain.belief.landscape import Landscape
from hpo_explain.space import Array, Bools, Ints

_PARTS = 32  # in which a number that decides alone is looked at
_CHANCE = 0.016  # so much larger than in 32 parts a share is in 64 by chance at most
_AMONG = 24  # hyperparameters, those that decide most alone, whose pairs are looked at


_ALL = slice(None)


@dataclass(frozen=True, eq=False)
class Best:
    """Which part of being among the best each hyperparameter decides in each draw.

    Conditional means are known up to chance, whose squares add up; products of those of both halves
    of the rows do not. Of a number they are looked at in 32 parts, or in 64 where these show more,
    in a pair in twelve, so what two decide where the border of the best is sharp is told a little
    too small.

    Attributes
    ----------
    draws : Draws
        The draws.
    top : float
        The share of the space that is best.
    within : float, default 1.0
        The better share of it that is looked at.
    """

    draws: Draws
    top: float
    within: float = 1.0

    @property
    def landscape(self) -> Landscape:
        """Where the draws are looked at."""
        return self.draws.landscape

    @cached_property
    def _inside(self) -> Bools:
        return among_best(self.landscape.values, self.within)

    @cached_property
    def _best(self) -> Bools:
        return among_best(self.landscape.values, self.top) & self._inside

    @cached_property
    def _levels(self) -> list[Ints]:
        """The level of each row from 1 on, 0 where one is inactive of itself."""
        land = self.landscape
        return [1 + axis.level(x) for axis, x in zip(land.axes, land.latent.T, strict=True)]

    @cached_property
    def _sizes(self) -> list[int]:
        return [1 + len(axis.centers) for axis in self.landscape.axes]

    @cached_property
    def mean(self) -> Array:
        """Share of the rows that are among the best, (k,)."""
        return self._best.sum(axis=1) / self._inside.sum(axis=1)

    @cached_property
    def variance(self) -> Array:
        """Variance of being among them, (k,)."""
        return self.mean * (1.0 - self.mean)

    def _counts(self, cells: Ints, count: int, some: slice = _ALL) -> tuple[Array, Array]:
        """Return rows in each cell, and best ones, each (k, count), of all rows or some."""
        in_order = np.argsort(cells[some], kind="stable")
        present, starts = np.unique(cells[some][in_order], return_index=True)
        rows, hits = np.zeros((2, len(self._best), count))
        best, inside = self._best[:, some], self._inside[:, some]
        hits[:, present] = np.add.reduceat(best[:, in_order], starts, axis=1, dtype=np.int32)
        if self.within < 1.0:
            rows[:, present] = np.add.reduceat(inside[:, in_order], starts, axis=1, dtype=np.int32)
        else:
            rows[:] = np.bincount(cells[some], minlength=count)
        return rows, hits

    def _explained(self, cells: Ints, count: int) -> Array:
        """Return the share of the variance that lies between cells, (k,)."""
        if count > len(cells):  # most have no row
            present, cells = np.unique(cells, return_inverse=True)
            count = len(present)
        # each stands for the space, as the rows are a Sobol sequence
        half = len(cells) // 2
        rows, hits = self._counts(cells, count, slice(half))
        others, others_hit = self._counts(cells, count, slice(half, None))
        weights = np.where((rows > 0.0) & (others > 0.0), rows + others, 0.0)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
        first = hits / np.maximum(rows, 1.0)
        second = others_hit / np.maximum(others, 1.0)
        means = (weights * first).sum(axis=1) * (weights * second).sum(axis=1)
        between = (weights * first * second).sum(axis=1) - means
        return between / np.where(self.variance > 0.0, self.variance, np.inf)

    @cached_property
    def _alone(self) -> Array:
        """Share of the variance that lies between the values of each hyperparameter, (k, d)."""
        shares = list[Array]()
        for x in self.landscape.latent.T:
            values, places = np.unique(x, return_inverse=True)
            share = self._explained(places, len(values))
            if len(values) > _PARTS and not self.landscape.axes[len(shares)].category:
                fewer = self._explained(places * _PARTS // len(values), _PARTS)
                # a border inside of a part
                share = np.where(share > fewer + _CHANCE, share, fewer)
            shares.append(share)
        return np.stack(shares, axis=1)

    @cached_property
    def _by_level(self) -> Array:
        """The same between the levels that pairs are made of, (k, d)."""
        return np.stack(list(map(self._explained, self._levels, self._sizes)), axis=1)

    @property
    def mains(self) -> Array:
        """Share that each hyperparameter decides alone, (k, d)."""
        return np.maximum(self._alone, 0.0)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of hyperparameters; of more than 24, of those that decide most alone."""
        largest = np.argsort(self._alone.mean(axis=0), kind="stable")[-_AMONG:]
        return tuple(combinations(sorted(largest.tolist()), 2))

    def _cells(self, a: int, b: int) -> tuple[Ints, int]:
        first, second = self._sizes[a], self._sizes[b]
        return self._levels[a] * second + self._levels[b], first * second

    @cached_property
    def _together(self) -> Array:
        together = [
            self._explained(*self._cells(a, b)) - self._by_level[:, a] - self._by_level[:, b]
            for a, b in self.pairs
        ]
        return np.stack(together, axis=1) if together else np.empty((len(self._best), 0))

    @property
    def of_pairs(self) -> Array:
        """Share that two decide beyond what each decides alone, (k, number of pairs)."""
        return np.maximum(self._together, 0.0)

    @cached_property
    def totals(self) -> Array:
        """Share in which each hyperparameter takes part, alone and in pairs, (k, d)."""
        shares = self._alone.copy()
        for share, pair in zip(self._together.T, self.pairs, strict=True):
            shares[:, pair] += share[:, None]
        return np.clip(shares, 0.0, 1.0)

    @property
    def of_evaluations(self) -> Array:
        """The draws' variance over that of evaluations, (k,): what is noise has no best part."""
        return self.draws.anova.of_evaluations

    def curve(self, j: int, positions: Array) -> Array:
        """Return the share of the best at encoded values of a hyperparameter, (k, G)."""
        axis = self.landscape.axes[j]
        rows, hits = self._counts(self._levels[j], self._sizes[j])
        return (hits / np.maximum(rows, 1.0))[:, 1 + axis.level(positions)]

    def surface(self, a: int, b: int, first: Array, second: Array) -> Array:
        """Return the share of the best at values of two hyperparameters, (k, G1, G2)."""
        axes = self.landscape.axes
        rows, hits = self._counts(*self._cells(a, b))
        shares = np.where(rows > 0.0, hits / np.maximum(rows, 1.0), self.mean[:, None])
        table = shares.reshape(len(rows), self._sizes[a], self._sizes[b])
        return table[:, 1 + axes[a].level(first)[:, None], 1 + axes[b].level(second)]


def among_best(costs: Array, share: float) -> Bools:
    """Return which rows are among the best share of each draw, ties included, (k, N).

    Examples
    --------
    >>> among_best(np.array([[3.0, 1.0, 2.0, 1.0]]), 0.25).tolist()
    [[False, True, False, True]]
    """
    at = max(math.ceil(share * costs.shape[1]) - 1, 0)
    return costs <= np.partition(costs, at, axis=1)[:, at, None]
