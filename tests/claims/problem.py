"""A problem whose truth is known: computed from its function, never by the package's analyses.

Up to four hyperparameters all levels of each are combined in one dense table. Of more, shares are
estimated by pick-freeze [1]_ and means and minima from Sobol rows.

References
----------
.. [1] Saltelli, A. et al. (2010). Variance based sensitivity analysis of model output. Design and
   estimator for the total sensitivity index. Computer Physics Communications 181, Table 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import qmc

from hpo_explain import SearchSpace
from hpo_explain.space import Parameter
from tests.claims.boxes import CLOSE, STARTS, Box, descended

SIZE = 300_000  # cells of a function's table
MOST_OF_TABLE = 4  # hyperparameters with a range of reals, of which a table is fine enough
SOBOL = 14  # logarithm of the number of rows
NOISES = (0.0, 0.01, 0.1, 0.5)
"""Standard deviations of one evaluation, as shares of the function's own."""
PROBABLE = 0.5  # of a result: what fails more often than not is no configuration to recommend
Rows = np.ndarray
Closed = Callable[..., float]
"""From a set of hyperparameters to what it explains, its subsets included."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A cost (smaller is better) over a search space, and what is true of it.

    Attributes
    ----------
    name : str
        Its name.
    space : SearchSpace
        Its search space.
    cost : callable
        From encoded rows (n, d) to costs (n,), without noise.
    draw : callable or None
        From an encoded row and a generator to one evaluation; None of a function, to which noise
        is added.
    tried : tuple of (float, float)
        The range of the first hyperparameter to which a run keeps.
    family : str
        What kind of problem it is.
    fails : callable or None
        From encoded rows to the probability that an evaluation gives no result, (n,).
    constraint : callable or None
        From encoded rows to values (n,) that must be at most 0.
    noises : tuple of float
        The levels of noise that it is tried with.
    noise_shape : callable or None
        From encoded rows to what the noise is multiplied by, (n,).
    tails : float
        Degrees of freedom of the noise; infinite of normal noise.
    drift : float
        By how many standard deviations of the cost evaluations get worse during a run.
    asked : callable or None
        Whether a hyperparameter is asked for, from its name and the values so far: a condition
        that no search space declares. The run's space is then read from its trials.
    noise_of : callable or None
        From encoded rows to the standard deviation of `draw`, (n,).
    judges : bool
        Whether it only judges: nothing in the package was ever chosen by it.
    optimum : ndarray of shape (1, d) or None
        The encoded row of the best, where it is known.
    maximize : bool or None
        Whether its negative is told, which is maximized; None where that alternates.
    """

    name: str
    space: SearchSpace
    cost: Callable[[Rows], np.ndarray]
    draw: Callable[[Rows, np.random.Generator], float] | None = None
    tried: tuple[float, float] = (0.0, 1.0)
    family: str = "smooth"
    fails: Callable[[Rows], np.ndarray] | None = None
    constraint: Callable[[Rows], np.ndarray] | None = None
    noises: tuple[float, ...] = NOISES
    noise_shape: Callable[[Rows], np.ndarray] | None = None
    tails: float = np.inf
    drift: float = 0.0
    asked: Callable[[str, Mapping[str, Any]], bool] | None = None
    noise_of: Callable[[Rows], np.ndarray] | None = None
    judges: bool = False
    optimum: Rows | None = None
    maximize: bool | None = None

    # ------------------------------------------------------------------ the table

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each hyperparameter has; 0 of a range of reals."""
        return tuple(p.size or 0 for p in self.space.parameters)

    @property
    def has_table(self) -> bool:
        """Whether all levels are combined in one table."""
        return self.sizes.count(0) <= MOST_OF_TABLE

    @property
    def is_finite(self) -> bool:
        """Whether the table holds every configuration."""
        return 0 not in self.sizes

    @cached_property
    def levels(self) -> tuple[np.ndarray, ...]:
        """Encoded values of each hyperparameter, each as probable as the others."""
        known = np.prod([n for n in self.sizes if n], dtype=float)
        reals = min(self.sizes.count(0), MOST_OF_TABLE)
        fine = min(int((SIZE / known) ** (1 / reals)), 48) if reals else 0
        return tuple(
            p.from_latent((np.arange(n or fine) + 0.5) / (n or fine))
            for p, n in zip(self.space.parameters, self.sizes, strict=True)
        )

    @cached_property
    def rows(self) -> Rows:
        """Encoded rows spread evenly over the space: all cells of the table, or Sobol's."""
        if not self.has_table:
            return self._at(self._sobol(len(self.space)))
        grid = np.meshgrid(*self.levels, indexing="ij")
        return self.space.project(np.column_stack([axis.ravel() for axis in grid]))

    @cached_property
    def costs(self) -> np.ndarray:
        """The cost at these, (n,)."""
        return self.cost(self.rows)

    @cached_property
    def table(self) -> np.ndarray:
        """The cost at all levels, (L_1, ..., L_d)."""
        return self.costs.reshape([len(x) for x in self.levels])

    def _sobol(self, d: int) -> np.ndarray:
        return qmc.Sobol(d, seed=0).random_base2(SOBOL)

    def _at(self, U: np.ndarray) -> Rows:
        return self.space.project(self.space.from_latent(U))

    # ------------------------------------------------------------------ results

    def p_result(self, X: Rows) -> np.ndarray:
        """Return the probability that an evaluation gives a result that meets the constraints."""
        found = np.ones(len(X)) if self.fails is None else 1.0 - self.fails(X)
        return found if self.constraint is None else np.where(self.constraint(X) <= 0, found, 0.0)

    def gives_result(self, X: Rows) -> np.ndarray:
        """Return at which encoded rows an evaluation rather gives a result, (n,)."""
        return self.p_result(X) >= PROBABLE

    @cached_property
    def is_whole(self) -> bool:
        """Whether evaluations give results everywhere, so that shares of the whole are true."""
        return bool(self.gives_result(self.rows).all())

    @cached_property
    def _seen(self) -> np.ndarray:
        return self.costs[self.gives_result(self.rows)]

    @cached_property
    def scale(self) -> float:
        """Standard deviation of the cost, that a function's noise is a share of; 1 of none."""
        return float(self._seen.std()) or 1.0

    @cached_property
    def best(self) -> float:
        """The least cost of what gives a result."""
        return self.best_in(self.space)[0]

    @cached_property
    def spread(self) -> float:
        """Median minus least cost."""
        return float(np.median(self._seen)) - self.best

    def _cost_of_results(self, X: Rows) -> np.ndarray:
        """Return the cost at encoded rows, infinite where an evaluation rather gives no result."""
        return np.where(self.gives_result(X), self.cost(X), np.inf)

    def best_in(self, part: Iterable[Parameter]) -> tuple[float, np.ndarray]:
        """Return the least cost in a part of the space, and rows spread over the part."""
        box = Box.of(self.space, part)
        if self.is_finite:
            rows = box.kept(self.rows)
            return float(self._cost_of_results(rows).min(initial=np.inf)), rows
        rows = box.sample()
        starts = rows
        if self.optimum is not None:
            starts = np.vstack([box.nearest(self.optimum), rows])
        return float(descended(self._cost_of_results, box.moved, starts[None])[0]), rows

    def cost_of(self, config: Mapping[str, Any]) -> float:
        """Return the cost of one configuration."""
        return float(self.cost(self.row_of(config))[0])

    def row_of(self, config: Mapping[str, Any]) -> Rows:
        """Return the encoded row of a configuration, (1, d)."""
        whole = dict(config)
        for p in self.space.parameters:
            if self.asked is not None and p.name not in whole:
                whole[p.name] = p.decode(p.from_latent(np.array([0.5])))[0]
        return self.space.encode([whole])

    # ------------------------------------------------------------------ shares and effects

    @cached_property
    def is_constant(self) -> bool:
        """Whether the cost is the same everywhere."""
        return bool(self.costs.var() < 1e-12)

    @cached_property
    def shares(self) -> dict[tuple[int, ...], float]:
        """Share of the variance of each hyperparameter and each pair."""
        d = len(self.space)
        if self.is_constant:
            return dict.fromkeys([(j,) for j in range(d)], 0.0)
        found = {(j,): self._closed(j) for j in range(d)}
        for a, b in combinations(range(d), 2):
            found[a, b] = self._closed(a, b) - found[a,] - found[b,]
        return found

    @cached_property
    def totals(self) -> np.ndarray:
        """Share of each hyperparameter with all interactions that it takes part in, (d,)."""
        d = len(self.space)
        if self.is_constant:
            return np.zeros(d)
        return np.array([1.0 - self._closed(*(k for k in range(d) if k != j)) for j in range(d)])

    @cached_property
    def _closed(self) -> Closed:
        """From a set of hyperparameters to what it explains, its subsets included."""
        return self._closed_of_table if self.has_table else self._pick_freeze()

    def _closed_of_table(self, *members: int) -> float:
        return float(self._mean(members).var() / self.table.var())

    def _mean(self, kept: Sequence[int]) -> np.ndarray:
        others = tuple(k for k in range(self.table.ndim) if k not in kept)
        return self.table.mean(axis=others)

    def _pick_freeze(self) -> Closed:
        """Return the function of a set's explained share, from two samples that share the set."""
        d = len(self.space)
        both = self._sobol(2 * d)
        first, second = both[:, :d], both[:, d:]
        y = self.cost(self._at(first))
        centre, variance = y.mean(), y.var()
        other = self.cost(self._at(second))

        def closed(*members: int) -> float:
            mixed = second.copy()
            columns = [int(np.flatnonzero(self.space.order == j)[0]) for j in members]
            mixed[:, columns] = first[:, columns]
            moved = self.cost(self._at(mixed))
            return float(((y - centre) * (moved - other)).mean() / variance)

        return closed

    def curve(self, j: int, at: np.ndarray | None = None) -> np.ndarray:
        """Return the mean cost at encoded values of a hyperparameter, where it is active.

        By default at its levels.
        """
        return np.array([self.cost(rows).mean() for rows in self._rows_at(j, at)])

    def attainable(self, j: int, at: np.ndarray | None = None) -> np.ndarray:
        """Return the least cost at encoded values of a hyperparameter, where it is active.

        By default at its levels.
        """
        each = self._rows_at(j, at)
        if self.is_finite:
            return np.array([self._cost_of_results(rows).min() for rows in each])
        whole = Box.of(self.space, self.space)

        def cost(X: Rows) -> np.ndarray:
            return np.where(np.isnan(X[:, j]), np.inf, self._cost_of_results(X))

        def moved(X: Rows, step: float, rng: np.random.Generator) -> Rows:
            found = whole.moved(X, step, rng)
            found[:, j] = np.where(np.isnan(found[:, j]), np.nan, X[:, j])
            return found

        starts = []
        for rows in each:
            first = np.argsort(cost(rows), kind="stable")[:STARTS]
            starts.append(rows[np.resize(first, STARTS)])
        return descended(cost, moved, np.array(starts))

    def _rows_at(self, j: int, at: np.ndarray | None) -> list[Rows]:
        """Return rows spread over the space, for each value of a hyperparameter those with it."""
        found = []
        for value in self.levels[j] if at is None else at:
            rows = self.rows[:4096]
            if self.has_table:
                level = self.levels[j][self.level(j, value)]
                rows = self.rows[np.abs(self.rows[:, j] - level) < CLOSE]
            rows = rows.copy()
            rows[:, j] = value
            found.append(rows)
        return found

    def level(self, j: int, value: float) -> int:
        """Return the level that is nearest to an encoded value."""
        return int(np.abs(self.levels[j] - value).argmin())

    # ------------------------------------------------------------------ noise

    def noise_at(self, X: Rows, noise: float) -> np.ndarray:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        if self.noise_of is not None:
            return self.noise_of(X)
        if self.draw is not None:
            rng = np.random.default_rng(0)
            return np.array([np.std([self.draw(x, rng) for _ in range(100)]) for x in X])
        shape = np.ones(len(X)) if self.noise_shape is None else self.noise_shape(X)
        return noise * self.scale * shape

    def evaluate(self, x: np.ndarray, noise: float, rng: np.random.Generator) -> float:
        """Return one evaluation of an encoded row, if it gives a result."""
        if self.draw is not None:
            return self.draw(x, rng)
        std = float(self.noise_at(x[None], noise)[0])
        if np.isinf(self.tails):
            error = rng.standard_normal()
        else:
            error = rng.standard_t(self.tails) * np.sqrt(1.0 - 2.0 / self.tails)
        return float(self.cost(x[None])[0]) + std * error
