"""Repeats and the model of the noise, against closed forms, simulations and axioms."""

import numpy as np
import pytest
from scipy import stats

import hpo_explain as hx
from hpo_explain.run import Repeats
from tests.analytic import unit_cube


def evaluated(n, k, *, seed=0, std=1.0, easy=0.0):
    """Configurations, and results on k instances with this noise and these difficulties."""
    rng = np.random.default_rng(seed)
    X = unit_cube(2).sample(n, seed=seed)
    sigma = std(X) if callable(std) else np.full(n, std)
    noise = sigma[:, None] * rng.standard_normal((n, k))
    return X, X[:, [0]] + noise + np.broadcast_to(easy, (n, k))


def repeats_of(X, Y, known=None):
    """Repeats of results (n, k), of those that are known."""
    rows, index = np.nonzero(np.ones(Y.shape, dtype=bool) if known is None else known)
    return Repeats.of(X[rows], index, Y[rows, index])


def repeated_run(X, Y):
    """A run in which each configuration is a trial as often as it has results."""
    rows = np.repeat(X, Y.shape[1], axis=0)
    return hx.Run(unit_cube(X.shape[1]), rows, Y.ravel(), "minimize")


# ---------------------------------------------------------------------- sample variances


def test_variances_of_repeats_are_sample_variances():
    X, Y = evaluated(12, 5)
    order = np.random.default_rng(1).permutation(60)
    found = Repeats.of(np.repeat(X, 5, axis=0)[order], np.zeros(60, dtype=int), Y.ravel()[order])
    at = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in found.X]
    np.testing.assert_allclose(found.std, Y.std(axis=1, ddof=1)[at], rtol=1e-10)
    assert set(found.df) == {4.0}
    assert set(found.evaluations) == {5}


@pytest.mark.parametrize("df", [1.0, 2.5, 9.0])
def test_the_log_variance_is_unbiased_and_its_error_is_known(df):
    """χ² is twice a gamma variable, whose logarithm scipy knows."""
    log_gamma = stats.loggamma(df / 2.0)
    # of the logarithm of χ²/ν
    bias = np.log(2.0) + log_gamma.mean() - np.log(df)
    one = Repeats(np.zeros((1, 1)), np.array([2.0]), np.array([df]), np.array([2]))
    np.testing.assert_allclose(one.log_variance, np.log(4.0) - bias, rtol=1e-9)
    np.testing.assert_allclose(one.error, log_gamma.std(), rtol=1e-9)


@pytest.mark.thorough
def test_the_pooled_standard_deviation_is_within_its_interval_19_times_in_20():
    inside = 0
    for seed in range(300):
        std, lower, upper = repeats_of(*evaluated(6, 3, seed=seed, std=0.7)).pooled()
        assert lower < std < upper
        inside += lower < 0.7 < upper
    assert 0.92 <= inside / 300 <= 0.98  # 0.95 ± 2.4 standard errors


def test_of_a_skewed_noise_the_interval_is_wider():
    """Of exponential noise, whose standard deviation is 1, χ² alone holds it 7 times in 10."""
    rng = np.random.default_rng(0)
    inside = plain = 0
    for _ in range(300):
        Y = rng.exponential(size=(20, 4))
        found = Repeats(np.zeros((20, 1)), Y.std(axis=1, ddof=1), np.full(20, 3.0), np.full(20, 4))
        std, lower, upper = found.pooled()
        inside += lower < 1.0 < upper
        plain += abs(stats.chi2.cdf(60.0 * std**2, 60.0) - 0.5) < 0.475
    assert plain / 300 < 0.8
    assert inside / 300 > 0.85


# ---------------------------------------------------------------------- instances


def test_the_difficulty_of_an_instance_is_no_noise():
    X, Y = evaluated(20, 5)
    known = np.random.default_rng(3).random(Y.shape) < 0.8
    easy = np.array([0.0, 1.0, -50.0, 1000.0, 3.0])
    plain, hard = repeats_of(X, Y, known), repeats_of(X, Y + easy, known)
    np.testing.assert_allclose(hard.std, plain.std, rtol=1e-6)
    np.testing.assert_allclose(hard.df, plain.df, rtol=1e-9)


def test_effects_of_instances_cost_degrees_of_freedom():
    """As in the analysis of variance of two factors: (n - 1)(k - 1) are left."""
    found = repeats_of(*evaluated(20, 5))
    assert found.df.sum() == pytest.approx(19 * 4)
    assert found.instances == 5


@pytest.mark.thorough
def test_a_noisy_configuration_makes_no_other_one_look_noisy():
    """The median of s²/σ² is that of χ²/ν, for the quietest of forty as for the noisiest."""
    n, k, draws = 40, 4, 200
    sigma = np.geomspace(0.1, 10.0, n)
    X = unit_cube(2).sample(n, seed=0)
    rng = np.random.default_rng(0)
    easy = np.array([0.0, 5.0, -3.0, 100.0])
    found = [
        repeats_of(X, sigma[:, None] * rng.standard_normal((n, k)) + easy).std ** 2 / sigma**2
        for _ in range(draws)
    ]
    by_part = np.median(np.reshape(found, (draws, 4, 10)), axis=(0, 2))
    np.testing.assert_allclose(by_part, stats.chi2.median(k - 1) / (k - 1), atol=0.08)


# ---------------------------------------------------------------------- the model


def test_a_constant_noise_is_the_pooled_one_and_depends_on_nothing():
    X, Y = evaluated(20, 4, seed=2, std=0.3)
    model = repeated_run(X, Y).noise()
    assert not model.varies
    mean, std = model.predict(X)
    assert set(mean) == {model.repeats.pooled()[0]}
    assert (std > 0.0).all()
    assert not model.relevant().any()


def test_a_noise_that_varies_is_predicted_where_it_was_not_seen():
    """σ = exp(3 x2 - 3): within 40 % at nine of ten places."""
    X, Y = evaluated(60, 5, std=lambda X: np.exp(3.0 * X[:, 1] - 3.0))
    model = repeated_run(X, Y).noise()
    assert model.varies
    new = unit_cube(2).sample(200, seed=9)
    off = np.abs(np.log(model.predict(new)[0]) - (3.0 * new[:, 1] - 3.0))
    assert np.quantile(off, 0.9) < np.log(1.4)
    mean, std = model.log_variance.predict(new)
    np.testing.assert_allclose(model.predict(new)[0] ** 2, np.exp(mean))
    # the standard deviation of exp(z/2), by its derivative
    step = np.exp((mean + 1e-6) / 2.0) - np.exp(mean / 2.0)
    np.testing.assert_allclose(model.predict(new)[1], step / 1e-6 * std, rtol=1e-5)


def test_the_noise_is_not_thought_to_be_less_than_the_error_of_a_variance():
    """A process that goes through every sample variance would be sure of each."""
    X, Y = evaluated(40, 3, std=lambda X: np.exp(2.0 * X[:, 1]))
    model = repeated_run(X, Y).noise(kind="gp")
    assert model.varies
    assert model.log_variance.noise_std >= model.repeats.error[0] * (1.0 - 1e-6)


# ---------------------------------------------------------------------- what a run knows


def test_a_run_without_repeats_has_nothing_to_say_of_the_noise():
    X, Y = evaluated(10, 1)
    with pytest.raises(hx.base.NothingToExplain) as none:
        repeated_run(X, Y).noise()
    assert "no configuration was evaluated several times" in str(none.value)


def test_repeats_with_the_same_result_each_time_have_no_noise():
    X, Y = evaluated(10, 3, std=0.0)
    with pytest.raises(hx.base.NothingToExplain) as none:
        repeated_run(X, Y).noise()
    assert "there is no noise" in str(none.value)
    easy = np.array([[0.0, 0.1, 100.3]])
    with pytest.raises(hx.base.NothingToExplain):
        with_instances(X, Y + easy).noise()


def with_instances(X, Y):
    rows, index = np.nonzero(np.ones(Y.shape, dtype=bool))
    folds = hx.run.Instances([*range(Y.shape[1])], X[rows], index, Y.ravel())
    return hx.Run(unit_cube(X.shape[1]), X, Y.mean(axis=1), "minimize", instances=folds)


def test_the_noise_is_that_of_single_instances():
    X, Y = evaluated(12, 4, easy=np.array([0.0, 9.0, -4.0, 2.0]))
    found = with_instances(X, Y).noise().repeats
    np.testing.assert_allclose(found.std, repeats_of(X, Y).std)
