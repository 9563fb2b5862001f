"""The recommended search space: values with which nothing better can be reached are given up.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
x*          the best predicted configuration of the branch: a trial or near one, or, where some
            trials are infeasible, a feasible trial
b_j(v)      optimistic bound of what x_j = v can reach, less what x* reaches; see `_reachable`
κ           1.96: a normal variable lies with 95 % probability within κ stds of its mean
==========  ============================================================================

A value is given up if ``b_j(v) > 0`` [1]_ and enough trials were made near it. The bound is that of
a mixture of Gaussian processes whose kernels are all plausible given the trials, and comes from the
joint posterior, so that noise and an uncertain level do not count as differences.

*Enough* is what `Support` calls tried, in a branch of ten trials at least: beyond the last trial
every model extrapolates. Optimizers leave the ends of a range first, so in the outermost 15 % of
the scale one trial near a value is enough; then the claim is not certain. Nor is it where a quarter
of any hyperparameter was not tried, because the best choice of the others may lie there.

The range of a number runs from the first to the last value that stays, one grid point further where
it is continuous. A conditional hyperparameter is judged among the configurations in which it is
active. What could only be active for values given up is left out of the space. Neither a value of
the incumbent nor of x* is given up.

References
----------
.. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process optimization in
   the bandit setting. ICML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.asked.explained import Explained
from hpo_explain.asked.explains import Asked, explains
from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_direction, check_seed
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.options import Direction
from hpo_explain.base.progress import shows_progress, steps
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods._engines.categories import codes_of
from hpo_explain.methods.space.reachable import Difference, best_predicted, reachable, search_rows
from hpo_explain.methods.space.recommended_space_result import (
    NEVER_ACTIVE,
    WORSE,
    Evidence,
    Recommendation,
    share_between,
)
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import average_instances, on_log_tail
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    CategoryIndex,
    Parameter,
    SearchSpace,
    lowest,
    ranked,
)
from hpo_explain.space.support import Support

LEVEL = 0.95  # certainty with which a value is worse
_MODELS = 10
_GRID = 31  # values of a number at which it is judged
_BRANCH = 10  # trials of a hyperparameter's branch, or nothing is given up
_KNOWN = 0.75  # share of every hyperparameter that was tried, or no claim is certain
_END = 0.15  # share of the scale that, at either end, needs only one trial near each value


_NO_TRIALS = declared_fact("no_trials_known", "no trials are known, so nothing is given up")
_SOME = declared_fact(
    "fitted_on_some", "the model is fitted on {used} of the {n} trials, drawn at random"
)


@explains(of="surrogate", without=("kind", "draws"))
def recommended_space(asked: Asked) -> Recommendation:
    """Recommend a narrower search space that keeps what may be good, with the evidence.

    A value is given up only if trials were made near it, and if the model is certain that even with
    the best choice of all other hyperparameters it is worse than the best predicted configuration.

    Returns
    -------
    Recommendation
        The space, and for each hyperparameter what is kept and why. The rules are those of
        :class:`hpo_explain.RecommendedSpaceExplainer`, with a Gaussian process of at most 500
        trials, fitted to the objective on the scale of :class:`hpo_explain.run.LogTail`, or the
        model given; of a run with instances, after :func:`hpo_explain.run.average_instances`.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or none is feasible.

    References
    ----------
    .. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process
       optimization in the bandit setting. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(60), "y": rng.random(60)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> space = hx.recommended_space(table, objective="loss").space
    >>> space["x"].high < 0.7, space["y"].high - space["y"].low > 0.9
    (True, True)
    """
    run = average_instances(asked.run, seed=asked.seed)
    notes = [note for note in run.notes if note not in asked.run.notes]
    if run.model is not None:
        about = Subject.of(run, notes=notes)
        return RecommendedSpaceExplainer(run.model, subject=about, seed=asked.seed).explain()
    scaled, tail = on_log_tail(run, seed=asked.seed)
    if len(scaled) < len(run):
        notes.append(_SOME(used=len(scaled), n=len(run)))
    explainer = RecommendedSpaceExplainer(
        scaled.surrogate(kind="gp", seed=asked.seed),
        subject=Subject.of(run, notes=notes),
        objective=lambda predicted: run.sign * tail.cost(run.sign * predicted),
        seed=asked.seed,
    )
    return explainer.explain()


class RecommendedSpaceExplainer:
    """Recommends a narrower search space: what may be given up, with the evidence.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective. A Gaussian process, which knows how
        uncertain differences are, gives up more, and, as it has plausible alternatives, less that
        is wrong.
    direction : {"minimize", "maximize"}, default "minimize"
        Which way the objective is better; ignored where `subject` is given.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``. Its trials say what was tried; without them
        nothing is given up.
    objective : callable, optional
        Strictly increasing function from what the surrogate predicts, (n,), to the objective in the
        user's units, where the surrogate was fitted on another scale.
    seed : int, default 0
        Seed of the models and of the search.

    Raises
    ------
    ValueError
        If `surrogate` is not a surrogate, or `direction` is unknown.

    References
    ----------
    .. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process
       optimization in the bandit setting. ICML.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> subject = hx.Subject.of(run)
    >>> narrower = RecommendedSpaceExplainer(run.surrogate(), subject=subject).explain().space
    >>> narrower["x"].high < 0.6, narrower["y"].high
    (True, 1.0)
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        objective: Callable[[Array], Array] = np.asarray,
        seed: int = 0,
    ) -> None:
        self._surrogate = surrogate
        self._objective = objective
        direction = check_direction(subject.direction if subject else direction)
        self._subject = Explained.of(surrogate, direction).completed(subject)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(self) -> Recommendation:
        """Return the recommended space.

        Returns
        -------
        Recommendation
            A valid search space, and the evidence for each change.
        """
        # many small solutions: several threads would mostly wait for each other
        with one_blas_thread():
            return self._explained()

    def _explained(self) -> Recommendation:
        subject, space = self._subject, self._subject.space
        trials = None
        if len(subject.tried):
            trials = _Trials(subject, self._models(), self._objective, self._seed)
        rows = [
            _unchanged(p) if trials is None else trials.judged(j, p)
            for j, p in steps([*enumerate(space.parameters)], "hyperparameters")
        ]
        narrower = [
            replace(p, choices=row.after)
            if isinstance(p, CategoricalParameter)
            else replace(p, low=row.after[0], high=row.after[1])
            for p, row in zip(space.parameters, rows, strict=True)
        ]
        possible, dropped = still_possible(narrower)
        for i, row in enumerate(rows):
            if row.hyperparameter in dropped:
                rows[i] = replace(_unchanged(space.parameters[i]), after=(), reason=NEVER_ACTIVE())
        notes = [NEVER_ACTIVE(names=dropped)] if dropped else []
        if trials is None:
            notes.append(_NO_TRIALS())
        return Recommendation(
            subject=subject,
            space=SearchSpace(possible),
            rows=tuple(rows),
            level=LEVEL,
            notes=(*notes, *subject.notes),
        )

    def _models(self) -> tuple[Surrogate, ...]:
        if isinstance(self._surrogate, GaussianProcessSurrogate):
            return self._surrogate.plausible(_MODELS, seed=self._seed)
        return (self._surrogate,)


# ---------------------------------------------------------------------- one hyperparameter


class _Trials:
    """What the trials of a run say about one hyperparameter after the other."""

    def __init__(
        self,
        subject: Subject,
        models: tuple[Surrogate, ...],
        objective: Callable[[Array], Array],
        seed: int,
    ) -> None:
        self._subject, self._models, self._seed = subject, models, seed
        self._objective = objective
        self._space, self._X = subject.space, subject.tried
        self._support = Support(subject.space, subject.tried)
        self._sign = 1.0 if subject.direction == "minimize" else -1.0
        self._known = min(map(self._support.share, subject.names)) >= _KNOWN
        self._rows: dict[int, Array] = {}
        self._references: dict[int | None, Array] = {}
        costs = subject.costs if len(subject.costs) else np.zeros(len(self._X))
        predicted = [model.predict(self._X)[0] for model in models]
        # an infeasible trial reaches nothing
        cost = self._sign * np.mean(predicted, axis=0)
        self._all_feasible = bool(np.isfinite(costs).all())
        self._predicted = np.where(np.isfinite(costs), cost, np.inf)

    def judged(self, j: int, parameter: Parameter) -> Evidence:
        """Return what of a hyperparameter stays, and why."""
        branch = self._support.branch(parameter.name)
        cost = np.where(branch, self._predicted, np.inf)
        if branch.sum() < _BRANCH or not np.isfinite(cost).any():
            return self._with_gaps(_unchanged(parameter))
        best = lowest(cost)
        encoded = self._judged_values(j, parameter)
        encoded = encoded[np.argsort(self._space.places(j, encoded))]
        values = parameter.decode(encoded)
        at = Difference(self._models, self._X[best], self._sign, NORMAL_95)
        if self._all_feasible:
            at = Difference(self._models, self._reference(at, cost, j), self._sign, NORMAL_95)
        if best not in self._rows:
            self._rows[best] = search_rows(at, self._space, self._X, self._seed)
        bounds = reachable(at, self._space, j, encoded, self._rows[best], self._seed)
        near = self._support.near(parameter.name, values)
        tried = self._support.at(parameter.name, values)
        enough = tried
        if not isinstance(parameter, CategoricalParameter):
            enough = tried | ((np.minimum(encoded, 1.0 - encoded) <= _END) & (near > 0))
        kept = ~((bounds > 0.0) & enough)
        own = [self._X[best, j], at.reference[j]]
        if parameter.name in self._subject.incumbent:
            own += parameter.encode([self._subject.incumbent[parameter.name]]).tolist()
        narrower = _narrow(parameter, encoded, kept, own)
        if narrower == parameter:
            return self._with_gaps(_unchanged(parameter))
        gone = ~np.array([_has(narrower, value) for value in values])
        predicted = [float(model.predict(at.reference[None])[0][0]) for model in self._models]
        reached = float(np.mean(predicted))
        bound = reached + self._sign * float(bounds[gone].min())
        bound, reached = self._objective(np.array([bound, reached])).tolist()
        fewest = int(near[gone].min())
        row = Evidence(
            parameter.name, _values(parameter), _values(narrower),
            kept=_measure(parameter, narrower), bound=bound, reached=reached, trials=fewest,
            tried=bool(tried[gone].all()) and self._known,
            reason=WORSE(
                names=[parameter.name], bound=bound, reached=reached, near=fewest, level=LEVEL,
                objective=self._subject.objective_name,
            ),
        )  # fmt: skip
        return self._with_gaps(row)

    def _judged_values(self, j: int, parameter: Parameter) -> Array:
        """Return the encoded values at which a hyperparameter is judged.

        Of many categories those tried most often: what was not tried stays in any case.
        """
        if isinstance(parameter, CategoricalParameter):
            return codes_of(self._subject, j, 1)
        if parameter.size is not None and parameter.size <= _GRID:
            grid = parameter.grid()
            return np.zeros(1) if grid is None else np.asarray(grid[0])
        return np.unique(parameter.nearest(np.linspace(0.0, 1.0, _GRID)))

    def _reference(self, at: Difference, cost: Array, j: int) -> Array:
        """Return the best predicted configuration in which a hyperparameter is active, (d,)."""
        # it is searched in the same way for all that are always active
        which = j if self._space.is_conditional(self._space.names[j]) else None
        if which not in self._references:
            parents = self._X[ranked(cost)[: min(20, int(np.isfinite(cost).sum()))]]
            found = best_predicted(at, self._space, parents, j, self._seed)
            self._references[which] = found
        return self._references[which]

    def _with_gaps(self, row: Evidence) -> Evidence:
        """Return evidence with what stays although hardly anything was tried there."""
        gaps = self._support.gaps(row.hyperparameter)
        if isinstance(self._space[row.hyperparameter], CategoricalParameter):
            left = CategoryIndex(row.after)
            inside = [g for g in gaps if left(g[0]) is not None]
        else:
            low, high = row.after
            inside = [(max(a, low), min(b, high)) for a, b in gaps if a <= high and b >= low]
        return replace(row, untried=tuple(inside))


def _unchanged(parameter: Parameter) -> Evidence:
    values = _values(parameter)
    return Evidence(parameter.name, values, values)


# ---------------------------------------------------------------------- spaces


def _narrow(
    parameter: Parameter, encoded: Array, kept: npt.NDArray[np.bool_], own: Sequence[float]
) -> Parameter:
    """Return a hyperparameter with the values that stay, encoded ones of its own among them."""
    if isinstance(parameter, CategoricalParameter):
        gone = np.setdiff1d(encoded[~kept], own)  # those that are not judged stay
        stay = np.setdiff1d(np.arange(parameter.size), gone)
        return replace(parameter, choices=[parameter.choices[int(code)] for code in stay])
    places = np.flatnonzero(kept)
    # between the values that are judged there are others, which are not known to be worse
    beyond = 0 if parameter.size == len(encoded) else 1
    ends = [*own]
    if len(places):
        ends += [encoded[max(places[0] - beyond, 0)]]
        ends += [encoded[min(places[-1] + beyond, len(encoded) - 1)]]
    low, high = min(ends), max(ends)
    decoded = parameter.decode(np.array([low, high]))
    start: Any = parameter.low if low <= 0.0 else decoded[0]
    end: Any = parameter.high if high >= 1.0 else decoded[1]
    return replace(parameter, low=start, high=end)


def still_possible(parameters: Sequence[Parameter]) -> tuple[list[Parameter], list[str]]:
    """Return hyperparameters whose conditions can be met, and the names of the others."""
    left = list(parameters)
    while True:
        values = {p.name: p for p in left}
        checked = [_conditions_within(p, values) for p in left]
        found = [p for p in checked if p is not None]
        if len(found) == len(left):
            names = {p.name for p in found}
            return found, [p.name for p in parameters if p.name not in names]
        left = found


def _conditions_within(parameter: Parameter, parents: Mapping[str, Parameter]) -> Parameter | None:
    """Return a hyperparameter whose conditions name possible values only; None if there are none.

    A condition that is always met is kept: it says the same, and the space stays recognizable.
    """
    conditions = {}
    for name, values in (parameter.active_when or {}).items():
        possible = [v for v in values if name in parents and _has(parents[name], v)]
        if not possible:
            return None
        conditions[name] = possible
    return replace(parameter, active_when=conditions) if conditions else parameter


def _has(parameter: Parameter, value: Any) -> bool:
    if isinstance(parameter, CategoricalParameter):
        return parameter.has(value)
    return bool(parameter.low <= value <= parameter.high)


def _values(parameter: Parameter) -> tuple[Any, ...]:
    if isinstance(parameter, CategoricalParameter):
        return tuple(parameter.choices)
    return parameter.low, parameter.high


def _measure(whole: Parameter, part: Parameter) -> float:
    """Return the share of a hyperparameter's measure that a part of it has."""
    if isinstance(whole, CategoricalParameter) or isinstance(part, CategoricalParameter):
        return (part.size or 0) / (whole.size or 1)
    low, high = share_between(whole, part.low, part.high)
    return high - low
