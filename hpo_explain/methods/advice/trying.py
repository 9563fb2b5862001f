"""Rules that name configurations to evaluate: the most promising, far ones, and those that tell.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m(x), s(x)  posterior mean and standard deviation of the cost, given the trials and the results
            assumed
f*          the best m of all trials and of the configurations already chosen
T_j         total effect of hyperparameter λ_j on m, relative to the largest of all [1]_
d_j(x, z)   Gower's dissimilarity of x and z in λ_j, in [0, 1]
D(x, z)     ``sqrt(sum_j T_j d_j(x, z)²)``
==========  ============================================================================

**try**: the first configuration has the best m, each other one the largest expected improvement
over f*. The result assumed at one that is chosen is its mean [2]_ (kriging believer): this leaves m
as it is, and s is that of the joint posterior given one more result.

**explore**: of an optimum that is narrow, and lies where no trial was, a model knows nothing, so
its expected improvement does not lead there. Each configuration is the one that most reduces the
mean over the space of the squared distance D² from the nearest trial, or from the nearest
configuration chosen before: places are covered, not corners.

References
----------
.. [1] Jansen, M. J. W. (1999). Analysis of variance designs for model output. Computer Physics
   Communications 117.
.. [2] Ginsbourger, D., Le Riche, R. and Carraro, L. (2010). Kriging is well-suited to parallelize
   optimization. Computational Intelligence in Expensive Optimization Problems. Springer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.numbers import format_value
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.advice.advise_result import Action, listed_few
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.prospects import (
    EXPECTED,
    Candidates,
    Prospects,
    apart,
    probably_feasible,
    tried,
)
from hpo_explain.models.acquisition.criteria import expected_improvement, log_expected_improvement
from hpo_explain.models.acquisition.surrogate_based import ExpectedImprovement
from hpo_explain.models.protocols import SupportsJoint, Surrogate, std_from_variance
from hpo_explain.run import Run
from hpo_explain.run.feasibility import PROBABLE
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    Parameter,
    SearchSpace,
    lowest,
    ranked,
)
from hpo_explain.space.searches import descended, filled
from hpo_explain.space.support import squared_differences

_MOST = {"good": 12, "fair": 6}  # to try, by how good the model is among good trials
_FEW = 3
_WORTH = 0.001  # expected improvement by all, as a share of the spread of the good half
_DRAWS = 4000
_ROWS, _PARENTS = 500, 10  # rows of the space and of the best trials: where a search starts
_KEPT, _CHILDREN = 10, 10  # the best rows, and changed copies of each
_STEPS = (0.2, 0.1, 0.05, 0.025, 0.012, 0.006)  # of the encoded range
_BLOCK = 100  # rows whose joint posterior is computed at once
_SAME = 1e-6  # encoded values that differ by less are the same
_JITTER = 1e-9  # share of the prior's variance

_HARDLY = 0.02  # expected improvement, as a share of the standard deviation of results
_MATTERS = 0.01  # T_j below which a hyperparameter does not count
_SAMPLE, _EFFECTS = 1000, 256  # rows to choose from, and to average total effects over
_MOST_FAR = 6  # configurations
_TRIALS = 500  # whose distances are computed at once

Avoid = Callable[[Array], npt.NDArray[np.bool_]]
"""Which of encoded rows (n, d) are not to be evaluated, (n,)."""

_TOGETHER = declared_fact(
    "batch_brings",
    "{what} expected to improve the best objective by {expected:.2g}",
    what=lambda about: (
        "this configuration is"
        if about["n"] == 1
        else f"the {about['n']} configurations together are"
    ),
)
_HARDLY_MORE = declared_fact(
    "hardly_more",
    "of the most promising configurations the model expects an improvement of the best {objective} "
    "of {expected:.2g}, where results differ by {spread:.2g} (one standard deviation, bad ones "
    "counted by their logarithm)",
)
_FAR = declared_fact(
    "far_from_trials",
    "no trial is nearer to the first of these configurations than {distance:%} of a range in what "
    "matters ({which}): a narrow optimum there would not have been seen, and the model cannot "
    "foresee it",
    which=lambda about: listed_few(map(format_value, about.names)),
)
_TELLS = declared_fact(
    "tells_most",
    "{n:#trial} that would narrow most what is known of the most important hyperparameter",
)


def _evaluate(kind: Any, configs: Sequence[Mapping[str, Any]], **known: Any) -> Action:
    """Return an action that has configurations evaluated, the first in its title."""
    first = configs[0]
    return Action(kind, tuple(first), tuple(first.values()), configurations=tuple(configs), **known)


def experiment(analyses: Analysed) -> Action | None:
    """Return the trials that would narrow the most important effect most, if they are known."""
    found = list(analyses.experiments)
    return _evaluate("experiment", found, evidence=(_TELLS(n=len(found)),)) if found else None


# ---------------------------------------------------------------------- the most promising


def attempt(
    analyses: Analysed,
    candidates: Candidates,
    prospects: Prospects,
    changes: Sequence[Action],
    avoid: Avoid,
    most: int = _MOST["good"],
) -> Action | None:
    """Return the configurations to try next, if enough is expected of them.

    They keep to what is searched after `changes`, none is among the encoded rows to `avoid`, and
    there are `most` of them at most. A trial gives nothing up: it is enough that the model is good
    anywhere.
    """
    model = prospects.model
    if not analyses.believed or not isinstance(model, SupportsJoint):
        return None
    run, scaled = analyses.run, prospects.scaled
    level = analyses.trust.level
    n = min(_MOST.get(level, _FEW), max(len(run) // 3, 1), most)
    within = [p for action in changes for p in action.parameters]
    rows = batch_of(scaled, model, within, n, avoid)
    if not len(rows):
        return None
    together = np.vstack([scaled.X[[prospects.best]], rows])
    mean, std = model.predict(together)
    drawn = normal_draws(run.sign * mean, model.posterior_covariance(together), _DRAWS, 0).T
    improved = np.maximum(drawn[:, 0] - drawn[:, 1:].min(axis=1), 0.0)
    gain = float(improved.mean())
    if gain < _WORTH * candidates.spread:
        return None
    low, high = np.percentile(improved, (5.0, 95.0)).tolist()
    cost = run.sign * mean
    parts = expected_improvement(cost[1:2], std[1:2], cost[0])
    expected = EXPECTED(
        trials=[int(np.asarray(scaled.trials)[prospects.best])],
        objective=run.objective_name,
        predicted=(float(mean[1]), float(std[1])),
        at_best=(float(mean[0]), float(std[0])),
        expected=float(parts[0][0] + parts[1][0]),
    )
    configs = _shortened(run.space, rows)
    brings = _TOGETHER(n=len(configs), expected=gain)
    return _evaluate("try", configs, gain=gain, interval=(low, high), evidence=(expected, brings))


def _shortened(space: SearchSpace, rows: Array) -> list[dict[str, Any]]:
    """Return configurations with six digits of their real values."""
    configs = space.decode(rows)
    for config in configs:
        for name, value in config.items():
            parameter = space[name]
            if isinstance(parameter, FloatParameter) and parameter.step is None:
                rounded = float(f"{value:.6g}")
                config[name] = rounded if parameter.low <= rounded <= parameter.high else value
    return configs


def batch_of(
    run: Run, model: SupportsJoint, within: Sequence[Parameter], n: int, avoid: Avoid | None = None
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
        self, run: Run, model: SupportsJoint, within: Sequence[Parameter], avoid: Avoid | None
    ) -> None:
        self._run, self._space, self._avoid = run, run.space, avoid
        known = [p for p in within if p.name in run.space.names]
        self._within = [(run.space.index(p.name), _kept(run.space, p)) for p in known]
        self._within.sort(key=lambda one: self._space.order.tolist().index(one[0]))
        self._given = _Given(model, np.empty((0, len(run.space))))
        self._feasibility = run.feasibility()
        rows = run.X[np.asarray(run.feasible)]
        costs = self._run.sign * model.predict(rows)[0]
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
        return np.asarray(self._run.sign * self._given.model.predict(rows)[0])

    def _unpromising(self, rows: Array) -> Array:
        return -log_expected_improvement(self._cost(rows), self._given.std(rows), self._best)

    def _searched(self, value: Callable[[Array], Array]) -> Array | None:
        """Return the row with the least value of those found, (d,), if any is left."""
        drawn = self._space.sample(_ROWS, seed=int(self._rng.integers(2**31)), latent=True)
        rows, values = descended(
            self._space, self._kept_within(np.vstack([drawn, self._parents])),
            lambda rows: self._judged(value, rows), _STEPS, kept=_KEPT, children=_CHILDREN,
            rng=self._rng, moved=self._kept_within,
        )  # fmt: skip
        return np.asarray(self._space.project(rows[:1])[0]) if np.isfinite(values[0]) else None

    def _judged(self, value: Callable[[Array], Array], rows: Array) -> Array:
        """Return values of latent rows; infinite what was tried or is rather infeasible, (n,)."""
        rows = self._space.project(rows)
        gone = ~apart(rows, self._tried, _SAME)
        if self._avoid is not None:
            gone |= self._avoid(rows)
        if self._feasibility is not None:
            gone |= self._feasibility.probability(rows) < PROBABLE
        return np.where(gone, np.inf, value(rows))

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


def _kept(space: SearchSpace, parameter: Parameter) -> Array:
    """Return what is kept of a hyperparameter: its codes, or both ends of its range, encoded."""
    whole = space[parameter.name]
    if isinstance(parameter, CategoricalParameter):
        return np.asarray(whole.encode(list(parameter.choices)))
    if isinstance(whole, CategoricalParameter):
        return np.arange(len(whole.choices), dtype=float)
    ends = [max(parameter.low, whole.low), min(parameter.high, whole.high)]
    return np.asarray(whole.encode(ends))


@dataclass(frozen=True, eq=False)
class _Given:
    """The posterior given the results assumed at some rows, (k, d)."""

    model: SupportsJoint
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


# ---------------------------------------------------------------------- far from all trials


def explore(
    analyses: Analysed, prospects: Prospects, attempted: Action | None, avoid: Avoid
) -> Action | None:
    """Return configurations far from all trials, if the model expects little of others.

    Parameters
    ----------
    analyses : Analysed
        The analyses of the run.
    prospects : Prospects
        What is expected of it.
    attempted : Action or None
        The configurations to try, which are not among those returned.
    avoid : callable
        Which of encoded rows (n, d) are not to be evaluated, (n,).
    """
    run = analyses.run
    expected, usual = 0.0 if attempted is None else attempted.gain, _usual(prospects)
    if not analyses.believed or expected >= _HARDLY * usual:
        return None
    effects = total_effects(run.surrogate(), run.space)
    effects[effects < _MATTERS] = 0.0
    known, n = tried(run), _MOST_FAR
    if attempted is not None:
        others = [dict(config) for config in attempted.configurations]
        known, n = np.vstack([known, run.space.encode(others)]), min(max(len(others) // 2, 1), n)
    rows = run.space.sample(_SAMPLE, seed=3)
    rows = probably_feasible(run, rows[~avoid(rows)])
    blocks = [known[start : start + _TRIALS] for start in range(0, len(known), _TRIALS)]
    to_block = [_squared(run.space, rows, block, effects).min(axis=1) for block in blocks]
    nearest = np.asarray(np.min(to_block, axis=0))
    places = _covering(nearest, _squared(run.space, rows, rows, effects), n)
    if not places:
        return None
    counted_names = [name for name, effect in zip(run.space.names, effects, strict=True) if effect]
    return _evaluate(
        "explore",
        _shortened(run.space, rows[places]),
        evidence=(
            _HARDLY_MORE(objective=run.objective_name, expected=expected, spread=usual),
            _FAR(names=counted_names, distance=float(np.sqrt(nearest[places[0]]))),
        ),
    )


def promising(prospects: Prospects, rows: Array) -> bool:
    """Return whether enough is expected of one of some encoded rows (n, d), which is seen soon."""
    if not len(rows):
        return False
    model = prospects.model
    best = float(model.predict(prospects.scaled.X[[prospects.best]])[0][0])
    criterion = ExpectedImprovement(model, best=best, direction=prospects.scaled.direction)
    expected = np.sum([*criterion.terms_of(*model.predict(rows)).values()], axis=0)
    return float(np.max(expected)) >= _HARDLY * _usual(prospects)


def _usual(prospects: Prospects) -> float:
    """Return the standard deviation of results, of which a few very bad ones do not decide."""
    scaled = prospects.scaled
    return float(np.std(scaled.objective[np.asarray(scaled.feasible)]))


def total_effects(model: Surrogate, space: SearchSpace) -> Array:
    """Return the total effect of each hyperparameter on the prediction, the largest 1, (d,)."""
    rows, others = (space.sample(_EFFECTS, seed=seed, latent=True) for seed in (1, 2))
    usual = model.predict(space.project(rows))[0]
    found = np.zeros(len(space))
    for j in range(len(space)):
        mixed = np.array(rows)
        mixed[:, j] = others[:, j]
        found[j] = np.mean((model.predict(space.project(mixed))[0] - usual) ** 2)
    return found / max(float(found.max()), np.finfo(float).tiny)


def _covering(nearest: Array, among: Array, n: int) -> list[int]:
    """Return places of rows, each the one that most reduces the mean of D² to the nearest.

    Parameters
    ----------
    nearest : ndarray of shape (m,)
        D² of rows from the nearest trial.
    among : ndarray of shape (m, m)
        D² of rows from each other.
    n : int
        Number of places; fewer where nothing is left to be reduced.
    """
    places: list[int] = []
    while len(nearest) and len(places) < n:
        reduced = np.maximum(nearest[:, None] - among, 0.0).sum(axis=0)
        place = lowest(-reduced)
        if reduced[place] <= 0.0:
            break
        places.append(place)
        nearest = np.minimum(nearest, among[:, place])
    return places


def _squared(space: SearchSpace, rows: Array, others: Array, effects: Array) -> Array:
    """Return D² of rows (n, d) from others (m, d), (n, m)."""
    squared = np.zeros((len(rows), len(others)))
    parts = squared_differences(space, rows, others)
    for effect, part in zip(effects, parts, strict=True):
        squared += effect * part
    return squared
