"""Draws of whole functions: closed forms, axioms, and whether probabilities come true."""

import numpy as np
import optuna
import pytest
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.explanations import PosteriorDraws
from tests.analytic import unit_cube


def run_of(f, n=40, d=3, noise=0.1, seed=0, direction="minimize"):
    X = unit_cube(d).sample(n, seed=seed)
    y = f(X) + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(unit_cube(d), X, y, direction)


@pytest.fixture(scope="module")
def run():
    return run_of(lambda X: 2.0 * X[:, 0] + X[:, 1] ** 2)


# ---------------------------------------------------------------------- the draws


def test_the_probability_of_two_normal_numbers_is_that_of_their_difference():
    mean = np.array([1.0, 1.3, 0.2])
    root = np.random.default_rng(0).standard_normal((3, 3))
    K = root @ root.T / 4.0
    found = PosteriorDraws.of_normal("abc", mean, K)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        std = np.sqrt(K[i, i] + K[j, j] - 2.0 * K[i, j])
        expected = norm.cdf((mean[i] - mean[j]) / std)
        assert found.probability("abc"[i], "abc"[j]) == pytest.approx(expected, abs=0.04)
    np.testing.assert_allclose(np.cov(found.values.T), K, atol=0.25 * np.abs(K).max())
    low, high = found.interval("a")
    assert low == pytest.approx(1.0 - 1.96 * np.sqrt(K[0, 0]), abs=0.2 * np.sqrt(K[0, 0]))
    assert high > low


def test_numbers_that_are_equal_come_first_equally_often():
    found = PosteriorDraws(("a", "b", "c"), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    assert found.probability("a", "b") == 0.5
    assert found.probability("a", "c") == 0.75
    assert found.probability("a") == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_names_that_there_are_not_are_refused():
    found = PosteriorDraws(("lr", "depth"), np.zeros((2, 2)))
    with pytest.raises(hx.InputError, match="Did you mean 'depth'"):
        found.probability("lr", "depht")


# ---------------------------------------------------------------------- results


def results(run):
    return {
        "importance": hx.importance(run, kind="gp"),
        "partial dependence": hx.partial_dependence(run, "x1", kind="gp", grid_size=5, sample=40),
        "ablation": hx.ablation(run, {"x1": 0.9, "x2": 0.9, "x3": 0.9}, kind="gp"),
        "local importance": hx.local_importance(run, kind="gp"),
    }


@pytest.mark.parametrize(
    "name", ["importance", "partial dependence", "ablation", "local importance"]
)
def test_probabilities_of_each_result_add_up(run, name):
    result = results(run)[name]
    names = result.posterior.names
    assert sum(result.probability(one) for one in names) == pytest.approx(1.0)
    assert result.probability(names[0], names[1]) + result.probability(
        names[1], names[0]
    ) == pytest.approx(1.0)
    assert result.posterior.to_frame().shape == (len(result.posterior), len(names))


def test_of_an_importance_they_are_the_shares_themselves(run):
    found = hx.importance(run, 2, kind="gp")
    assert found.posterior.names == tuple(found.importance.index)
    assert found.probability("x1", "x3") == 1.0
    assert found.probability("x1", "x2") > 0.95
    np.testing.assert_allclose(found.posterior.values.mean(axis=0), found.importance["importance"])


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_of_an_effect_the_better_value_comes_first_as_its_covariance_says(direction):
    run = run_of(lambda X: np.sin(6.0 * X[:, 0]), n=20, d=2, noise=0.4, direction=direction)
    found = hx.partial_dependence(run, "x1", kind="gp", grid_size=5, sample=40)
    sign = -1.0 if direction == "minimize" else 1.0
    for i, j in ((0, 1), (1, 2), (3, 4)):
        K = found.covariance
        std = np.sqrt(K[i, i] + K[j, j] - 2.0 * K[i, j])
        expected = norm.cdf(sign * (found.mean[i] - found.mean[j]) / std)
        got = found.probability(found.grid[i], found.grid[j])
        assert got == pytest.approx(expected, abs=0.05)
    pair = hx.partial_dependence(run, ["x1", "x2"], kind="gp", grid_size=3, sample=20)
    assert len(pair.posterior.names) == 9
    assert (0.5, 1.0) in pair.posterior.names


def test_of_an_ablation_they_are_the_gains_with_their_std(run):
    found = hx.ablation(run, {"x1": 0.9, "x2": 0.9, "x3": 0.9}, kind="gp")
    values = found.posterior.values
    np.testing.assert_allclose(values.mean(axis=0), found.gains, atol=0.15 * found.std.max())
    np.testing.assert_allclose(values.std(axis=0), found.std, rtol=0.1)
    assert found.posterior.names == found.labels
    assert found.probability("x1", "x3") > 0.99


def test_of_local_importance_they_have_its_std(run):
    found = hx.local_importance(run, kind="gp")
    np.testing.assert_allclose(found.posterior.values.std(axis=0), found.std, atol=1e-9)


def test_a_forest_has_no_posterior():
    run = run_of(lambda X: X[:, 0], n=20, d=2)
    for result in (
        hx.importance(run, kind="forest"),
        hx.partial_dependence(run, "x1", kind="forest", sample=10, grid_size=3),
        hx.local_importance(run, kind="forest"),
    ):
        with pytest.raises(hx.NothingToExplain, match="a forest has no draws from a posterior"):
            result.probability("x1", "x2")


# ---------------------------------------------------------------------- real runs


def test_a_study_says_how_likely_one_hyperparameter_is_more_important():
    def objective(trial):
        lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
        return (np.log10(lr) + 2.0) ** 2 + 0.01 * trial.suggest_int("depth", 1, 5)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=30)
    assert hx.importance(study, kind="gp").probability("lr", "depth") == 1.0


@pytest.mark.thorough
def test_probabilities_of_what_matters_more_come_true_as_often_as_they_say():
    """Slopes drawn at random: among statements of 80 % and more, at least 70 % are right."""
    rng = np.random.default_rng(0)
    said, right = [], []
    for seed in range(40):
        a, b = rng.uniform(0.0, 2.0, 2)
        run = run_of(lambda X, a=a, b=b: a * X[:, 0] + b * X[:, 1], 25, 2, 0.6, seed)
        p = hx.importance(run, kind="gp").probability("x1", "x2")
        said.append(max(p, 1.0 - p))
        right.append((p > 0.5) == (a > b))
    said, right = np.array(said), np.array(right)
    assert (said > 0.8).sum() >= 10
    assert right[said > 0.8].mean() >= 0.7
    assert abs(said.mean() - right.mean()) < 0.15
