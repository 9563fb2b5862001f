"""A process conditioned on trials: scikit-learn's own fit makes the same."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel

from hpo_explain.models._as_sklearn import MixedMatern, regressor_of
from hpo_explain.models._gp_fit import FittedProcess
from hpo_explain.models._scaled_matern import ScaledMatern

SCALES = np.array([0.3, 0.7, 1.1, 0.5])


@pytest.mark.parametrize(
    "y", [np.sin(np.arange(40.0)), np.full(40, 3.0)], ids=["sine", "constant"]
)
def test_it_is_the_process_of_the_own_fit_of_scikit_learn(y):
    Z = np.random.default_rng(0).random((40, 4))
    process = FittedProcess.conditioned(
        ScaledMatern(1.3, SCALES, np.zeros(4)),
        0.01,
        Z,
        y,
        offset=0.0,
        scale=1.0,
    )
    found = regressor_of(process)
    kernel = ConstantKernel(1.3) * MixedMatern(np.zeros(4), SCALES)
    own = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None)
    own.fit(Z, y)
    for name, value in vars(own).items():
        if isinstance(value, np.ndarray | float | int):
            np.testing.assert_allclose(
                getattr(found, name), value, rtol=1e-9, err_msg=name
            )
    np.testing.assert_allclose(found.kernel_.theta, own.kernel_.theta)
    np.testing.assert_allclose(
        found.log_marginal_likelihood_value_,
        own.log_marginal_likelihood_value_,
        rtol=1e-13,
    )
    points = np.random.default_rng(1).random((7, 4))
    for got, expected in zip(
        found.predict(points, return_std=True),
        own.predict(points, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-9)
