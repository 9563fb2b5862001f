"""Differences of predictions, and kernel parameters that the trials allow."""

import numpy as np

import hpo_explain as hx
from hpo_explain.models._likelihood import plausible_parameters
from tests.analytic import unit_cube


def fitted(n=30, sign=1.0):
    X = unit_cube(2).sample(n, seed=0)
    y = np.sin(4.0 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=n)
    return hx.GaussianProcessSurrogate.fit(unit_cube(2), X, sign * y)


def test_a_difference_is_that_of_the_joint_posterior():
    gp = fitted()
    rows = unit_cube(2).sample(6, seed=1)
    mean, std = gp.difference(rows[1:], rows[0])
    predicted = gp.predict(rows)[0]
    K = gp.posterior_covariance(rows)
    np.testing.assert_allclose(mean, predicted[1:] - predicted[0], atol=1e-10)
    variance = np.diag(K)[1:] + K[0, 0] - 2.0 * K[0, 1:]
    np.testing.assert_allclose(std, np.sqrt(variance), atol=1e-7)


def test_plausible_models_are_of_the_same_trials_and_units():
    gp = fitted()
    models = gp.plausible(8, seed=1)
    assert len(models) == 8
    X = unit_cube(2).sample(50, seed=2)
    truth = np.sin(4.0 * X[:, 0])
    for model in models:
        assert np.sqrt(np.mean((model.predict(X)[0] - truth) ** 2)) < 0.2
    again = gp.plausible(8, seed=1)
    np.testing.assert_array_equal(models[-1].predict(X)[0], again[-1].predict(X)[0])


def test_where_the_parameters_are_not_ours_the_model_stands_alone():
    from sklearn.gaussian_process import GaussianProcessRegressor

    X = unit_cube(2).sample(20, seed=0)
    fixed = GaussianProcessRegressor(optimizer=None).fit(X, X[:, 0])
    gp = hx.GaussianProcessSurrogate(unit_cube(2), fixed)
    assert gp.plausible(5) == (gp,)


class Normal:
    """A likelihood that is normal in θ, so that the posterior is known in closed form."""

    def __init__(self, centre, precision):
        self._centre, self._precision = centre, precision

    def __call__(self, theta):
        away = self._precision * (theta - self._centre)
        return -0.5 * float((theta - self._centre) @ away), -away


def test_draws_have_the_posteriors_mean_and_spread():
    precision = np.array([4.0, 9.0, 1.0])
    likelihood = Normal(np.array([0.5, -1.0, -3.0]), precision)
    rng = np.random.default_rng(0)
    draws = np.array(plausible_parameters(likelihood, np.zeros(3), 3000, rng))
    prior_mean = np.array([0.0, np.log(0.5), np.log(0.1)])
    prior_precision = np.array([1.5, 0.8, 3.0]) ** -2.0
    whole = precision + prior_precision
    mean = (precision * [0.5, -1.0, -3.0] + prior_precision * prior_mean) / whole
    # 3000 draws of six steps each: about 3000 independent ones
    assert np.abs((draws.mean(axis=0) - mean) * np.sqrt(whole)).max() < 0.1
    np.testing.assert_allclose(draws.std(axis=0), whole**-0.5, rtol=0.08)
