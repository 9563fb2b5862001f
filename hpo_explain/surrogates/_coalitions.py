"""All coalitions of a Shapley game at once, without a composed row for each.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained row, b a background row (latent), both encoded
players    the hyperparameters that take part; bit i of a coalition's code is player i
outer      players whose value decides what is active (parents and children of conditions),
           and others until half of all
inner      the remaining players: what they contribute depends on no other player
=========  ============================================================================

A coalition is a pair of an outer and an inner one. Everything a model needs of the two is worked
out for ``2^outer + 2^inner`` of them, and only combined for all ``2^players``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, SearchSpace
from hpo_explain.surrogates.protocols import CoalitionBlock

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Halves:
    """Players in two halves, with the code of each pair of an outer and an inner coalition."""

    players: Ints
    outer: Ints
    inner: Ints

    @classmethod
    def of(cls, space: SearchSpace, players: Ints, *, balanced: bool = True) -> Halves:
        """Return the halves: entangled players are outer, the others fill up both."""
        entangled = np.zeros(len(space), dtype=bool)
        for j, conditions in enumerate(space.conditions):
            for parent, _ in conditions:
                entangled[[j, parent]] = True
        tied = [i for i, j in enumerate(players) if entangled[j]]
        free = [i for i, j in enumerate(players) if not entangled[j]]
        filled = max(0, len(players) // 2 - len(tied)) if balanced else 0
        return cls(
            players,
            np.array(tied + free[:filled], dtype=np.int64),
            np.array(free[filled:], dtype=np.int64),
        )

    def codes(self, half: Ints) -> Ints:
        """Return the codes of all coalitions of one half, (2 ** size,)."""
        subsets = self.subsets(half)
        return np.asarray(subsets @ (1 << half), dtype=np.int64)

    def subsets(self, half: Ints) -> npt.NDArray[np.bool_]:
        """Return all coalitions of one half as membership, (2 ** size, size)."""
        counter = np.arange(2 ** len(half))[:, None]
        return np.asarray((counter >> np.arange(len(half))) & 1 == 1)

    def compose(self, x: Array, rows: Array, half: Ints, member: npt.NDArray[np.bool_]) -> Array:
        """Return background rows in which one coalition of a half has the values of `x`."""
        composed = rows.copy()
        columns = self.players[half[member]]
        composed[:, columns] = x[columns]
        return composed


def in_blocks(
    n_rows: int, size: int, work: Callable[[slice], CoalitionBlock]
) -> Iterator[CoalitionBlock]:
    """Yield the blocks of background rows in order, worked on by one thread per core.

    BLAS is held to one thread meanwhile: its threads and ours would fight for the cores. No more
    blocks are under way than there are threads, so that memory is bounded.
    """
    from threadpoolctl import threadpool_limits

    slices = iter([slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)])
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(max_workers=threads or 1) as pool,
    ):
        under_way = [pool.submit(work, part) for part in islice(slices, (threads or 1) + 1)]
        while under_way:
            block = under_way.pop(0).result()
            under_way += [pool.submit(work, part) for part in islice(slices, 1)]
            yield block
