"""Configurations to evaluate next, each chosen as if those before it had their predicted result.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m(x), s(x)  posterior mean and standard deviation of the cost, given the trials and the results
            assumed
f*          the best m of all trials and of the configurations already chosen
==========  ============================================================================

The first has the best m, each other one the largest expected improvement over f*. The result
assumed at one that is chosen is its mean [1]_ (kriging believer): this leaves m as it is, and s is
that of the joint posterior given one more result.

References
----------
.. [1] Ginsbourger, D., Le Riche, R. and Carraro, L. (2010). Kriging is well-suited to parallelize
   optimization. Computational Intelligence in Expensive Optimization Problems. Springer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.explainers._advice.improvement import apart, kept, tried
from hpo_explain.methods.effects.effect_result import PROBABLE
from hpo_explain.models.acquisition.criteria import log_expected_improvement
from hpo_explain.models.protocols import SupportsJoint, Surrogate, std_from_variance
from hpo_explain.run import Run
from hpo_explain.space import Array, CategoricalParameter, Parameter, Ties, ranked
from hpo_explain.space.searches import changed, filled

_SAMPLE, _PARENTS = 500, 10  # rows of the space and of the best trials: where a search starts
_KEPT, _CHILDREN = 10, 10  # the best rows, and changed copies of each
_STEPS = (0.2, 0.1, 0.05, 0.025, 0.012, 0.006)  # of the encoded range
_BLOCK = 100  # rows whose joint posterior is computed at once
_SAME = 1e-6  # encoded values that differ by less are the same
_JITTER = 1e-9  # share of the prior's variance


class Joint(Surrogate, SupportsJoint, Protocol):
    """A surrogate with a joint posterior."""


def batch_of(
    run: Run,
    model: Joint,
    within: Sequence[Parameter],
    n: int,
    avoid: Callable[[Array], npt.NDArray[np.bool_]] | None = None,
) -> Array:
    """Return encoded configurations to evaluate next, (n, d), the best predicted one first.

    Fewer where no more are left that were not tried and are rather feasible.

    Parameters
    ----------
    run : Run
        The run, with the objective on the model's scale.
    model : Surrogate
        Its model, with a joint posterior.
    within : sequence of Parameter
        Hyperparameters of the space with other ranges or choices, to which they keep.
    n : int
        Their number.
    avoid : callable, optional
        Which of encoded rows (n, d) are not to be evaluated, (n,).
    """
    with one_blas_thread():
        return _Batch(run, model, within, avoid).chosen(n)


class _Batch:
    """The search for the configurations of a batch."""

    def __init__(
        self,
        run: Run,
        model: Joint,
        within: Sequence[Parameter],
        avoid: Callable[[Array], npt.NDArray[np.bool_]] | None,
    ) -> None:
        self._run, self._space, self._avoid = run, run.space, avoid
        self._sign = 1.0 if run.direction == "minimize" else -1.0
        known = [p for p in within if p.name in run.space.names]
        self._within = [(run.space.index(p.name), kept(run.space, p)) for p in known]
        self._within.sort(key=lambda one: self._space.order.tolist().index(one[0]))
        self._given = _Given(model, np.empty((0, len(run.space))))
        self._feasibility = run.feasibility()
        rows = run.X[np.asarray(run.feasible)]
        costs = self._sign * model.predict(rows)[0]
        self._best = float(costs.min())
        self._parents = filled(run.space, rows[ranked(costs)[:_PARENTS]], 0)
        self._tried = tried(run)
        self._rng = np.random.default_rng(0)

    def chosen(self, n: int) -> Array:
        """Return the configurations, (n, d)."""
        for k in range(n):
            x = self._searched(self._cost if k == 0 else self._unpromising)
            if x is None:
                break
            self._best = min(self._best, float(self._cost(x[None])[0]))
            self._given = _Given(self._given.model, np.vstack([self._given.rows, x]))
            self._tried = np.vstack([self._tried, x])
        return self._given.rows

    def _cost(self, rows: Array) -> Array:
        return np.asarray(self._sign * self._given.model.predict(rows)[0])

    def _unpromising(self, rows: Array) -> Array:
        return -log_expected_improvement(self._cost(rows), self._given.std(rows), self._best)

    def _searched(self, value: Callable[[Array], Array]) -> Array | None:
        """Return the row with the least value of those found, (d,); None where none is left."""
        drawn = self._space.sample(_SAMPLE, seed=int(self._rng.integers(2**31)), latent=True)
        rows = self._kept_within(np.vstack([drawn, self._parents]))
        values = self._judged(value, rows)
        ties = Ties.among(values)
        values = ties.settled(values)
        for step in _STEPS:
            best = np.argsort(values, kind="stable")[:_KEPT]
            children = changed(
                self._space, np.repeat(rows[best], _CHILDREN, axis=0), step, self._rng
            )
            children = self._kept_within(children)
            rows = np.vstack([rows[best], children])
            values = np.concatenate([values[best], ties.settled(self._judged(value, children))])
        if not np.isfinite(values).any():
            return None
        return np.asarray(self._space.project(rows[[int(np.argmin(values))]])[0])

    def _judged(self, value: Callable[[Array], Array], rows: Array) -> Array:
        """Return values of latent rows; infinite what was tried or is rather infeasible, (n,)."""
        rows = self._space.project(rows)
        found = value(rows)
        found = np.where(apart(rows, self._tried, _SAME), found, np.inf)
        if self._avoid is not None:
            found = np.where(self._avoid(rows), np.inf, found)
        if self._feasibility is not None:
            found = np.where(self._feasibility.probability(rows) >= PROBABLE, found, np.inf)
        return np.asarray(found)

    def _kept_within(self, rows: Array) -> Array:
        """Return latent rows moved to the values to which they keep."""
        rows = np.array(rows)
        for j, stay in self._within:
            if isinstance(self._space.parameters[j], CategoricalParameter):
                out = ~np.isin(rows[:, j], stay)
                codes = self._space.codes(j)
                rows[out, j] = self._rng.choice(codes[np.isin(codes, stay)], size=int(out.sum()))
            else:
                rows[:, j] = np.clip(rows[:, j], *stay)
        return rows


@dataclass(frozen=True, eq=False)
class _Given:
    """The posterior given the results assumed at some rows, (k, d)."""

    model: Joint
    rows: Array

    def std(self, X: Array) -> Array:
        """Return the standard deviation at encoded rows, (n,)."""
        if not len(self.rows):
            return np.asarray(self.model.predict(X)[1])
        parts = [self._std(X[start : start + _BLOCK]) for start in range(0, len(X), _BLOCK)]
        return np.concatenate(parts)

    def _std(self, X: Array) -> Array:
        k = len(self.rows)
        joint = self.model.posterior_covariance(np.vstack([self.rows, X]))
        noise = float(getattr(self.model, "noise_std", 0.0)) ** 2
        among = joint[:k, :k] + (noise + _JITTER * joint.diagonal().max()) * np.eye(k)
        known = np.sum(joint[:k, k:] * np.linalg.solve(among, joint[:k, k:]), axis=0)
        return std_from_variance(np.asarray(joint.diagonal()[k:] - known))
