"""Where the model expects the largest improvement, and what the last trials brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.base.facts import Fact, fact
from hpo_explain.methods.effects.effect_result import PROBABLE
from hpo_explain.models.acquisition.surrogate_based import ExpectedImprovement
from hpo_explain.run import BestPredicted, Run
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, lowest, ranked
from hpo_explain.space.searches import changed, filled

_SAMPLE = 512  # configurations of the space
_PARENTS, _COPIES = 10, 20  # the best trials, and changed copies of each
_STEPS = (0.1, 0.03)  # of the encoded range
_SAME = 1e-9  # encoded values that differ by less are the same
_INACTIVE = -1.0  # in place of NaN


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
        """Return the candidates, none where all was tried; None where trials do not differ.

        Raises
        ------
        NothingToExplain
            If the run has no feasible trial, or fewer than two trials.
        """
        found = run.best_predicted()
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
    def sign(self) -> float:
        """1 where the objective is minimized, else -1."""
        return 1.0 if self.run.direction == "minimize" else -1.0

    @property
    def best(self) -> Mapping[str, Any]:
        """The configuration with the best predicted objective, tried or not."""
        best = lowest(self.sign * self.mean) if len(self.rows) else -1
        if best >= 0 and self.sign * self.mean[best] < self.sign * self.found.mean:
            return self.config(best)
        return self.found.configuration

    def config(self, place: int) -> dict[str, Any]:
        """Return a candidate in the user's units."""
        return self.run.space.decode(self.rows[[place]])[0]

    def most_promising(self, within: Sequence[Parameter] = ()) -> int | None:
        """Return the place of the largest expected improvement; None where no candidate is left.

        Parameters
        ----------
        within : sequence of Parameter
            Hyperparameters with other ranges or choices, which hold the candidate's values.
        """
        inside = np.ones(len(self.rows), dtype=bool)
        for parameter in within:
            inside &= _inside(self.run, self.rows, parameter)
        if not inside.any():
            return None
        return lowest(np.where(inside, -self.expected, np.inf))

    def relative(self, place: int) -> float:
        """Return the expected improvement as a share of the spread."""
        return float(self.expected[place]) / self.spread

    def reason(self, place: int) -> Fact:
        """Return the expected improvement with the predictions there and at the best trial."""
        return fact(
            "expected_improvement",
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
    sign = 1.0 if run.direction == "minimize" else -1.0
    return now < before, fact(
        "last_trials",
        n=last,
        objective=run.objective_name,
        before=sign * before,
        now=sign * now,
        improved=now < before,
    )


def kept(space: SearchSpace, parameter: Parameter) -> Array:
    """Return what is kept of a hyperparameter: its codes, or both ends of its range, encoded."""
    whole = space[parameter.name]
    if isinstance(parameter, CategoricalParameter):
        return np.asarray(whole.encode(list(parameter.choices)))
    if isinstance(whole, CategoricalParameter):
        return np.arange(len(whole.choices), dtype=float)
    ends = [max(parameter.low, whole.low), min(parameter.high, whole.high)]
    return np.asarray(whole.encode(ends))


def tried(run: Run) -> Array:
    """Return all encoded rows that were tried, those without a result too."""
    return np.vstack([run.X, *(trial.x[None, :] for trial in run.without_result.values())])


def apart(rows: Array, others: Array, least: float) -> npt.NDArray[np.bool_]:
    """Return which encoded rows differ from all others by more, (n,)."""
    rows, others = (np.nan_to_num(X, nan=_INACTIVE) for X in (rows, others))
    return np.asarray(cdist(rows, others, "chebyshev").min(axis=1) > least)


def _inside(run: Run, rows: Array, parameter: Parameter) -> npt.NDArray[np.bool_]:
    """Return which rows have a value of a hyperparameter, or in which it is inactive, (n,)."""
    j, stay = run.space.index(parameter.name), kept(run.space, parameter)
    column = rows[:, j]
    if isinstance(run.space.parameters[j], CategoricalParameter):
        return np.asarray(np.isnan(column) | np.isin(column, stay))
    low, high = stay
    return np.asarray(np.isnan(column) | ((column >= low - _SAME) & (column <= high + _SAME)))


def _untried(run: Run) -> Array:
    """Return encoded configurations that were not tried and are rather feasible, (n, d)."""
    space, rng = run.space, np.random.default_rng(0)
    sign = 1.0 if run.direction == "minimize" else -1.0
    predicted = np.where(np.asarray(run.feasible), sign * run.surrogate().predict(run.X)[0], np.inf)
    parents = filled(space, run.X[ranked(predicted)[:_PARENTS]], 0)
    copies = [
        changed(space, np.repeat(parents, _COPIES // len(_STEPS), axis=0), step, rng)
        for step in _STEPS
    ]
    rows = space.project(np.vstack([space.sample(_SAMPLE, seed=0, latent=True), *copies]))
    rows = rows[apart(rows, tried(run), _SAME)]
    feasibility = run.feasibility()
    if feasibility is not None and len(rows):
        rows = rows[feasibility.probability(rows) >= PROBABLE]
    return np.asarray(rows)
