"""Draws of several objectives: what dominates a configuration, and what would extend a front.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
c          costs of the m objectives, each drawn independently of the others
ε          by how much a cost has to be smaller for that to count
a ≺ b      a dominates b: nowhere larger, somewhere smaller by more than ε
D(x)       share of the space that dominates x; 0 of a configuration on the front
r          reference point, up to which hypervolume counts
=========  ============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hpo_explain.belief.draws import Draws, equally_many, in_own_order
from hpo_explain.belief.improvement import ExpectedGain
from hpo_explain.belief.trust import LEVELS, Trust
from hpo_explain.space import Array
from hpo_explain.space.sobol import sobol

_SAMPLE = 1024  # configurations that stand for the space where domination is asked
_COUNTS = 0.01  # of the way from the median to the least cost
_POINTS = 256  # of each draw, at which the volume beyond a front is looked at


@dataclass(frozen=True, eq=False)
class Dominators:
    """Rows of costs that may dominate others.

    Attributes
    ----------
    columns : tuple of (ndarray of shape (s,), ndarray of shape (s + 1, words))
        For each objective the costs in their order, and for each number of them which rows these
        are, a bit for each row.
    """

    columns: tuple[tuple[Array, npt.NDArray[np.uint8]], ...]

    @classmethod
    def of(cls, rows: Array) -> Dominators:
        """Return rows of costs (s, m) as dominators."""
        columns, places = [], np.arange(len(rows) + 1)[:, None]
        for costs in rows.T:
            order = np.argsort(costs, kind="stable")
            first = np.empty(len(rows), np.int64)
            first[order] = places[:-1, 0]
            columns.append((costs[order], np.packbits(first < places, axis=1)))
        return cls(tuple(columns))

    def count(self, costs: Array, epsilon: Array | None = None) -> Array:
        """Return how many of the rows dominate each row of costs (n, m) by more than ε (m,), (n,).

        Examples
        --------
        >>> rows = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
        >>> Dominators.of(rows).count(rows).tolist()
        [0, 1, 0]
        """
        reach = equal = np.full(1, 255, np.uint8)
        better = costs if epsilon is None else costs - epsilon
        for (ordered, bits), own, least in zip(self.columns, costs.T, better.T, strict=True):
            up_to = bits[np.searchsorted(ordered, own, "right")]
            reach = reach & up_to
            equal = equal & up_to & ~bits[np.searchsorted(ordered, least, "left")]
        return np.asarray(np.bitwise_count(reach & ~equal).sum(axis=1, dtype=np.int64))


class Dominated(Draws):
    """The share of the space that dominates a configuration, in draws of several objectives.

    Parameters
    ----------
    of_each : sequence of Draws
        The functions of each objective, over the same space. Those of one are independent of those
        of another; where one is a single function, the means of all are.
    """

    label = "the beliefs of the objectives"

    def __init__(self, of_each: Sequence[Draws]) -> None:
        first = of_each[0]
        nothing = np.empty((0, len(first.space)))
        limits = [one.feasibility for one in of_each if one.feasibility is not None]
        super().__init__(first.space, nothing, "minimize", first.seed, *limits[:1])
        self.of_each = of_each
        self.joint = all(one.joint for one in of_each)

    @property
    def trust(self) -> Trust | None:
        """How well the least known objective is known."""
        trusts = [one.trust for one in self.of_each if one.trust is not None]
        return max(trusts, key=lambda trust: LEVELS.index(trust.level), default=None)

    @cached_property
    def noise_std(self) -> float:
        """Standard deviation of what the noise of one evaluation changes."""
        noise = [one.noise_std for one in self.of_each]
        errors = noise * np.random.default_rng(self.seed).standard_normal(self._sample.shape)
        return float(np.std(self._shares(self._sample + errors) - self._shares(self._sample)))

    @cached_property
    def _sample(self) -> Array:
        """Costs of configurations that stand for the space, and count, (k, s, m)."""
        latent = sobol(len(self.space), _SAMPLE, self.seed + 1)  # others than the landscape's
        X = self.space.project(self.space.from_latent(latent))
        feasible = self.feasible(X)
        return self.costs_of_each(X[feasible] if feasible.any() else X)

    def costs_of_each(self, X: Array) -> Array:
        """Return the costs of the m objectives in each draw at encoded rows, (k, n, m)."""
        costs = equally_many([one.costs(X).astype(float) for one in self.of_each])
        return np.stack([in_own_order(one, k) for k, one in enumerate(costs)], axis=-1)

    def costs(self, X: Array) -> Array:
        """Return the share of the space that dominates encoded rows in each draw, (k, n)."""
        return self._shares(self.costs_of_each(X))

    def _shares(self, costs: Array) -> Array:
        sample = self._sample
        epsilon = _COUNTS * (np.median(sample, axis=1) - sample.min(axis=1))
        each = zip(costs, sample, epsilon, strict=True)
        counts = [Dominators.of(by).count(own, counts) for own, by, counts in each]
        return np.array(counts) / len(sample[0])


@dataclass(frozen=True, eq=False)
class HypervolumeGain(ExpectedGain):
    """The expected gain in hypervolume over what trials have, by draws of several objectives.

    The volume that a configuration adds to a draw's front is estimated at points drawn at random
    between the least costs and the reference point.

    Attributes
    ----------
    draws : Dominated
        The draws.
    best_rows : ndarray of shape (n, d)
        Encoded rows of the trials, those of the front first.
    tried : ndarray of shape (k, n, m)
        Costs of the trials in each draw.
    origin, unit : ndarray of shape (m,)
        Costs that are 0, and how many are 1, where hypervolume is counted.
    reference : float
        Up to which it counts, in these units.

    References
    ----------
    .. [1] Emmerich, M., Giannakoglou, K. and Naujoks, B. (2006). Single- and multiobjective
       evolutionary optimization assisted by Gaussian random field metamodels. IEEE Trans. Evol.
       Comput. 10 (4), 421-439 (expected hypervolume improvement).
    """

    draws: Dominated
    best_rows: Array
    tried: Array
    origin: Array
    unit: Array
    reference: float

    def _scaled(self, costs: Array) -> Array:
        return np.asarray((costs - self.origin) / self.unit)

    @cached_property
    def _trials(self) -> tuple[Dominators, ...]:
        return tuple(map(Dominators.of, self._scaled(self.tried)))

    def extends(self, x: Array) -> Array:
        """Return in which draws no trial dominates an encoded row (d,), (k,): 1 or 0."""
        costs = self._scaled(self.draws.costs_of_each(x[None]))
        each = zip(self._trials, costs, strict=True)
        return np.array([float(trials.count(own)[0] == 0) for trials, own in each])

    @cached_property
    def _beyond(self) -> tuple[tuple[Dominators, float], ...]:
        """Points that no trial dominates in each draw, turned round, and the volume of each."""
        least = equally_many([one.landscape.least for one in self.draws.of_each])
        costs = np.column_stack([in_own_order(one, k) for k, one in enumerate(least)])
        low = self._scaled(costs)
        sides = np.maximum(self.reference - low, 0.0)
        rng = np.random.default_rng(self.draws.seed)
        volumes = []
        for trials, start, side in zip(self._trials, low, sides, strict=True):
            points = start + side * rng.random((_POINTS, len(side)))
            beyond = points[trials.count(points) == 0]
            volumes.append((Dominators.of(-beyond), float(np.prod(side)) / _POINTS))
        return tuple(volumes)

    def if_feasible(self, X: Array) -> Array:
        """Return the gain at encoded rows, as if all gave a result that counts, (n,)."""
        each = zip(self._scaled(self.draws.costs_of_each(X)), self._beyond, strict=True)
        gains = [beyond.count(-costs) * volume for costs, (beyond, volume) in each]
        return np.mean(gains, axis=0)

    def believing(self, x: Array) -> HypervolumeGain:
        """Return it once each draw has its own costs at a row (d,)."""
        costs = self.draws.costs_of_each(x[None])
        return replace(self, tried=np.concatenate([self.tried, costs], axis=1))
