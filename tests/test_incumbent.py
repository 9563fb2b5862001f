"""The best trial: shared, or the last for a long time."""

import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain import Run
from hpo_explain.base.facts import fact
from hpo_explain.belief.belief import Belief
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.models import ForestSurrogate, GaussianProcessSurrogate
from hpo_explain.question import RunDecision
from hpo_explain.run import PRUNED_READABLE, Instances
from tests.analytic import unit_cube

SPACE = unit_cube(2)
X = SPACE.sample(60, seed=0)
BOWL = ((X - 0.4) ** 2).sum(axis=1)


def run(objective, direction="minimize", **changes):
    return Run(SPACE, X[: len(objective)], objective, direction, **changes)


# ---------------------------------------------------------------------- shared


def test_trials_that_share_the_best_are_counted_up_to_rounding():
    accuracy = np.array([0.9, 0.1 + 0.2, 0.3, 0.95, 0.95 + 1e-15, 0.95, 0.7])
    assert set(run(accuracy, "maximize").tied) == {3, 4, 5}
    assert set(run(-accuracy, "minimize").tied) == {3, 4, 5}
    assert run(np.array([3.0, 1.0, 2.0])).tied == (1,)
    feasible = np.arange(7) != 5
    assert set(run(accuracy, "maximize", feasible=feasible).tied) == {3, 4}


# ---------------------------------------------------------------------- what came after


def test_every_trial_after_the_best_is_counted_and_named_whatever_became_of_it():
    reasons = dict.fromkeys(range(3, 20), PRUNED_READABLE)
    reasons |= {
        20: fact(kind="failed"),
        21: fact(kind="running"),
        22: fact(kind="waiting"),
        1: fact(kind="failed"),
    }
    made = Run(
        SPACE, X[:4], [2.0, 1.0, 3.0, 4.0], "minimize", trials=[0, 2, 23, 24], excluded=reasons
    )
    assert len(made.later_trials(2)) == 17 + 1 + 2
    assert (
        hx.history(made).since_best
        == "20 later trials (17 pruned, 1 failed) brought nothing better"
    )
    assert hx.history(run(np.array([2.0, 1.0]))).since_best == "it was the last one"
    better_but = run(np.array([2.0, 1.0, 0.5]), feasible=np.array([True, True, False]))
    assert (
        hx.history(better_but).since_best == "1 later trial brought nothing better that is feasible"
    )


# ---------------------------------------------------------------------- in words


def test_a_run_is_told_without_a_fit(monkeypatch):
    def fit(*args, **options):
        raise AssertionError("a model was fitted")

    for model in (GaussianProcessSurrogate, ForestSurrogate, Feasibility):
        monkeypatch.setattr(model, "fit", fit)
    monkeypatch.setattr(Belief, "__init__", fit)
    noisy = BOWL + np.random.default_rng(0).normal(0.0, 0.1, 60)
    folds = Instances("ab", X[[0, 0, 1]], [0, 1, 0], [1.0, 2.0, 3.0])
    for made in (
        run(noisy),
        run(noisy, "maximize", feasible=np.arange(60) % 3 != 0),
        run(noisy, instances=folds),
    ):
        best = f"best: trial {made.incumbent_trial}, "
        assert best in str(made)
        assert best in made._repr_html_()
        assert "60 trials" in repr(made)


@pytest.mark.thorough
def test_the_trial_to_keep_is_truly_better_than_the_luckiest():
    """On a bowl with noise of a fifth of its spread, where they differ by what counts."""
    differ = []
    for seed in range(10):
        noise = np.random.default_rng(seed).normal(0.0, 0.03, 60)
        decision = RunDecision.of(run(BOWL + noise, epsilon=0.01))
        if decision.why_another:
            differ.append(decision)
    assert len(differ) >= 4
    observed = [one.run.incumbent_trial for one in differ]
    kept = [one.keep for one in differ]
    assert (BOWL[kept] < BOWL[observed]).mean() >= 0.8
    lucky = BOWL[observed] - BOWL.min()
    assert (BOWL[kept] - BOWL.min()).mean() < 0.8 * lucky.mean()
    for decision in differ:
        (why,) = decision.why_another
        assert why.trials == (decision.keep, decision.run.incumbent_trial)
        assert float(re.search(r"by (\S+), which", str(why))[1]) > 0.995 * decision.epsilon


# ---------------------------------------------------------------------- the best to improve on


@pytest.mark.parametrize("criterion", ["ei", "pi", "logei"])
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_improvement_is_counted_from_the_best_feasible_trial(criterion, direction):
    sign = 1.0 if direction == "minimize" else -1.0
    made = run(sign * BOWL, direction, feasible=np.sort(BOWL)[5] < BOWL)
    for before in (20, None):
        known = BOWL[:before][np.asarray(made.feasible)[:before]]
        found = made.chosen_acquisition(before, criterion).acquisition
        assert found.best == sign * known.min()
