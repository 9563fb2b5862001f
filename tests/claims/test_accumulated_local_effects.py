"""Certain claims about accumulated local effects are right: the truth is that of the function.

The true effect is that of the true function at the same trials, by the same steps; that these are
the method's is checked elsewhere (`tests/methods/test_accumulated_local_effects.py`).
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

import hpo_explain as hx
from tests.claims.problems import PROBLEMS, Problem
from tests.claims.runs import NOISE, Setting, make_run

LOSS = 0.05  # of an effect's range: a value that loses no more is one of the best
SMALL = 0.03  # of the signal's standard deviation: less is no effect
FLAT = 0.01  # of the signal's variance
RISK = 0.01  # that claims of which 95 % are right fail here, by the bad luck of few


@dataclass(frozen=True, eq=False)
class Truth:
    """The true function as a surrogate."""

    problem: Problem
    sign: float

    @property
    def space(self):
        return self.problem.space

    def predict(self, X):
        return self.sign * self.problem.cost(X), np.zeros(len(X))


def settings():
    """Every problem with an optimizer, noise and a number of trials, in turn."""
    for i, problem in enumerate(make() for make in PROBLEMS):
        for k, optimizer in enumerate(("tpe", "random", "qmc")):
            least = 1 if problem.constant or problem.exact else 0
            noise = NOISE[max((i + k) % 3, least)]
            yield problem, Setting(problem.name, optimizer, (30, 60)[(i + k) % 2], noise, k)


def judged(problem, run, names, kind):
    """Kind of each certain claim, and whether it is right."""
    try:
        found = hx.accumulated_local_effects(run, names, kind=kind)
    except hx.NothingToExplain:
        return
    sign = 1.0 if run.direction == "minimize" else -1.0
    explainer = hx.AccumulatedLocalEffectsExplainer(Truth(problem, sign), sample=run.X)
    true = explainer.explain(names)
    assert true.grid == found.grid
    cost, scale = sign * true.mean, problem.scale
    spread = float(np.ptp(cost))
    for claim in found.claims:
        if not claim.certain:
            continue
        if claim.kind == "best" and spread > SMALL * scale:
            yield claim.kind, cost[found.best].min() - cost.min() <= LOSS * spread
        elif claim.kind == "best":
            yield claim.kind, found.best.all()
        elif claim.kind == "difference" and claim.side == "below":
            yield "none", float(np.mean(cost**2)) <= FLAT * scale**2
        elif len(found.names) == 2:
            yield "together", spread > SMALL * scale
        else:
            first, second = (cost[found.grid.index(value)] for value in claim.values[0])
            yield claim.kind, sign * (first - second) * claim.estimate > 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["auto", "gp"])
def test_certain_claims_are_right_nineteen_times_in_twenty(kind):
    right: dict[str, list[bool]] = {}
    for problem, setting in settings():
        run = make_run(setting, None)
        asked = [*run.space.names[:4], run.space.names[:2]]
        for names in asked:
            for said, told in judged(problem, run, names, kind):
                right.setdefault(said, []).append(bool(told))
    for said in ("best", "difference"):
        assert len(right[said]) >= 15
    counts = {said: (sum(told), len(told)) for said, told in right.items()}
    for good, asked in [*counts.values(), tuple(np.sum([*counts.values()], axis=0))]:
        assert binom.cdf(good, asked, 0.95) > RISK, counts
