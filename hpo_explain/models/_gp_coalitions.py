"""A Gaussian process in coalitions, and along walks through them.

The posterior of a Gaussian process in coalitions of an explained row and background rows.

Our own, because predicting composed rows takes 6 times as long (tests/benchmarks/test_shapley.py).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
q          dissimilarity with each of the n trials, a sum over hyperparameters
slot       a hyperparameter with the source of its value; the first slot is what never changes
table      part of q that a slot contributes, (rows, slots, n)
state      1 where a coalition has the slot, else 0, (coalitions, slots); q = state @ table
k          covariance with the trials; mean ``k α``, variance ``k(z, z) - |k L⁻ᵀ|²`` [1]_
=========  ============================================================================

Every number of k costs a few passes over memory and n multiplications, so that all that counts is
to pass over few, small enough arrays: they are made once per block and worked on in place.

.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Algorithm 2.1.

The posterior of a Gaussian process while players join background rows one by one.

Our own, because by a product with the states of all players (`_gp_coalitions`) predictions take 1.6
times as long: along a walk one player changes per step.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
q          dissimilarity with each of the n trials, a sum over hyperparameters
step       q after s players of an order: what never changes, plus the parts of the first s at the
           explained row, plus those of the others at the background row
k          covariance with the trials; mean ``k α``, variance ``k(z, z) - |k L⁻ᵀ|²``
=========  ============================================================================

The parts are added from both ends of an order: sums of what is not negative, without differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_explain.models._coalitions import (
    BACKGROUND,
    EXPLAINED,
    INACTIVE,
    Compositions,
    Sources,
)
from hpo_explain.models._compiled import compiled
from hpo_explain.models._split_kernel import Leaf, SplitProcess
from hpo_explain.space import Array, Ints

_WORK = 250_000  # numbers of k at once: threads wait for one another between fewer, longer steps
_TABLE = 500_000  # numbers of a table at once
_PREDICTIONS = 50_000  # predictions of a block


@dataclass(frozen=True, eq=False)
class CoalitionPosterior:
    """Mean and variance in every coalition, for blocks of background rows."""

    compositions: Compositions
    process: SplitProcess

    @property
    def rows(self) -> int:
        """Number of background rows per block."""
        table = len(self.process.train) * len(self._slots)
        m = self.compositions.count
        return max(1, min(_PREDICTIONS // m, _TABLE // table))

    def __call__(self, background: Array, part: slice) -> tuple[Array, Array]:
        """Return standardized mean and variance in part of the rows, each (rows, coalitions)."""
        background = background[part]
        m = self.compositions.count
        n = len(self.process.train)
        mean = np.empty((len(background), m))
        variance = np.empty_like(mean)
        tables = [
            self._table(leaf, fixed, background)
            for leaf, fixed in zip(
                self.process.kernel.leaves, self._fixed, strict=True
            )
        ]
        sources = self.compositions.of_rows(part).sources(background)
        length = max(1, _WORK // n)
        dissimilarities = np.empty((len(tables), length, n))
        at_once = max(1, length // m)
        state = self._state(sources[:1])
        for first in range(0, len(background), at_once):
            here = slice(first, min(first + at_once, len(background)))
            if len(sources) > 1:
                state = self._state(sources[here])
            height = here.stop - first
            for start in range(0, m, length):
                there = slice(start, min(start + length, m))
                shape = (height, there.stop - start)
                size = shape[0] * shape[1]
                for q, table in zip(dissimilarities, tables, strict=True):
                    np.matmul(
                        state[:, there],
                        table[here],
                        out=q[:size].reshape(*shape, n),
                    )
                k = self.process.kernel.combine(
                    [q[:size] for q in dissimilarities]
                )
                moments = self.process.predicted(k)
                mean[here, there], variance[here, there] = (
                    v.reshape(shape) for v in moments
                )
        return mean, variance

    @cached_property
    def _slots(self) -> tuple[tuple[Ints, int, int], ...]:
        """For each slot its columns, its hyperparameter and its source."""
        c = self.compositions
        slots: list[tuple[Ints, int, int]] = []
        rest = []
        for j, (plays, conditional) in enumerate(
            zip(c.plays, c.conditional, strict=True)
        ):
            columns = np.flatnonzero(self.process.owners == j)
            if not len(columns):
                continue
            if plays or conditional:
                slots.append((columns, j, BACKGROUND))
            else:
                rest.append(columns)
            if plays:
                slots.append((columns, j, EXPLAINED))
            if conditional:
                slots.append((columns, j, INACTIVE))
        never = np.concatenate(rest) if rest else np.array([], dtype=np.int64)
        return ((never, 0, BACKGROUND), *slots)

    @cached_property
    def _fixed(self) -> tuple[Array, ...]:
        """The part of each leaf's table that is the same for every background row, (slots, n)."""
        c = self.compositions
        rows = {
            EXPLAINED: self.process.columns(c.x[None, :]),
            INACTIVE: self.process.columns(c.inactive[None, :]),
        }
        tables = []
        for leaf in self.process.kernel.leaves:
            table = np.zeros((len(self._slots), len(self.process.train)))
            for k, (columns, _, source) in enumerate(self._slots):
                if source != BACKGROUND:
                    table[k] = leaf.dissimilarity(
                        rows[source], self.process.train, columns
                    )[0]
            tables.append(table)
        return tuple(tables)

    def _table(self, leaf: Leaf, fixed: Array, background: Array) -> Array:
        z = self.process.columns(background)
        table = np.repeat(fixed[None], len(background), axis=0)
        for k, (columns, _, source) in enumerate(self._slots):
            if source == BACKGROUND:
                table[:, k] = leaf.dissimilarity(
                    z, self.process.train, columns
                )
        return table

    def _state(self, sources: Sources) -> Array:
        state = np.ones((len(sources), len(self._slots), sources.shape[2]))
        for k, (_, j, source) in enumerate(self._slots[1:], start=1):
            np.equal(sources[:, j], source, out=state[:, k], casting="unsafe")
        return state.swapaxes(1, 2)


@dataclass(frozen=True, eq=False)
class WalkPosterior:
    """Mean and variance along walks, for blocks of background rows; nothing is conditional."""

    players: Ints
    """Columns of the encoded rows, sorted."""
    orders: Ints
    """Players by their columns, (n, w, p)."""
    process: SplitProcess

    @property
    def rows(self) -> int:
        """Number of background rows per block."""
        return max(
            1, _TABLE // (len(self.process.train) * (len(self.players) + 1))
        )

    def __call__(
        self, x: Array, background: Array, part: slice
    ) -> tuple[Array, Array]:
        """Return standardized mean and variance in part of the rows, each (rows, 2 + w (p - 1)).

        Of a row: without any player, with all, and after each step of each walk in between.
        """
        z = self.process.columns(background[part])
        own = self.process.columns(x[None])
        orders = np.searchsorted(self.players, self.orders[part])
        _, walks, p = orders.shape
        m = 2 + walks * (p - 1)
        n = len(self.process.train)
        mean = np.empty((len(z), m))
        variance = np.empty_like(mean)
        tables = [
            self._tables(leaf, own, z) for leaf in self.process.kernel.leaves
        ]
        at_once = max(1, _WORK // (n * m))
        dissimilarities = np.empty((len(tables), min(at_once, len(z)), m, n))
        room = np.empty((p, n)), np.empty(n)
        for start in range(0, len(z), at_once):
            here = slice(start, min(start + at_once, len(z)))
            size = here.stop - start
            for q, (never, joined, left) in zip(
                dissimilarities, tables, strict=True
            ):
                q[:size, 0] = never[here] + left[:, here].sum(axis=0)
                q[:size, 1] = never[here] + joined.sum(axis=0)
                _sums(
                    never[here],
                    joined,
                    left[:, here],
                    orders[here],
                    *room,
                    q[:size],
                )
            k = self.process.kernel.combine(
                [q[:size].reshape(-1, n) for q in dissimilarities]
            )
            moments = self.process.predicted(k)
            mean[here], variance[here] = (
                values.reshape(size, m) for values in moments
            )
        return mean, variance

    def _tables(
        self, leaf: Leaf, own: Array, z: Array
    ) -> tuple[Array, Array, Array]:
        """Return the parts of q: (rows, n) of no player, (p, n) of the row, (p, rows, n)."""
        of = [np.flatnonzero(self.process.owners == j) for j in self.players]
        never = np.flatnonzero(~np.isin(self.process.owners, self.players))
        joined = [
            leaf.dissimilarity(own, self.process.train, columns)[0]
            for columns in of
        ]
        left = np.empty((len(of), len(z), len(self.process.train)))
        for part, columns in zip(left, of, strict=True):
            leaf.dissimilarity(z, self.process.train, columns, out=part)
        return (
            leaf.dissimilarity(z, self.process.train, never),
            np.array(joined),
            left,
        )


@compiled()
def _sums(
    never: Array,
    joined: Array,
    left: Array,
    orders: Ints,
    after: Array,
    before: Array,
    out: Array,
) -> None:
    """Fill q (rows, 2 + w (p - 1), n) from its parts, but for the first two: steps of walks.

    `after` (p, n) and `before` (n,) are written over.
    """
    # number by number: an array as a whole takes 4 s more to compile
    rows, walks, p = orders.shape
    n = never.shape[1]
    for r in range(rows):
        place = 2
        for walk in range(walks):
            order = orders[r, walk]
            last = left[order[p - 1], r]
            into = after[p - 1]
            for i in range(n):
                into[i], before[i] = last[i], never[r, i]
            for s in range(p - 2, -1, -1):
                part = left[order[s], r]
                following = after[s + 1]
                into = after[s]
                for i in range(n):
                    into[i] = following[i] + part[i]
            for s in range(p - 1):
                own = joined[order[s]]
                following = after[s + 1]
                into = out[r, place]
                for i in range(n):
                    before[i] += own[i]
                    into[i] = before[i] + following[i]
                place += 1
