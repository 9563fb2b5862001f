"""Luck: what the best trial is worth, where that is known; repeats; and another metric."""

import numpy as np
import optuna
import pytest
from scipy.stats import spearmanr

import hpo_explain as hx
from tests.analytic import unit_cube
from tests.noted import noted


def bowl(X):
    return ((X - 0.4) ** 2).sum(axis=1)


def noisy(n, sigma, seed=0, d=2):
    space = unit_cube(d)
    X = space.sample(n, seed=seed)
    y = bowl(X) + sigma * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, X, y, "minimize")


def test_of_noise_alone_the_best_is_lucky_by_the_expected_extreme():
    """Closed form: of 60 normal numbers the least is 2.32 below the mean on average."""
    rng = np.random.default_rng(1)
    space = unit_cube(2)
    run = hx.Run(space, space.sample(60), rng.standard_normal(60), "minimize")
    found = hx.methods.luck(run)
    extreme = run.objective.mean() - run.objective.min()
    # some of it may be the objective for all that 60 trials tell
    assert 0.6 * extreme < found.drop < 1.1 * extreme
    assert found.verdict != "was hardly"


def test_without_noise_nobody_is_lucky():
    found = hx.methods.luck(noisy(60, 0.0))
    assert abs(found.drop) < 0.01 * np.ptp(found.observed)
    assert "hardly lucky" in found.sentence


@pytest.mark.thorough
@pytest.mark.parametrize("sigma", [0.02, 0.1])
def test_the_expected_drop_covers_the_true_one(sigma):
    inside = []
    for seed in range(40):
        run = noisy(50, sigma, seed, d=3)
        found = hx.methods.luck(run)
        truth = bowl(run.X[[run.row(int(found.trials[0]))]])[0] - found.observed[0]
        low, high = found.claims[0].interval
        inside.append(low <= truth <= high)
    assert np.mean(inside) >= 0.9


def test_a_maximized_objective_drops_as_the_minimized_one():
    run = noisy(40, 0.1)
    turned = hx.Run(run.space, run.X, -run.objective, "maximize")
    found, other = hx.methods.luck(run), hx.methods.luck(turned)
    assert found.trials.tolist() == other.trials.tolist()
    assert found.drop == pytest.approx(other.drop, rel=0.05)


def test_repeats_are_grouped_and_their_scatter_is_pooled():
    X = np.array([[0.1], [0.5], [0.1], [0.9], [0.5], [0.5]])
    y = np.array([1.0, 2.0, 1.4, 3.0, 2.6, 2.3])
    found = hx.methods.luck(hx.Run(unit_cube(1), X, y, "minimize"))
    assert found.repeats == ((0, 2), (1, 4, 5))
    squares = np.var(y[[0, 2]]) * 2 + np.var(y[[1, 4, 5]]) * 3
    assert found.scatter == pytest.approx(np.sqrt(squares / 3))
    assert "2 configurations evaluated more than once (3 repeats)" in found.sentence
    same = hx.methods.luck(hx.Run(unit_cube(1), X, X[:, 0], "minimize"))
    assert "they show no noise" in same.sentence


def with_tests(n):
    run = noisy(n, 0.05)
    test = bowl(run.X) + 0.02 * np.random.default_rng(5).standard_normal(n)
    return hx.Run(
        run.space,
        run.X,
        run.objective,
        "minimize",
        attributes={"test_loss": test, "test_accuracy": 1.0 - test},
    )


def test_ranks_by_another_metric_are_spearmans():
    run = with_tests(40)
    found = hx.methods.luck(run, test="test_loss")
    test = run.attributes["test_loss"]
    assert found.rank_correlation == pytest.approx(spearmanr(run.objective, test).statistic)
    assert found.best_by_test == int(np.argmin(test))
    assert found.lost_by_test == pytest.approx(test[run.row(run.incumbent_trial)] - test.min())
    # a metric that is better the larger it is ranks the same
    other = hx.methods.luck(run, test="test_accuracy")
    assert other.rank_correlation == pytest.approx(found.rank_correlation)
    assert other.best_by_test == found.best_by_test


def test_what_was_not_recorded_is_named():
    with pytest.raises(ValueError, match=r"nothing but the objective was recorded"):
        hx.methods.luck(noisy(10, 0.1), test="test_loss")
    with pytest.raises(ValueError, match=r"Did you mean 'test_loss'"):
        hx.methods.luck(with_tests(10), test="test_los")


def study_with_a_test():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), direction="maximize")

    def objective(trial):
        x, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xz")
        trial.set_user_attr("test_accuracy", 1.0 - z)
        trial.set_user_attr("note", "text is no number")
        return 1.0 - x

    study.optimize(objective, n_trials=40)
    return study


def test_a_user_attribute_is_an_objective_by_its_name():
    study = study_with_a_test()
    run = hx.from_optuna(study)
    assert [*run.attributes] == ["test_accuracy"]
    assert hx.importance(study).importance["importance"].idxmax() == "x"
    of_test = hx.importance(study, target="test_accuracy")
    assert of_test.importance["importance"].idxmax() == "z"
    assert of_test.direction == "maximize"
    assert noted(hx.from_optuna(study, target="test_accuracy").notes, "direction_by_name")
    assert (
        hx.from_optuna(study, target="test_accuracy", direction="minimize").direction == "minimize"
    )
    assert abs(hx.methods.luck(study, test="test_accuracy").rank_correlation) < 0.5


def test_a_part_of_a_run_has_its_part_of_what_was_measured():
    run = with_tests(40)
    part = hx.run.chosen(run, [3, 5, 8])
    np.testing.assert_array_equal(
        part.attributes["test_loss"], run.attributes["test_loss"][[3, 5, 8]]
    )
    with pytest.raises(ValueError, match="attributes"):
        hx.Run(run.space, run.X, run.objective, "minimize", attributes={"t": [1.0]})


def test_what_does_not_vary_has_no_ranks():
    run = with_tests(10)
    same = hx.Run(run.space, run.X, run.objective, "minimize", attributes={"t": np.ones(10)})
    with pytest.raises(hx.base.NothingToExplain, match="t is the same in all trials"):
        hx.methods.luck(same, test="t")


def test_a_slip_in_the_name_of_an_attribute_is_named():
    with pytest.raises(ValueError, match="Did you mean 'test_accuracy'"):
        hx.importance(study_with_a_test(), target="test_acuracy")


def test_attributes_of_one_trial_each_do_not_fill_the_memory():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial):
        trial.set_user_attr("test", 1.0)
        trial.set_user_attr(f"of trial {trial.number}", 1.0)
        return trial.suggest_float("x", 0.0, 1.0)

    study.optimize(objective, n_trials=150)
    recorded = hx.from_optuna(study).attributes
    assert len(recorded) == 100
    assert "test" in recorded
