"""What the model expects of the most promising configuration, and what the last trials brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.acquisition import ExpectedImprovement
from hpo_explain.explainers._reachable import changed, filled
from hpo_explain.explanations._best import PROBABLE
from hpo_explain.facts import Fact, fact
from hpo_explain.run import Run
from hpo_explain.space import Array

_SAMPLE = 512  # configurations of the space
_PARENTS, _COPIES = 10, 20  # the best trials, and changed copies of each
_STEPS = (0.1, 0.03)  # of the encoded range
_SAME = 1e-9  # encoded values that differ by less are the same


@dataclass(frozen=True, eq=False)
class Improvement:
    """The largest expected improvement that was found.

    Attributes
    ----------
    configuration : mapping
        Where it is expected, in the user's units.
    relative : float
        The improvement as a share of the spread of the good half: the median objective less the
        best.
    best : mapping
        The configuration with the best predicted objective, tried or not, in the user's units.
    reason : Fact
        The expected improvement with the prediction there and at the best trial.
    """

    configuration: Mapping[str, Any]
    relative: float
    best: Mapping[str, Any]
    reason: Fact


def largest_improvement(run: Run) -> Improvement | None:
    """Return where the surrogate of all trials expects most; None where trials do not differ.

    An improvement is relative to the best predicted objective of all trials, as the best observed
    one may be lucky. It is searched in a sample of the space and near the best trials.

    Raises
    ------
    NothingToExplain
        If the run has no feasible trial, or fewer than two trials.
    """
    found = run.best_predicted()
    cost = run.learned_cost()[np.asarray(run.feasible)[run.known_before(None)]]
    spread = float(np.median(cost) - np.min(cost))
    candidates = _candidates(run)
    if spread <= 0.0 or not len(candidates):
        return None
    model = run.surrogate()
    criterion = ExpectedImprovement(model, best=found.mean, direction=run.direction)
    mean, std = model.predict(candidates)
    expected = np.sum([*criterion.terms_of(mean, std).values()], axis=0)
    sign = 1.0 if run.direction == "minimize" else -1.0
    at, lowest = int(np.argmax(expected)), int(np.argmin(sign * mean))
    at_best = sign * mean[lowest] < sign * found.mean
    return Improvement(
        configuration=run.space.decode(candidates[[at]])[0],
        relative=float(expected[at]) / spread,
        best=run.space.decode(candidates[[lowest]])[0] if at_best else found.configuration,
        reason=fact(
            "expected_improvement",
            trials=[found.trial],
            objective=run.objective_name,
            predicted=(float(mean[at]), float(std[at])),
            at_best=(found.mean, found.std),
            expected=float(expected[at]),
        ),
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


def _candidates(run: Run) -> Array:
    """Return encoded configurations that were not tried and are rather feasible, (n, d)."""
    space, rng = run.space, np.random.default_rng(0)
    sign = 1.0 if run.direction == "minimize" else -1.0
    predicted = np.where(np.asarray(run.feasible), sign * run.surrogate().predict(run.X)[0], np.inf)
    parents = filled(space, run.X[np.argsort(predicted, kind="stable")[:_PARENTS]], 0)
    copies = [
        changed(space, np.repeat(parents, _COPIES // len(_STEPS), axis=0), step, rng)
        for step in _STEPS
    ]
    rows = space.project(np.vstack([space.sample(_SAMPLE, seed=0, latent=True), *copies]))
    given = [run.X, *(trial.x[None, :] for trial in run.without_result.values())]
    known = np.nan_to_num(np.vstack(given), nan=-1.0)
    apart = [np.abs(row - known).max(axis=1).min() > _SAME for row in np.nan_to_num(rows, nan=-1.0)]
    rows = rows[np.array(apart)]
    feasibility = run.feasibility()
    if feasibility is not None and len(rows):
        rows = rows[feasibility.probability(rows) >= PROBABLE]
    return np.asarray(rows)
