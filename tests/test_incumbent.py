"""The best trial: shared, lucky, or the last for a long time."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain import Run
from hpo_explain.base.facts import fact
from hpo_explain.run.best_predicted import best_predicted
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
    reasons = dict.fromkeys(range(3, 20), fact("pruned", readable=True))
    reasons |= {
        20: fact("failed"),
        21: fact("running"),
        22: fact("waiting"),
        1: fact("failed"),
    }
    made = Run(
        SPACE,
        X[:4],
        [2.0, 1.0, 3.0, 4.0],
        "minimize",
        trials=[0, 2, 23, 24],
        excluded=reasons,
    )
    assert len(made.later_trials(2)) == 17 + 1 + 2
    assert (
        hx.history(made).since_best
        == "20 later trials (17 pruned, 1 failed) brought nothing better"
    )
    assert hx.history(run(np.array([2.0, 1.0]))).since_best == "the last one"
    better_but = run(
        np.array([2.0, 1.0, 0.5]), feasible=np.array([True, True, False])
    )
    assert (
        hx.history(better_but).since_best
        == "1 later trial brought nothing better that is feasible"
    )


# ---------------------------------------------------------------------- lucky


def noisy(seed, std=0.1):
    return run(BOWL + np.random.default_rng(seed).normal(0.0, std, 60))


def test_the_best_predicted_is_truly_better_than_the_luckiest():
    """On a bowl with noise of 0.7 of its spread, where it is told."""
    found = [
        f
        for f in (best_predicted(noisy(seed)) for seed in range(12))
        if f.notable
    ]
    assert len(found) >= 6
    lucky = np.array([BOWL[f.incumbent_trial] for f in found]) - BOWL.min()
    predicted = np.array([BOWL[f.trial] for f in found]) - BOWL.min()
    assert predicted.mean() < 0.5 * lucky.mean()
    assert np.mean(predicted <= lucky) > 0.7


def test_it_is_the_best_posterior_mean_among_feasible_trials_by_its_definition():
    for sign, direction in ((1.0, "minimize"), (-1.0, "maximize")):
        feasible = np.arange(60) % 3 != 0
        made = run(sign * noisy(1).objective, direction, feasible=feasible)
        mean, std = made.surrogate().predict(X)
        best = min(np.flatnonzero(feasible), key=lambda i: sign * mean[i])
        found = best_predicted(made)
        assert (found.trial, found.mean, found.std) == (
            best,
            mean[best],
            std[best],
        )
        assert found.observed == made.objective[best]
        assert found.configuration == made.config(int(best))
        at = made.incumbent_trial
        assert (found.incumbent_trial, found.incumbent_mean) == (at, mean[at])
        assert made.incumbent == made.config(at)  # stays the best observed


def test_it_is_told_where_the_noise_is_notable_and_only_there():
    clean = best_predicted(run(BOWL))
    assert clean.noise < 0.02
    assert not clean.differs
    assert not clean.notable
    assert "predicted" not in str(run(BOWL))
    made = noisy(0)
    found = best_predicted(made)
    assert found.noise == pytest.approx(
        0.1 / made.objective.std(), rel=0.3
    )  # the true share
    assert found.notable == ("best predicted: trial" in str(made)) == True  # noqa: E712


def test_a_model_that_does_not_know_its_noise_tells_nothing_of_luck():
    space = hx.SearchSpace(
        [hx.CategoricalParameter(name, range(3)) for name in "ab"]
    )
    rows = space.sample(30, seed=0)
    made = Run(
        space, rows, np.random.default_rng(0).normal(size=30), "minimize"
    )
    found = best_predicted(made)
    assert np.isnan(found.noise)
    assert not found.notable


# ---------------------------------------------------------------------- the best to improve on


@pytest.mark.parametrize("criterion", ["ei", "pi", "logei"])
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_improvement_is_counted_from_the_best_feasible_trial(
    criterion, direction
):
    sign = 1.0 if direction == "minimize" else -1.0
    made = run(sign * BOWL, direction, feasible=np.sort(BOWL)[5] < BOWL)
    for before in (20, None):
        known = BOWL[:before][np.asarray(made.feasible)[:before]]
        found = made.chosen_acquisition(before, criterion).acquisition
        assert found.best == sign * known.min()
