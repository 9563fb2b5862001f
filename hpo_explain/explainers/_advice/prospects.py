"""What the posterior expects of further trials: the improvement of the best objective.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f*          the objective at the best predicted trial, without noise
I(x)        improvement of configuration x: how much better f(x) is than f*, or 0
J_k         the largest I(x) of k trials drawn at random from a set of N configurations
==========  ============================================================================

Everything is computed from draws of the joint posterior, so that f* is as uncertain as the rest. In
each draw the expectation of J_k over the choice of the trials has a closed form: the r-th largest
of N values is the largest of k drawn without replacement with probability
``C(N - r, k - 1) / C(N, k)``.

The model is a Gaussian process of the objective on the scale of `LogTail`, on which bad trials do
not decide what is predicted near the best. Improvements lie where that scale is the objective's
own. A model that was given takes its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.posterior import normal_draws
from hpo_explain.methods.effects.effect_result import PROBABLE
from hpo_explain.models.protocols import SupportsJoint, SupportsTrees, Surrogate
from hpo_explain.run import Run, average_instances, on_log_tail
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, lowest

TRIALS = 20  # that are compared: k
_ROWS = 200  # of a space
_DRAWS = 400
_INTERVAL = (5.0, 95.0)  # percent
_BOUND = 90.0


@dataclass(frozen=True)
class Gain:
    """An improvement with what it is compared with, in the objective's units.

    Attributes
    ----------
    estimate : float
        The expected improvement.
    interval : tuple of (float, float)
        Where it lies with 90 % probability.
    expected, otherwise : float
        What 20 random trials are expected to bring with a change, and without it.
    """

    estimate: float
    interval: tuple[float, float]
    expected: float
    otherwise: float


class Prospects:
    """What further trials of a run are expected to bring.

    Parameters
    ----------
    run : Run
        The run.
    seed : int, default 0
        Seed of the samples and draws.
    """

    def __init__(self, run: Run, *, seed: int = 0) -> None:
        self._run, self._seed = run, seed
        self._sign = 1.0 if run.direction == "minimize" else -1.0
        self._usual = run.space.sample(_ROWS, seed=seed)

    @cached_property
    def scaled(self) -> Run:
        """The run as it is modelled, averaged over instances."""
        run = average_instances(self._run)
        return run if run.model is not None else on_log_tail(run)[0]

    @cached_property
    def model(self) -> Surrogate:
        """Its model."""
        return self.scaled.surrogate(kind="gp") if self.scaled.model is None else self.scaled.model

    @cached_property
    def best(self) -> int:
        """The row of `scaled` with the best predicted objective of all feasible trials."""
        cost = self._sign * self.model.predict(self.scaled.X)[0]
        return lowest(np.where(np.asarray(self.scaled.feasible), cost, np.inf))

    def of_changed(self, parameters: Sequence[Parameter]) -> Gain:
        """Return what random trials gain if hyperparameters are searched otherwise.

        Their values must be among those of the run's space.
        """
        rows = changed_rows(self._run.space, parameters, _ROWS, self._seed + 1)
        drawn = self.improvements(np.vstack([self._usual, rows]))
        before = _expected_best(drawn[:, :_ROWS], TRIALS)
        after = _expected_best(drawn[:, _ROWS:], TRIALS)
        return _gain(before, after)

    def of_sparing(self, share: float) -> Gain:
        """Return what random trials gain if none of a share of them is lost."""
        drawn = self.improvements(self._usual)
        left = max(round((1.0 - share) * TRIALS), 1)
        before, after = (_expected_best(drawn, k) for k in (left, TRIALS))
        return _gain(before, after)

    def left(self, rows: Array) -> tuple[float, float]:
        """Return what is still to gain among encoded rows: the expectation, and a 90 % bound."""
        most = self.improvements(rows).max(axis=1, initial=0.0)
        return float(most.mean()), float(np.percentile(most, _BOUND))

    def improvements(self, rows: Array) -> Array:
        """Return draws of I at encoded rows (n, d), (draws, n); 0 where probably infeasible."""
        values = self._draws(np.vstack([self.scaled.X[[self.best]], rows]))
        found = np.maximum(values[:, :1] - values[:, 1:], 0.0)
        feasibility = self._run.feasibility()
        if feasibility is not None:
            found[:, feasibility.probability(rows) < PROBABLE] = 0.0
        return np.asarray(found)

    def _draws(self, rows: Array) -> Array:
        """Return draws of the cost, (draws, n)."""
        model = self.model
        if isinstance(model, SupportsTrees) and not isinstance(model, SupportsJoint):
            return np.asarray(self._sign * model.predict_trees(rows).T)
        mean, std = model.predict(rows)
        if isinstance(model, SupportsJoint):
            covariance = model.posterior_covariance(rows)
        else:
            covariance = np.diag(std**2)
        with one_blas_thread():
            return normal_draws(self._sign * mean, covariance, _DRAWS, self._seed).T


def changed_rows(
    space: SearchSpace, parameters: Sequence[Parameter], n: int, seed: int
) -> npt.NDArray[np.float64]:
    """Return encoded rows of a space of which some hyperparameters are searched otherwise, (n, d).

    Parameters
    ----------
    space : SearchSpace
        The space.
    parameters : sequence of Parameter
        Hyperparameters of the space with other ranges, choices or scales, within their own.
    n, seed : int
        Number of rows, and the seed of the sample.
    """
    rows = space.sample(n, seed=seed, latent=True)
    for parameter in parameters:
        j = space.index(parameter.name)
        place = space.order.tolist().index(j)
        alone = SearchSpace([replace(_in_order(space, parameter), active_when=None, optional=None)])
        drawn = alone.decode(alone.sample(n, seed=seed + 1 + place))
        rows[:, j] = space.parameters[j].encode([config[parameter.name] for config in drawn])
    return space.project(rows)


def _in_order(space: SearchSpace, parameter: Parameter) -> Parameter:
    """Return a hyperparameter with its categories in the order in which draws count them."""
    if not isinstance(parameter, CategoricalParameter):
        return parameter
    j = space.index(parameter.name)
    places = space.places(j, space.parameters[j].encode(list(parameter.choices)))
    return replace(parameter, choices=tuple(parameter.choices[i] for i in np.argsort(places)))


def _expected_best(values: Array, k: int) -> Array:
    """Return the expected largest of k random columns, by row, (n,)."""
    ordered = -np.sort(-values, axis=1)
    n = values.shape[1]
    k = min(k, n)
    # C(N - r, k - 1) / C(N, k), from one rank to the next
    weights = np.zeros(n)
    weights[0] = k / n
    for r in range(1, n - k + 1):
        weights[r] = weights[r - 1] * (n - r - k + 1) / (n - r)
    return np.asarray(ordered @ weights)


def _gain(before: Array, after: Array) -> Gain:
    """Return what is gained, from draws without a change and with it."""
    low, high = np.percentile(after - before, _INTERVAL).tolist()
    return Gain(
        float(np.mean(after - before)), (low, high), float(after.mean()), float(before.mean())
    )
