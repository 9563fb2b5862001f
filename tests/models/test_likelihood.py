import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel

from hpo_explain.models._likelihood import MarginalLikelihood
from tests.models.as_sklearn import MixedMatern

# the last hyperparameter has three categories
AMID = np.array([0.0, 0.0, 1.0 / 3.0])


def trials(n, seed=0):
    Z = np.random.default_rng(seed).random((n, 3))
    Z[:, 2] = np.floor(3.0 * Z[:, 2])
    y = np.sin(5.0 * Z[:, 0]) + Z[:, 1]
    return Z, (y - y.mean()) / y.std()


def scikit_learns(Z, y, jitter=1e-10):
    kernel = ConstantKernel() * MixedMatern(AMID, np.full(3, 0.5)) + WhiteKernel()
    return GaussianProcessRegressor(kernel, alpha=jitter, optimizer=None).fit(Z, y)


@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("seed", range(3))
def test_value_and_gradient_are_those_of_scikit_learn(n, seed):
    Z, y = trials(n)
    theta = np.random.default_rng(seed).normal(-1.0, 1.0, 5)
    value, gradient = MarginalLikelihood(AMID, Z, y, jitter=1e-10)(theta)
    expected, slopes = scikit_learns(Z, y).log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-8)


def test_of_two_trials_it_is_the_density_of_a_normal_pair():
    Z = np.array([[0.1, 0.2, 0.0], [0.4, 0.8, 1.0]])
    y = np.array([-1.0, 1.0])
    c, lengths, w = 1.3, np.array([0.5, 0.7, 1.1]), 0.2
    s = np.sqrt(5.0 * (0.3**2 / 0.5**2 + 0.6**2 / 0.7**2 + 1.0 / 1.1**2))
    between = c * (1.0 + s + s**2 / 3.0) * np.exp(-s)
    K = np.array([[c + w, between], [between, c + w]])
    density = -0.5 * y @ np.linalg.solve(K, y) - 0.5 * np.log(np.linalg.det(2 * np.pi * K))
    theta = np.log([c, *lengths, w])
    assert MarginalLikelihood(AMID, Z, y)(theta)[0] == pytest.approx(density, rel=1e-12)


def test_a_singular_covariance_is_the_least_likely():
    Z, y = trials(10)
    twice = MarginalLikelihood(AMID, np.vstack([Z, Z]), np.concatenate([y, y]))
    # no noise at all
    value, gradient = twice(np.array([0.0, 0.0, 0.0, 0.0, -800.0]))
    assert value == -np.inf
    assert not gradient.any()


@pytest.mark.filterwarnings("ignore:The optimal value found:sklearn.exceptions.ConvergenceWarning")
def test_the_maximum_is_the_one_that_scikit_learn_finds():
    Z, y = trials(60)
    y = y + np.random.default_rng(1).normal(0.0, 0.1, len(y))
    theirs = scikit_learns(Z, y)
    theirs.set_params(optimizer="fmin_l_bfgs_b").fit(Z, y)
    likelihood = MarginalLikelihood(AMID, Z, y, jitter=1e-10)
    theta, loss = likelihood.maximize(scikit_learns(Z, y).kernel_.theta, theirs.kernel_.bounds)
    assert -loss == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)
    np.testing.assert_allclose(theta, theirs.kernel_.theta, atol=1e-3)
    assert ((theta >= theirs.kernel_.bounds[:, 0]) & (theta <= theirs.kernel_.bounds[:, 1])).all()
