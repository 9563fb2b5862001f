"""Functions drawn from the processes of a belief, each as often as it counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hpo_explain.base import one_blas_thread
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.learned import LearnedDraws
from hpo_explain.belief.noise import Noise
from hpo_explain.belief.scales import Process, Scale, doubt, from_table
from hpo_explain.models.compared import Rows
from hpo_explain.models.pathwise import Block, Functions, blocks, draw, valued
from hpo_explain.models.product_kernel import Parameters
from hpo_explain.space import Array, Bools, Ints

KERNELS, DRAWS = 16, 12  # settings of kernels in all, and functions of each
_KEPT_ROWS = 5000  # at most: costs at more are computed each time


class Pool:
    """Functions drawn from the processes of a belief: each is drawn once, whoever asks for it.

    Parameters
    ----------
    belief : LearnedDraws
        What the processes are of.
    processes : tuple of Process
        The process of each scale.
    """

    def __init__(self, belief: LearnedDraws, processes: tuple[Process, ...]) -> None:
        self._belief, self.processes = belief, processes
        self._drawn: dict[tuple[int, int], Functions] = {}
        self._over_space: dict[Functions, Array] = {}

    def __getstate__(self) -> dict[str, Any]:
        # values at thousands of rows are large, and computed again where they are needed
        return {**vars(self), "_over_space": {}}

    def functions(self, counts: Sequence[int]) -> list[Functions]:
        """Return the functions of the first settings of each process, as many as are counted."""
        functions = []
        for which, (process, count) in enumerate(zip(self.processes, counts, strict=True)):
            for i, kernel in enumerate(process.posterior.drawn(count)):
                if (which, i) not in self._drawn:
                    self._drawn[which, i] = self._draw(process, kernel, which, i)
                functions.append(self._drawn[which, i])
        return functions

    def over_space(self, functions: Sequence[Functions], rows: Array) -> list[Array]:
        """Return their standardized values at the rows that stand for the space, (N, DRAWS) each.

        The rows are the same in each call.
        """
        new = [of for of in functions if of not in self._over_space]
        if new:
            self._over_space.update(zip(new, self.valued(new, rows), strict=True))
        return [self._over_space[of] for of in functions]

    def valued(self, functions: Sequence[Functions], X: Array) -> list[Array]:
        """Return the standardized values (n, DRAWS) of functions at encoded rows."""
        space = self._belief.space
        with one_blas_thread():  # the last digits of sums depend on it
            return [*valued(functions, space.in_own_order(X), space.categories_in_own_order)]

    def _draw(self, process: Process, kernel: Parameters, which: int, i: int) -> Functions:
        belief, space = self._belief, self._belief.space
        columns, categories = space.in_own_order(belief.X), space.categories_in_own_order
        with one_blas_thread():
            seeds = [belief.seed, which, i]
            return draw(columns, process.pairs, kernel, categories, DRAWS, seeds)


class Mixture(Draws):
    """Functions drawn from the processes of a belief, in proportion to how much each counts.

    As many of them as it is probable that the trials are noise alone are constant.

    Parameters
    ----------
    belief : LearnedDraws
        What the processes are of.
    pool : Pool
        Where functions are drawn.
    weights : ndarray of shape (scales,)
        How much each process counts.
    reach : float
        So far beyond the best trial draws may lie, as a share of the median minus the best.
    """

    def __init__(self, belief: LearnedDraws, pool: Pool, weights: Array, reach: float) -> None:
        super().__init__(belief.space, belief.X, belief.direction, belief.seed, belief.feasibility)
        self.belief, self.weights, self._pool = belief, weights, pool
        self.limits = belief.limits(reach)
        self._last: dict[tuple[tuple[int, ...], bytes], Array] = {}

    def __getstate__(self) -> dict[str, Any]:
        # costs asked for last are large, and computed again where they are needed
        return {**vars(self), "_last": {}}

    @property
    def processes(self) -> tuple[Process, ...]:
        """The process of each scale."""
        return self._pool.processes

    @cached_property
    def _counts(self) -> list[int]:
        """How many settings of each process there are."""
        return shared_out(self.weights, KERNELS)

    @property
    def parts(self) -> tuple[slice, ...]:
        """The draws of each process that has any."""
        ends = DRAWS * np.cumsum([0, *self._counts])
        return tuple(slice(a, b) for a, b in pairwise(ends.tolist()) if a < b)

    @cached_property
    def functions(self) -> list[Functions]:
        """The functions of each setting of the kernels, `DRAWS` of each."""
        return self._pool.functions(self._counts)

    @cached_property
    def _tables(self) -> list[tuple[Array, Array]]:
        """Tables of an evaluation's mean and sd with each setting."""
        scales = [self.scales[which] for which in self.scale_of_each]
        return [
            scale.back(of.parameters.noise, self.limits)
            for scale, of in zip(scales, self.functions, strict=True)
        ]

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The scale of each process."""
        return tuple(process.scale for process in self.processes)

    @property
    def scale_of_each(self) -> Ints:
        """Of which process each setting is, (KERNELS,)."""
        return np.repeat(np.arange(len(self._counts)), self._counts)

    @cached_property
    def constant(self) -> Bools:
        """Which draws are constant, (k,)."""
        whole = KERNELS * DRAWS
        count = round(doubt(self.processes, self.weights) * whole)
        constant = np.zeros(whole, bool)
        constant[((np.arange(count) + 0.5) * whole / max(count, 1)).astype(int)] = True
        return constant

    @cached_property
    def constant_costs(self) -> Array:
        """Scaled costs of the constant draws: what the mean of the trials may be."""
        scaled, count = self.belief.scaled, int(self.constant.sum())
        rng = np.random.default_rng([self.seed, len(scaled)])
        around = rng.standard_normal(count) * scaled.std() / np.sqrt(len(scaled))
        return np.clip(scaled.mean() + around, *self.limits)

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n); those asked for last are kept."""
        X = np.asarray(X, float)
        key = (X.shape, X.tobytes()) if len(X) <= _KEPT_ROWS else None
        costs = self._last.get(key) if key else None
        if costs is None:
            costs = self._as_costs(self._pool.valued(self.functions, X))
            if key:
                self._last.clear()
                self._last[key] = costs
        return costs

    def costs_over_space(self) -> Array:
        """Return the cost of each draw at the rows that stand for the space, (k, N)."""
        return self._as_costs(self._pool.over_space(self.functions, self.landscape.rows))

    def _as_costs(self, values: Sequence[Array]) -> Array:
        """Return the cost of each draw by its standardized values, (k, n)."""
        scaled = np.concatenate(self._read(values, 0))
        scaled[self.constant] = self.constant_costs[:, None]
        costs = self.belief.in_units(scaled)
        costs.setflags(write=False)
        return costs

    def costs_at(self, X: Array, members: Sequence[int], values: Array) -> Array:
        """Return the cost of each draw at encoded rows with some columns at values, (G, k, n)."""
        space, order = self.space, self.space.order
        places = [int(np.flatnonzero(order == j)[0]) for j in members]
        others = np.setdiff1d(np.arange(len(order)), places)
        pairs = zip(members, np.transpose(values), strict=True)
        moved = np.stack([space.places(j, x) for j, x in pairs], axis=1)
        categories = space.categories_in_own_order
        at = Block(Rows(moved.astype(np.float32)), np.array(places), categories)
        rest = space.in_own_order(X)[:, others]
        rows = [*blocks(rest, categories, len(self.X), others)]
        with one_blas_thread():
            of_each = [
                from_table(functions.along(rows, at).transpose(1, 2, 0), table[0])
                for functions, table in zip(self.functions, self._tables, strict=True)
            ]
        scaled = np.concatenate(of_each, axis=1)
        scaled[:, self.constant] = self.constant_costs[:, None]
        return self.belief.in_units(scaled)

    def own_costs(self, rows: Array) -> Array:
        """Return the cost of each draw at rows of its own (k, m, d), (k, m)."""
        m, costs = rows.shape[1], list[Array]()
        own = np.repeat(np.arange(DRAWS), m)
        for i, (functions, table) in enumerate(zip(self.functions, self._tables, strict=True)):
            X = rows[i * DRAWS : (i + 1) * DRAWS].reshape(-1, rows.shape[2])
            (values,) = self._pool.valued([functions], X)
            costs.append(from_table(values[np.arange(len(X)), own], table[0]))
        scaled = np.concatenate(costs).reshape(len(rows), m)
        scaled[self.constant] = self.constant_costs[:, None]
        return self.belief.in_units(scaled)

    def _read(self, values: Sequence[Array], which: int) -> list[Array]:
        """Return what one of the tables holds for each draw by its standardized values, scaled."""
        each = zip(values, self._tables, strict=True)
        return [from_table(np.ascontiguousarray(z.T), of[which]) for z, of in each]

    def noise_at(self, X: Array) -> Array:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        noise = np.concatenate(self._read(self._pool.valued(self.functions, X), 1))
        noise[self.constant] = self.belief.scaled.std()
        return np.sqrt((noise**2).mean(axis=0)) * self.belief.unit

    @property
    def noise_std(self) -> float:
        """Standard deviation of one evaluation among the better half of the trials."""
        return self.belief.noise_std

    @property
    def roughness(self) -> float:
        """Standard deviation of what draws leave out of the objective."""
        return self.belief.roughness

    @property
    def noise(self) -> Noise:
        """The noise of one evaluation, as the belief knows it."""
        return self.belief.noise


def shared_out(weights: Array, count: int) -> list[int]:
    """Return whole numbers in proportion to weights that sum to a count: largest remainders.

    Examples
    --------
    >>> shared_out(np.array([0.6, 0.37, 0.03]), 16)
    [10, 6, 0]
    """
    exact = weights / weights.sum() * count
    whole = np.floor(exact).astype(int)
    rest = np.argsort(whole - exact, kind="stable")[: count - int(whole.sum())]
    whole[rest] += 1
    return [int(count) for count in whole]
