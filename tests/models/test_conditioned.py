"""A process conditioned on trials: scikit-learn's own fit makes the same."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

from hpo_explain.models._gp_fit import FittedProcess, standardized
from hpo_explain.models._scaled_matern import ScaledMatern
from tests.models.as_sklearn import regressor_of

SCALES = np.array([0.3, 0.7, 1.1, 0.5])


@pytest.mark.parametrize("y", [np.sin(np.arange(40.0)), np.full(40, 3.0)], ids=["sine", "constant"])
def test_scikit_learns_regressor_of_it_predicts_what_it_does(y):
    Z = np.random.default_rng(0).random((40, 4))
    kernel = ScaledMatern(1.3, SCALES, np.zeros(4))
    standard, offset, scale = standardized(y)
    process = FittedProcess.conditioned(kernel, 0.01, Z, standard, offset=offset, scale=scale)
    found = regressor_of(process)
    assert type(found) is GaussianProcessRegressor
    np.testing.assert_allclose(found.L_, process.L_, rtol=1e-9, atol=1e-12)
    points = np.random.default_rng(1).random((7, 4))
    mean, std = found.predict(points, return_std=True)
    cross = kernel(points, Z)
    np.testing.assert_allclose(mean, offset + scale * cross @ process.alpha_)
    explained = np.einsum("ij,ji->i", cross, np.linalg.solve(process.L_ @ process.L_.T, cross.T))
    unit = y.std() or 1.0
    np.testing.assert_allclose(std, unit * np.sqrt(1.3 - explained))
