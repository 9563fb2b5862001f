"""A Gaussian process along a grid: the composed rows' own predictions, and Eq. 4 by brute force."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

import hpo_explain as hx
from tests.analytic import nested_space, unit_cube

SPLIT = {
    "Matérn-3/2": 2.0 * Matern([0.3, 0.7, 1.5], nu=1.5),
    "with white noise": ConstantKernel(3.0) * Matern(0.4, nu=2.5)
    + WhiteKernel(0.1),
    "a sum with a constant": RBF(0.5) + ConstantKernel(2.0),
    "a sum of two": Matern(0.5, nu=0.5)
    + 0.3 * RationalQuadratic(0.5, alpha=2.0),
    "a product": RBF([0.4, 1.0, 2.0]) * Matern(1.0, nu=1.5),
}
WHOLE = {
    "another smoothness": Matern(0.5, nu=1.0),
    "not stationary": RBF(0.5) + DotProduct(),
}


def gaussian_process(kernel, **options):
    space = unit_cube(3)
    X = space.sample(40, seed=1)
    y = 50.0 + np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    gp = GaussianProcessRegressor(
        kernel, alpha=1e-3, normalize_y=True, optimizer=None
    ).fit(X, y)
    return hx.models.GaussianProcessSurrogate(space, gp, **options)


def composed(X, members, value):
    rows = X.copy()
    rows[:, members] = value
    return rows


def agrees(surrogate, X, members, values):
    mean, std = surrogate.predict_grid(X, np.array(members), values)
    for g, value in enumerate(values):
        m, s = surrogate.predict(composed(X, members, value))
        np.testing.assert_allclose(mean[:, g], m, rtol=1e-10)
        np.testing.assert_array_equal(
            surrogate.predict_mean(composed(X, members, value)), m
        )
        np.testing.assert_allclose(std[:, g], s, rtol=1e-7)


@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("members", [[1], [2, 0]])
def test_predictions_along_a_grid_are_those_of_the_composed_rows(
    name, members
):
    surrogate = gaussian_process(SPLIT[name])
    values = np.random.default_rng(0).random((5, len(members)))
    X = surrogate.space.sample(400, seed=2)
    before = X.copy()
    agrees(surrogate, X, members, values)
    np.testing.assert_array_equal(X, before)


def test_categories_integers_and_what_is_conditional():
    space = nested_space()
    X = space.sample(60, seed=1)
    y = np.where(np.isnan(X), 0.3, X) @ np.arange(1.0, len(space) + 1)
    surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, y)
    rows = space.sample(200, seed=2)
    parents = {
        parent for conditions in space.conditions for parent, _ in conditions
    }
    for j in set(range(len(space))) - parents:
        active = rows[~np.isnan(rows[:, j])]
        agrees(surrogate, active, [j], np.unique(active[:, j])[:4, None])


def test_a_model_that_does_not_split_by_hyperparameter_says_so():
    X, members, values = (
        unit_cube(3).sample(5, seed=2),
        np.array([0]),
        np.array([[0.5]]),
    )
    for kernel in WHOLE.values():
        assert (
            gaussian_process(kernel).predict_grid(X, members, values) is None
        )
    mixed = gaussian_process(RBF(0.5), columns=lambda X: X[:, ::-1])
    assert mixed.predict_grid(X, members, values) is None


@pytest.mark.parametrize("name", [*SPLIT, *WHOLE])
def test_the_standard_deviation_of_the_mean_is_that_of_the_whole_covariance(
    name,
):
    surrogate = gaussian_process({**SPLIT, **WHOLE}[name])
    X, members, values = (
        surrogate.space.sample(150, seed=2),
        [1],
        np.array([[0.0], [0.3], [1.0]]),
    )
    found = surrogate.std_of_mean(X, np.array(members), values)
    prior = (
        float(surrogate.gp.kernel_.diag(X).max())
        * float(surrogate.gp._y_train_std) ** 2
    )
    for std, value in zip(found, values, strict=True):
        covariance = surrogate.posterior_covariance(
            composed(X, members, value)
        )
        assert abs(std**2 - covariance.mean()) < 1e-9 * prior
