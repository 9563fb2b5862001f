"""What further trials are expected to bring: of random ones, and of the most promising ones.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f*          the objective at the best predicted trial, without noise
I(x)        improvement of configuration x: how much better f(x) is than f*, or 0
J_k         the largest I(x) of k trials drawn at random from a set of N configurations
==========  ============================================================================

`Prospects` computes everything from draws of the joint posterior, so that f* is as uncertain as the
rest. In each draw the expectation of J_k over the choice of the trials has a closed form: the r-th
largest of N values is the largest of k drawn without replacement with probability
``C(N - r, k - 1) / C(N, k)``.

Its model is a Gaussian process of the objective on the scale of `LogTail`, on which bad trials do
not decide what is predicted near the best. Improvements lie where that scale is the objective's
own. A model that was given takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import format_level, format_value
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.advice.advise_result import Action, ActionKind, changed_to
from hpo_explain.models.acquisition.surrogate_based import ExpectedImprovement
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsJoint, Surrogate
from hpo_explain.run import BestPredicted, Run, average_instances, on_log_tail
from hpo_explain.run.best_predicted import best_predicted
from hpo_explain.run.feasibility import PROBABLE
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, lowest, ranked
from hpo_explain.space.searches import changed, filled

TRIALS = 20  # that are compared: k
_ROWS = 200  # of a space
_DRAWS = 400
_INTERVAL = (5.0, 95.0)  # percent
_BOUND = 90.0
_SAMPLE = 512  # configurations of the space
_PARENTS, _COPIES = 10, 20  # the best trials, and changed copies of each
_STEPS = (0.1, 0.03)  # of the encoded range
_SAME = 1e-9  # encoded values that differ by less are the same
_INACTIVE = -1.0  # in place of NaN

EXPECTED = declared_fact(
    "expected_improvement",
    "the model predicts {objective} {predicted:±} for the most promising configuration that was "
    "found, and {at_best:±} for trial {trials}, the best predicted one (± one standard deviation): "
    "an expected improvement of {expected:.2g}",
)
_BRING = declared_fact(
    "random_trials_bring",
    "{n} random trials in it are expected to improve the best objective by {expected:.2g}, and by "
    "{otherwise:.2g} in the whole space",
)
_LAST = declared_fact("last_trials", "{which} {brought}", which=lambda about: _which(about["n"]),
                      brought=lambda about: _brought(about))  # fmt: skip


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
        cost = self._run.sign * self.model.predict(self.scaled.X)[0]
        return lowest(np.where(np.asarray(self.scaled.feasible), cost, np.inf))

    def changed(
        self, kind: ActionKind, parameters: Sequence[Parameter], because: Sequence[Fact]
    ) -> Action:
        """Return an action that has hyperparameters searched otherwise, within their own values."""
        gain = self.of_changed(parameters)
        brings = _BRING(n=TRIALS, expected=gain.expected, otherwise=gain.otherwise)
        return changed_to(
            kind, parameters, gain=gain.estimate, interval=gain.interval, certain=True,
            evidence=(*because, brings),
        )  # fmt: skip

    def of_changed(self, parameters: Sequence[Parameter]) -> Gain:
        """Return what random trials gain if hyperparameters are searched otherwise.

        Their values must be among those of the run's space.
        """
        rows = changed_rows(self._run.space, parameters, _ROWS, self._seed + 1)
        drawn = self.improvements(np.vstack([self._usual, rows]))
        return _gain(_expected_best(drawn[:, :_ROWS]), _expected_best(drawn[:, _ROWS:]))

    def of_sparing(self, share: float) -> Gain:
        """Return what random trials gain if none of a share of them is lost."""
        drawn = self.improvements(self._usual)
        left = max(round((1.0 - share) * TRIALS), 1)
        return _gain(_expected_best(drawn, left), _expected_best(drawn))

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
        if isinstance(model, ForestSurrogate):
            return np.asarray(self._run.sign * model.predict_trees(rows).T)
        mean, std = model.predict(rows)
        covariance = np.diag(std**2)
        if isinstance(model, SupportsJoint):
            covariance = model.posterior_covariance(rows)
        with one_blas_thread():
            return normal_draws(self._run.sign * mean, covariance, _DRAWS, self._seed).T


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
        if isinstance(parameter, CategoricalParameter):  # draws count categories in this order
            places = space.places(j, space.parameters[j].encode(list(parameter.choices)))
            ordered = tuple(parameter.choices[i] for i in np.argsort(places))
            parameter = replace(parameter, choices=ordered)
        place = space.order.tolist().index(j)
        alone = SearchSpace([replace(parameter, active_when=None, optional=None)])
        drawn = alone.decode(alone.sample(n, seed=seed + 1 + place))
        rows[:, j] = space.parameters[j].encode([config[parameter.name] for config in drawn])
    return space.project(rows)


def _expected_best(values: Array, k: int = TRIALS) -> Array:
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


# ---------------------------------------------------------------------- the most promising ones


@dataclass(frozen=True, eq=False)
class Candidates:
    """Configurations that were not tried and are rather feasible, with what is expected of them.

    An improvement is relative to the best predicted objective of all trials, as the best observed
    one may be lucky.

    Attributes
    ----------
    run : Run
        The run.
    rows : ndarray of shape (n, d)
        A sample of the space, and configurations near the best trials, encoded.
    mean, std : ndarray of shape (n,)
        Their predicted objective, and its standard deviation.
    expected : ndarray of shape (n,)
        The expected improvement.
    found : BestPredicted
        The best predicted trial.
    spread : float
        That of the good half of the trials: the median objective less the best.
    """

    run: Run
    rows: Array
    mean: Array
    std: Array
    expected: Array
    found: BestPredicted
    spread: float

    @classmethod
    def of(cls, run: Run) -> Candidates | None:
        """Return the candidates, none where all was tried, if trials differ.

        Raises
        ------
        NothingToExplain
            If the run has no feasible trial, or fewer than two trials.
        """
        found = best_predicted(run)
        cost = run.learned_cost()[np.asarray(run.feasible)[run.known_before(None)]]
        spread = float(np.median(cost) - np.min(cost))
        rows = _untried(run)
        if spread <= 0.0:
            return None
        if not len(rows):
            nothing = np.zeros(0)
            return cls(run, rows, nothing, nothing, nothing, found, spread)
        model = run.surrogate()
        criterion = ExpectedImprovement(model, best=found.mean, direction=run.direction)
        mean, std = model.predict(rows)
        expected = np.sum([*criterion.terms_of(mean, std).values()], axis=0)
        return cls(run, rows, mean, std, expected, found, spread)

    @property
    def best(self) -> Mapping[str, Any]:
        """The configuration with the best predicted objective, tried or not."""
        best = lowest(self.run.sign * self.mean) if len(self.rows) else -1
        if best >= 0 and self.run.sign * self.mean[best] < self.run.sign * self.found.mean:
            return self.config(best)
        return self.found.configuration

    def config(self, place: int) -> dict[str, Any]:
        """Return a candidate in the user's units."""
        return self.run.space.decode(self.rows[[place]])[0]

    def most_promising(self) -> int | None:
        """Return the place of the largest expected improvement, if a candidate is left."""
        return lowest(-self.expected) if len(self.rows) else None

    def reason(self, place: int) -> Fact:
        """Return the expected improvement with the predictions there and at the best trial."""
        return EXPECTED(
            trials=[self.found.trial],
            objective=self.run.objective_name,
            predicted=(float(self.mean[place]), float(self.std[place])),
            at_best=(self.found.mean, self.found.std),
            expected=float(self.expected[place]),
        )


def recent(run: Run, share: float) -> tuple[bool, Fact]:
    """Return whether the last trials, a share of all, improved the best objective, and a fact."""
    n = len(run)
    last = max(round(share * n), 1)
    cost = np.where(np.asarray(run.feasible), run.cost, np.inf)
    before, now = float(np.min(cost[: n - last], initial=np.inf)), float(np.min(cost))
    return now < before, _LAST(
        n=last, objective=run.objective_name, before=run.sign * before, now=run.sign * now,
        improved=now < before,
    )  # fmt: skip


def _which(last: int) -> str:
    return "the last trial" if last == 1 else f"the last {last} trials"


def _brought(about: Fact) -> str:
    before, now, what = about["before"], about["now"], f"the best {about['objective']}"
    if not about["improved"]:
        return f"did not improve {what}, {format_value(now)}"
    if not np.isfinite(before):
        return "found the first feasible result"
    was, found = (format_level(value, now - before) for value in (before, now))
    return f"improved {what} from {was} to {found}"


def tried(run: Run) -> Array:
    """Return all encoded rows that were tried, those without a result too."""
    return np.vstack([run.X, *(trial.x[None, :] for trial in run.without_result.values())])


def apart(rows: Array, others: Array, least: float) -> npt.NDArray[np.bool_]:
    """Return which encoded rows differ from all others by more, (n,)."""
    rows, others = (np.nan_to_num(X, nan=_INACTIVE) for X in (rows, others))
    return np.asarray(cdist(rows, others, "chebyshev").min(axis=1) > least)


def probably_feasible(run: Run, rows: Array) -> Array:
    """Return the encoded rows of which it is not improbable that they are feasible."""
    feasibility = run.feasibility()
    if feasibility is not None and len(rows):
        rows = rows[feasibility.probability(rows) >= PROBABLE]
    return np.asarray(rows)


def _untried(run: Run) -> Array:
    """Return encoded configurations that were not tried and are rather feasible, (n, d)."""
    space, rng = run.space, np.random.default_rng(0)
    cost = run.sign * run.surrogate().predict(run.X)[0]
    predicted = np.where(np.asarray(run.feasible), cost, np.inf)
    parents = filled(space, run.X[ranked(predicted)[:_PARENTS]], 0)
    copies = [
        changed(space, np.repeat(parents, _COPIES // len(_STEPS), axis=0), step, rng)
        for step in _STEPS
    ]
    rows = space.project(np.vstack([space.sample(_SAMPLE, seed=0, latent=True), *copies]))
    return probably_feasible(run, rows[apart(rows, tried(run), _SAME)])
