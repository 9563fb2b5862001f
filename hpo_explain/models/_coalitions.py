"""Rows composed of an explained row and background rows, described without composing them.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained row, b a background row (latent), both encoded
players    the hyperparameters that take part
S          a coalition, by membership of the players: they have the value of x, the others of b
source     where the value of a hyperparameter in the composed row comes from: b, x, or nowhere
           because it is inactive there
=========  ============================================================================

A model whose columns each come from one hyperparameter needs, for all coalitions of two rows, its
columns of three rows only (b, x, and one with everything inactive) and the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import one_blas_thread, steps
from hpo_explain.models._threads import n_threads, threads
from hpo_explain.space import Array, Bools, Ints, SearchSpace

Sources = npt.NDArray[np.uint8]
Block = TypeVar("Block")

BACKGROUND = 0
EXPLAINED = 1
INACTIVE = 2


@dataclass(frozen=True, eq=False)
class Compositions:
    """The rows that coalitions compose of one explained row and any background row.

    Attributes
    ----------
    space : SearchSpace
        The space of the rows.
    x : ndarray of shape (d,)
        The explained row.
    players : ndarray of int
        Columns of the players.
    coalitions : ndarray of bool, shape (m, players) or (rows, m, players)
        The same for all background rows, or those of each.
    """

    space: SearchSpace
    x: Array
    players: Ints
    coalitions: Bools

    @property
    def count(self) -> int:
        """Number of coalitions of each background row."""
        return int(self.coalitions.shape[-2])

    def of_rows(self, part: slice) -> Compositions:
        """Return those of some background rows."""
        if self.coalitions.ndim == 2:
            return self
        return replace(self, coalitions=self.coalitions[part])

    @property
    def conditional(self) -> Bools:
        """For each hyperparameter whether others decide if it is active, (d,)."""
        return np.array(
            [bool(conditions) for conditions in self.space.conditions]
        )

    @property
    def plays(self) -> Bools:
        """For each hyperparameter whether it is a player, (d,)."""
        return np.isin(np.arange(len(self.space)), self.players)

    @property
    def inactive(self) -> Array:
        """The explained row with every conditional hyperparameter inactive, (d,)."""
        return np.where(self.conditional, np.nan, self.x)

    def sources(self, background: Array) -> Sources:
        """Return the source of every value, (rows, d, coalitions).

        One row stands for all that have the same coalitions where nothing is conditional.
        """
        one = self.coalitions.ndim == 2
        shape = (1 if one else len(background), len(self.space), self.count)
        chosen = np.zeros(shape, dtype=np.uint8)
        joined = self.coalitions.swapaxes(-1, -2)
        chosen[:, self.players] = np.where(joined, EXPLAINED, BACKGROUND)
        conditional = np.flatnonzero(self.conditional).tolist()
        if not conditional:
            return chosen
        # activity depends on the parents alone: few patterns of them cover all coalitions
        parents = [
            p for conditions in self.space.conditions for p, _ in conditions
        ]
        switch = np.isin(self.players, parents)
        switched = self.coalitions[..., switch]
        each = prod(switched.shape[:-1])
        patterns, which = np.unique(
            switched.reshape(each, switch.sum()), axis=0, return_inverse=True
        )
        z = np.repeat(background[:, None, :], len(patterns), axis=1)
        columns = self.players[switch]
        z[:, :, columns] = np.where(
            patterns, self.x[columns], z[:, :, columns]
        )
        rows = self.space.project(z.reshape(-1, len(self.space)))
        which = which.reshape(switched.shape[:-1])
        which = np.broadcast_to(which, (len(background), self.count))
        chosen = np.array(
            np.broadcast_to(chosen, (len(background), *shape[1:]))
        )
        for j in conditional:
            off = ~self.space.allowed(rows, j).reshape(z.shape[:2])
            chosen[:, j][np.take_along_axis(off, which, axis=1)] = INACTIVE
        return chosen


@contextmanager
def ended(blocks: Iterator[Block]) -> Iterator[Iterator[Block]]:
    """Return a context at whose end the threads that compute blocks have ended.

    An interrupted loop would leave them, and one thread of BLAS, until its exception is forgotten.
    """
    try:
        yield blocks
    finally:
        if isinstance(blocks, Generator):
            blocks.close()


def in_blocks(
    n_rows: int, size: int, work: Callable[[slice], Block]
) -> Iterator[Block]:
    """Yield the blocks of background rows in order, computed by one thread per core.

    BLAS is limited to one thread meanwhile, so that its threads do not compete for the cores. As
    many blocks as threads are computed at a time, so that memory is bounded.
    """
    slices = iter(
        [slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)]
    )
    with one_blas_thread(), threads() as pool:
        under_way = [
            pool.submit(work, part) for part in islice(slices, n_threads() + 1)
        ]
        for _ in steps(range(0, n_rows, size), "batches"):
            block = under_way.pop(0).result()
            under_way += [
                pool.submit(work, part) for part in islice(slices, 1)
            ]
            yield block
