"""The belief: functions that the trials allow the objective to be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hpo_explain.base import one_blas_thread
from hpo_explain.belief.learned import REACH, LearnedDraws
from hpo_explain.belief.mixture import Mixture, Pool
from hpo_explain.belief.scales import clipped, weights_by_stacking
from hpo_explain.belief.trust import Trust, trust_in
from hpo_explain.space import Array

# Draws of which the best is asked lie further beyond the best trial than others, as under TPE the
# true one often lies below it (tests/claims/best.py).
REACH_AT_BEST = 0.5
# of the trials weigh the scales for the best, and how many at least
_BEST = (0.2, 5)


class Belief(LearnedDraws):
    """What the trials allow the objective to be: draws of functions from one posterior.

    Three Gaussian processes, on the half-rank, the logarithmic and the identity scale of the cost,
    each with several settings of its kernel drawn from their tempered posterior, count by how well
    they predict trials that are held out. A claim about the objective is a functional of it; its
    interval is that over the draws. Questions about the best are asked of `at_best`.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The trials' encoded rows, n at least 2.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    direction : {"minimize", "maximize"}
        Which way is better.
    noise_std : float, optional
        Standard deviation of one evaluation where it is known.
    bounds : tuple of (float, float), optional
        The objective's natural range: no draw leaves it.
    feasibility : Feasibility, optional
        How probable it is that a configuration gives a result that counts.
    seed : int, default 0
        Seed of everything random.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0.0, 1.0, 21)[:, None]
    >>> belief = Belief(space, X, (X[:, 0] - 0.3) ** 2, "minimize")
    >>> belief.draws(np.array([[0.3], [0.9]])).shape
    (192, 2)
    """

    @property
    def label(self) -> str:
        """What it is called."""
        return "the belief"

    @cached_property
    def _pool(self) -> Pool:
        return Pool(self, self.processes)

    @cached_property
    def whole(self) -> Mixture:
        """Draws of the processes for questions about the whole space: the belief's own."""
        return Mixture(self, self._pool, self.weights, REACH)

    @property
    def parts(self) -> tuple[slice, ...]:
        """The draws of each process that has any."""
        return self.whole.parts

    @cached_property
    def at_best(self) -> Mixture:
        """Draws of the same processes for questions about the best."""
        share, least = _BEST
        count = max(int(share * len(self.scaled)), min(least, len(self.scaled)))
        among = np.zeros(len(self.scaled), bool)
        among[np.argsort(self.scaled, kind="stable")[:count]] = True
        with one_blas_thread():
            weights = weights_by_stacking(self.processes, among)
        return Mixture(self, self._pool, weights, REACH_AT_BEST)

    @cached_property
    def among_best(self) -> Mixture:
        """Draws of one more process, for which all but the better trials are equally bad."""
        with one_blas_thread():
            process = self.process(clipped(self.scaled))
        return Mixture(self, Pool(self, (process,)), np.ones(1), REACH_AT_BEST)

    @cached_property
    def trust(self) -> Trust:
        """How well the objective is known."""
        best = self.processes[int(np.argmax(self.weights))]
        values = self.landscape.values
        return trust_in(values, self.noise_std, self.roughness, best, self.of_trials)

    def costs(self, X: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        return self.whole.costs(X)

    def costs_over_space(self) -> Array:
        """Return the cost of each draw at the rows that stand for the space, (k, N)."""
        return self.whole.costs_over_space()

    def costs_at(self, X: Array, members: Sequence[int], values: Array) -> Array:
        """Return the cost of each draw at encoded rows with some columns at values, (G, k, n)."""
        return self.whole.costs_at(X, members, values)

    def own_costs(self, rows: Array) -> Array:
        """Return the cost of each draw at rows of its own (k, m, d), (k, m)."""
        return self.whole.own_costs(rows)

    def noise_at(self, X: Array) -> Array:
        """Return the standard deviation of one evaluation at encoded rows, (n,)."""
        return self.whole.noise_at(X)
