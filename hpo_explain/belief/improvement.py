"""Where to go on: the configurations with the largest expected improvement over the belief.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
best        the lowest cost of a trial that gave a result that counts
T           the way back from a scale's standardized values to costs
m, s        mean and standard deviation of the function at a row, with one kernel setting
h(u)        ``u Φ(u) + φ(u)``
improvement ``E max(best - T(g), 0)`` with g ~ N(m, s²), which is ``∫ T'(z) Φ((z - m) / s) dz``
            below best [1]_
==========  ============================================================================

T is linear between nodes, with slope a_i behind node i, so the integral is
``s Σ_i (a_{i-1} - a_i) h((z_i - m) / s)``: a sum over nodes. The improvement is the mean over
settings and scales, each scale as often as it predicts, times the probability of a result that
counts.

References
----------
.. [1] Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of
   expensive black-box functions. Section 4.1, on a scale that is not the cost's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.belief.draws import Draws
from hpo_explain.belief.feasibility import PROPOSED
from hpo_explain.belief.learned import LearnedDraws
from hpo_explain.belief.scales import SETTINGS, Bounds, Process, Scale, weights_by_skill
from hpo_explain.models.compared import Compared, Rows, Trials
from hpo_explain.models.conditioned import Conditioned
from hpo_explain.space import Array, Bools, CategoricalParameter, Ints, Parameter, SearchSpace
from hpo_explain.space.searches import brought_inside, filled, inside_of
from hpo_explain.space.sobol import sobol

_LEAST = 0.05  # of all weight: a scale that has less is left out
# below the best, on a scale
_DEPTHS = np.concatenate([[0.0], np.geomspace(2e-3, 8.0, 31)])
# standardized values at which a way back is turned around
_GRID = np.linspace(-12.0, 12.0, 2401)
_PAIRS = 2**18  # of rows and trials at once
# rows that stand for the space are looked at with a few settings of each scale, and the best of
# them with all (of 80 runs all settings for each of 2048 would choose nothing else in any)
_ROWS, _FEW, _LOOKED = 2048, 2, 128
# rows whose neighbors are looked at, by round (of 80 runs the gain reached was .998 of that from
# ten in each round on average, at least .89, and the true costs there were as large)
_STARTS = (10, 5, 3, 2)
# of all starts in a round: with more hyperparameters there are fewer starts (of 8 runs on functions
# of 60 and 150 the gain reached was .99 of that from ten starts on average, .88 to 1.05, and the
# true costs there no larger)
_NEIGHBORS = 4000
_STEPS = np.array([0.2, 0.08, 0.03, 0.01, 0.003])  # of a number, up and down
_MANY = 24  # values of a number beyond which only some are tried in a round


@dataclass(frozen=True, eq=False)
class Gain:
    """The expected improvement on a best cost of normal values on a scale.

    Attributes
    ----------
    nodes : ndarray of shape (K,)
        Standardized values, descending from that of the best cost.
    bends : ndarray of shape (K,)
        By how much the slope of the way back changes there.
    """

    nodes: Array
    bends: Array

    @classmethod
    def below(cls, best: float, scale: Scale, limits: Bounds) -> Gain:
        """Return it for a best (scaled) cost."""
        nodes = _value_of(best, scale, limits) - _DEPTHS
        costs = scale.cost(nodes, limits)
        # slopes[i] is that below node i
        slopes = np.diff(costs) / np.diff(nodes)
        return cls(nodes, np.append(slopes, 0.0) - np.append(0.0, slopes))

    def expected(self, mean: Array, variance: Array) -> Array:
        """Return it for means and variances on the scale, (n,)."""
        from scipy.special import ndtr

        spread = np.sqrt(variance)
        u = (self.nodes[:, None] - mean) / spread
        h = u * ndtr(u) + np.exp(-0.5 * u * u) / np.sqrt(2.0 * np.pi)
        return np.maximum(spread * (self.bends @ h), 0.0)


def _value_of(cost: float, scale: Scale, limits: Bounds) -> float:
    """Return the standardized value that a cost has on a scale."""
    return float(np.interp(cost, scale.cost(_GRID, limits), _GRID))


@dataclass(frozen=True, eq=False)
class Part:
    """One setting of the kernel's parameters on one scale.

    Attributes
    ----------
    weight : float
        How much it counts.
    process : Process
        The process of its scale.
    given : Conditioned
        The function, given the trials and the rows that are believed.
    best : float
        The best scaled cost, of what is believed, too.
    gain : Gain
        What it expects to be gained of normal values.
    """

    weight: float
    process: Process
    given: Conditioned
    best: float
    gain: Gain

    def believing(self, row: Compared) -> Part:
        """Return it with one more row, which has the value that is expected there."""
        scale, limits = self.process.scale, self.process.limits
        given = self.given.believing(row)
        there = float(scale.cost(self.given.predict(row)[0], limits)[0])
        if there >= self.best:
            return replace(self, given=given)
        return replace(self, given=given, best=there, gain=Gain.below(there, scale, limits))


class ExpectedGain(ABC):
    """What configurations are expected to gain on the best one, in the objective's units.

    Attributes
    ----------
    draws : Draws
        The functions that the objective may be.
    best_rows : ndarray of shape (n, d)
        Encoded rows of the trials, the best first.
    """

    draws: Draws
    best_rows: Array

    @property
    def roughly(self) -> ExpectedGain:
        """What is about the same, for less work."""
        return self

    @abstractmethod
    def if_feasible(self, X: Array) -> Array:
        """Return it at encoded rows, as if all gave a result that counts, (n,)."""

    @abstractmethod
    def believing(self, x: Array) -> ExpectedGain:
        """Return it once a row (d,) has the value that is expected there."""

    def __call__(self, X: Array) -> Array:
        """Return it at encoded rows, (n,)."""
        return self.if_feasible(X) * self.draws.probability(X)


@dataclass(frozen=True, eq=False)
class DrawnGain(ExpectedGain):
    """The expected improvement over functions drawn from a model of the user's.

    Attributes
    ----------
    draws : Draws
        The functions.
    best : ndarray of shape (k,)
        The lowest cost of each, of what is tried.
    best_rows : ndarray of shape (n, d)
        Encoded rows of the trials, the best first.
    """

    draws: Draws
    best: Array
    best_rows: Array

    def if_feasible(self, X: Array) -> Array:
        """Return the gain at encoded rows, as if all gave a result that counts, (n,)."""
        gains = self.best[:, None] - self.draws.costs(X)
        return np.maximum(gains, 0.0).mean(axis=0)

    def believing(self, x: Array) -> DrawnGain:
        """Return it once each function has its own value at a row (d,)."""
        there = self.draws.costs(x[None])[:, 0]
        return replace(self, best=np.minimum(self.best, there))


@dataclass(frozen=True, eq=False)
class Improvement(ExpectedGain):
    """The expected improvement over scales and settings of the kernel.

    Attributes
    ----------
    draws : LearnedDraws
        The belief.
    best_rows : ndarray of shape (n, d)
        Encoded rows of the trials, the best first.
    parts : tuple of Part
        Settings of its kernels, with their weights.
    rows : ndarray of shape (n, d)
        Encoded rows of the trials, and of those that are believed.
    """

    draws: LearnedDraws
    best_rows: Array
    parts: tuple[Part, ...]
    rows: Array

    @classmethod
    def over(cls, belief: LearnedDraws, best: float) -> Improvement:
        """Return the expected improvement of a belief on a best cost.

        Parameters
        ----------
        belief : LearnedDraws
            The belief.
        best : float
            The lowest cost of a trial that counts: the objective, negated if larger is better.
        """
        processes = belief.processes
        scaled = (best - float(belief.cost[0])) / belief.unit + float(belief.scaled[0])
        with one_blas_thread():
            weights = weights_by_skill(processes, belief.scaled)
            weights = np.where(weights < _LEAST, 0.0, weights)
            weights = weights / weights.sum()
            parts = list[Part]()
            for weight, process in zip(weights.tolist(), processes, strict=True):
                if weight:
                    gain = Gain.below(scaled, process.scale, process.limits)
                    share = weight / len(process.kernels)
                    given = [Conditioned.on(process.pairs, kernel) for kernel in process.kernels]
                    parts += [Part(share, process, one, scaled, gain) for one in given]
        best_first = belief.X[np.argsort(belief.scaled, kind="stable")]
        return cls(belief, best_first, tuple(parts), belief.X)

    @property
    def roughly(self) -> Improvement:
        """The same over the first few settings of each scale."""
        first = [part for i, part in enumerate(self.parts) if i % SETTINGS < _FEW]
        more = SETTINGS / _FEW
        return replace(self, parts=tuple(replace(p, weight=more * p.weight) for p in first))

    def if_feasible(self, X: Array) -> Array:
        """Return it at encoded rows, as if all gave a result that counts, (n,)."""
        distinct, which = self._told_apart(X)
        found = np.zeros(len(distinct))
        with one_blas_thread():
            for rows, some in self._blocks(distinct):
                for part in self.parts:
                    expected = part.gain.expected(*part.given.predict(some))
                    found[rows] += part.weight * expected
        return found[which] * self.draws.unit

    def _told_apart(self, X: Array) -> tuple[Array, Ints]:
        """Return the different rows of X (n, d), and which of them each is, (n,).

        Categories that no trial has are all alike.
        """
        new = np.zeros(X.shape, bool)
        for j, parameter in enumerate(self.draws.space):
            if parameter.is_category:
                new[:, j] = ~np.isin(X[:, j], self.rows[:, j])
        new &= ~np.isnan(X)
        if not new.any():
            return X, np.arange(len(X))
        first = [X[new[:, j], j].min(initial=np.inf) for j in range(len(new.T))]
        alike = np.where(new, first, X)
        distinct, which = np.unique(np.nan_to_num(alike, nan=-1.0), axis=0, return_inverse=True)
        return np.where(distinct < 0.0, np.nan, distinct), which.ravel()

    def believing(self, x: Array) -> Improvement:
        """Return it once a row (d,) has the value that each setting expects there."""
        ((_, row),) = self._blocks(x[None, :])
        parts = tuple(part.believing(row) for part in self.parts)
        return replace(self, parts=parts, rows=np.vstack([self.rows, x]))

    def _blocks(self, X: Array) -> Iterator[tuple[slice, Compared]]:
        """Yield blocks of rows, compared with the trials."""
        space = self.draws.space
        numbers = space.categories_in_own_order == 0
        trials = Trials.of(space.in_own_order(self.rows), numbers)
        rows = space.in_own_order(X).astype(np.float32)
        size = max(1, _PAIRS // len(self.rows))
        for first in range(0, len(rows), size):
            block = slice(first, first + size)
            yield block, Compared(Rows(rows[block]), trials)


# ---------------------------------------------------------------------- the search


def proposed(
    improvement: ExpectedGain,
    n: int = 1,
    *,
    seed: int = 0,
    within: Sequence[Parameter] = (),
    allowed: Callable[[Array], Bools] | None = None,
) -> tuple[Array, Array]:
    """Return the rows (m, d), n at most, to evaluate next, and what each is expected to gain, (m,).

    Each is believed at its mean before the next one is looked for.

    Parameters
    ----------
    improvement : ExpectedGain
        What is expected of rows.
    n : int, default 1
        How many.
    seed : int, default 0
        Seed of the rows that are looked at.
    within : sequence of Parameter, default ()
        Hyperparameters of which a part is searched.
    allowed : callable, optional
        Which encoded rows (n, d) may be proposed, (n,); by default all.
    """
    space = improvement.draws.space
    rows, gains = list[Array](), list[float]()

    def may_be(X: Array) -> Bools:
        new = inside_of(space, within, X)
        for x in rows:  # several workers would make the same trial
            new &= ~((x == X) | (np.isnan(x) & np.isnan(X))).all(axis=1)
        if allowed is not None:
            new[new] = allowed(X[new])
        return new

    for place in range(n):
        rng = np.random.default_rng([seed, place])
        start = _start(improvement, within, rng)
        start = start[may_be(start)]
        if not len(start):
            break
        x = _climbed(improvement, start, may_be, rng)
        rows.append(x)
        gains.append(float(improvement(x[None])[0]))
        if place + 1 < n:
            improvement = improvement.believing(x)
    return np.array(rows).reshape(-1, len(space)), np.array(gains)


def _start(
    improvement: ExpectedGain, within: Sequence[Parameter], rng: np.random.Generator
) -> Array:
    """Return rows that stand for the space, and those of the best trials."""
    space = improvement.draws.space
    uniform = space.from_latent(sobol(len(space), _ROWS, int(rng.integers(2**31))))
    rows = space.project(brought_inside(space, within, uniform))
    best = improvement.best_rows[: _STARTS[0]]
    return space.distinct(np.concatenate([rows, best]))


def _climbed(
    improvement: ExpectedGain,
    rows: Array,
    may_be: Callable[[Array], Bools],
    rng: np.random.Generator,
) -> Array:
    """Return the best row (d,) that changes of one hyperparameter of the best rows lead to."""
    space = improvement.draws.space
    required = PROPOSED * improvement.draws.probability(rows).max()
    rough = _score(improvement.roughly, rows, np.zeros(len(rows), int), required)
    rows = rows[np.argsort(-rough, kind="stable")[:_LOOKED]]
    scores = _score(improvement, rows, np.zeros(len(rows), int), required)
    most = _number_of_starts(space)
    for turn, starts in enumerate(_STARTS):
        best = np.argsort(-scores, kind="stable")[: min(starts, most)]
        rows, scores = rows[best], scores[best]
        near, start = _neighbors(space, rows, turn, rng)
        new = may_be(near)
        near, start = near[new], start[new]
        of_near = _score(improvement, near, start, required)
        rows = np.concatenate([rows, near])
        scores = np.concatenate([scores, of_near])
        if of_near.max(initial=-np.inf) <= scores[0]:
            break
    return rows[np.argmax(scores)]


def _number_of_starts(space: SearchSpace) -> int:
    """Return of how many rows neighbors are looked at."""
    middle = np.array([0.5])
    columns = range(len(space))
    values = [_other_values(space, j, middle, 0).size for j in columns]
    return int(np.clip(_NEIGHBORS // sum(values), 1, _STARTS[0]))


def _score(improvement: ExpectedGain, X: Array, start: Ints, required: float) -> Array:
    """Return what rows are chosen by, (n,), where `start` says from which row each comes.

    Where it is not safe, how probable a result that counts is: below anything that is.
    """
    probability = improvement.draws.probability(X)
    safe = improvement.draws.feasible(X) & (probability >= required)
    found = np.where(safe, 0.0, probability - 1.0)
    some = np.flatnonzero(safe)
    gain = _by_start(improvement.if_feasible, X[some], start[some])
    found[some] = gain * probability[some]
    return found


def _by_start(gain: Callable[[Array], Array], X: Array, start: Ints) -> Array:
    """Return the gain at rows, start by start: those of one differ from it in little."""
    found = np.empty(len(X))
    for place in np.unique(start):
        own = start == place
        found[own] = gain(X[own])
    return found


def _neighbors(
    space: SearchSpace, rows: Array, turn: int, rng: np.random.Generator
) -> tuple[Array, Ints]:
    """Return rows that differ from some in one hyperparameter, and from which of them.

    Nearer ones in later turns.
    """
    latent = filled(space, rows, int(rng.integers(2**31)))
    found = []
    start = []
    for j in space.order.tolist():
        values = _other_values(space, j, latent[:, j], turn)
        changed = np.repeat(latent[:, None, :], values.shape[1], axis=1)
        changed[:, :, j] = values
        found.append(changed.reshape(-1, len(space)))
        start.append(np.repeat(np.arange(len(rows)), values.shape[1]))
    near = space.project(np.concatenate(found))
    distinct = space.distinct_places(near)
    return near[distinct], np.concatenate(start)[distinct]


def _other_values(space: SearchSpace, j: int, at: Array, turn: int) -> Array:
    """Return values to change a hyperparameter to, (n, number of values): all if they are few."""
    parameter = space.parameters[j]
    if isinstance(parameter, CategoricalParameter):
        return np.tile(np.arange(len(parameter.choices), dtype=float), (len(at), 1))
    size, grid = parameter.size, parameter.grid(_MANY)
    if grid is not None:
        return np.tile(grid[0], (len(at), 1))
    steps = _STEPS / 2.0**turn
    if size is not None:
        steps = np.append(steps, 1.0 / (size - 1))
    moved = at[:, None] + np.concatenate([steps, -steps])
    return parameter.nearest(moved)
