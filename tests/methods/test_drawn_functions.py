"""Functions drawn from a posterior: their moments, and whether truths lie within."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

import hpo_explain as hx
from hpo_explain.methods.importance._drawn_functions import DrawnFunctions
from hpo_explain.methods.importance.interaction_indices import interaction_weights
from tests.analytic import unit_cube


def fitted(d=2, n=15, noise=0.1):
    space = unit_cube(d)
    X = space.sample(n, seed=1)
    y = np.sin(4.0 * X[:, 0]) + X[:, 1] + noise * np.random.default_rng(0).standard_normal(n)
    return hx.GaussianProcessSurrogate.fit(space, X, y)


def test_they_have_the_mean_and_the_covariance_of_the_posterior_away_from_their_design():
    surrogate = fitted()
    functions = DrawnFunctions.near(surrogate, surrogate.space.sample(400, seed=2))
    X = surrogate.space.sample(12, seed=3)
    values = functions(X)
    np.testing.assert_allclose(values[:, 0], surrogate.predict(X)[0])
    np.testing.assert_allclose(values[:, 1:].mean(axis=1), values[:, 0])  # mirror images
    K = surrogate.posterior_covariance(X)
    got = np.cov(values[:, 1:])
    np.testing.assert_allclose(got, K, atol=0.4 * K.max())  # of 64 independent draws
    exact = functions.covariance(X) @ functions.weights
    np.testing.assert_allclose(values[:, 1:] - values[:, :1], exact, atol=1e-12)
    design = np.array(functions.covariance.keywords["others"])
    between = surrogate.covariance_with(X, design)
    known = between @ np.linalg.pinv(surrogate.posterior_covariance(design), rcond=1e-7) @ between.T
    np.testing.assert_allclose(known, K, atol=0.02 * K.max())  # hardly anything is left open


@pytest.mark.thorough
def test_variances_of_prior_samples_lie_in_their_intervals():
    """All 216 values of a sample are known, so that its variances are: 95 % intervals hold 85 %."""
    space = hx.SearchSpace([hx.IntParameter(name, 1, 6) for name in "abc"])
    every = list(np.ndindex(6, 6, 6))
    X = space.encode([{"a": a + 1, "b": b + 1, "c": c + 1} for a, b, c in every])
    kernel = Matern([0.6, 0.6, 1.2], nu=2.5)
    root = np.linalg.cholesky(kernel(X) + 1e-10 * np.eye(216))
    weights = interaction_weights(3, 2, "k-SII")
    inside = {"variance": [], "sensitivity": []}
    for seed in range(25):
        rng = np.random.default_rng(seed)
        f = root @ rng.standard_normal(216)
        tried = rng.choice(216, 15, replace=False)
        gp = GaussianProcessRegressor(kernel, alpha=1e-4, optimizer=None).fit(X[tried], f[tried])
        surrogate, F = hx.GaussianProcessSurrogate(space, gp), f.reshape(6, 6, 6)
        explained, around = [], []
        for code in range(8):
            axes = tuple(j for j in range(3) if not code >> j & 1)
            explained.append(F.mean(axis=axes).var() if code else 0.0)
            around.append(F[tuple(slice(None) if code >> j & 1 else 2 for j in range(3))].var())
        default = {"a": 3, "b": 3, "c": 3}
        for name, values, found in (
            ("variance", explained, hx.ShapleyInteractionExplainer(surrogate).explain_variance()),
            ("sensitivity", around, hx.GameExplainer(surrogate).sensitivity(default)),
        ):
            for label, truth in zip(found.total.labels, weights @ values, strict=True):
                low, high = found.posterior.interval(label)
                inside[name].append(low <= truth <= high)
    assert np.mean(inside["variance"]) >= 0.85
    assert np.mean(inside["sensitivity"]) >= 0.85
