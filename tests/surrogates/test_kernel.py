"""The grouped Matérn kernel against scikit-learn's and against finite differences."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Matern

from hpo_explain.surrogates._kernel import GroupedMatern

RNG = np.random.default_rng(0)
X = RNG.random((30, 4))
Y = RNG.random((7, 4))
SCALES = np.array([0.05, 0.3, 1.1, 2.0])
TIED = np.array([0, 1, 1, 2])


def test_with_every_column_on_its_own_it_is_scikit_learns_ard_matern():
    ours = GroupedMatern(np.arange(4), SCALES)
    theirs = Matern(SCALES, (0.05, 2.0), nu=2.5)
    np.testing.assert_allclose(ours(X), theirs(X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours(Y, X), theirs(Y, X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours.diag(X), np.ones(30), rtol=0)
    value, gradient = ours(X, eval_gradient=True)
    expected_value, expected_gradient = theirs(X, eval_gradient=True)
    np.testing.assert_allclose(value, expected_value, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(ours.theta, theirs.theta)
    np.testing.assert_allclose(ours.bounds, theirs.bounds)


def test_tied_columns_share_one_length_scale():
    ours = GroupedMatern(TIED, np.array([0.3, 0.7, 1.5]))
    theirs = Matern([0.3, 0.7, 0.7, 1.5], nu=2.5)
    np.testing.assert_allclose(ours(X, Y), theirs(X, Y), rtol=1e-12, atol=1e-15)
    assert len(ours.theta) == 3


@pytest.mark.parametrize(
    ("groups", "scales"),
    [(TIED, [0.3, 0.7, 1.5]), (np.zeros(4, dtype=int), [0.4]), (np.arange(4), SCALES)],
    ids=["tied", "one", "apart"],
)
def test_the_gradient_is_that_of_finite_differences(groups, scales):
    kernel = GroupedMatern(groups, np.array(scales))
    _, gradient = kernel(X, eval_gradient=True)
    assert gradient.shape == (30, 30, len(scales))
    step = 1e-6
    for g in range(len(scales)):
        shift = np.where(np.arange(len(scales)) == g, step, 0.0)
        up = kernel.clone_with_theta(kernel.theta + shift)(X)
        down = kernel.clone_with_theta(kernel.theta - shift)(X)
        # central differences err by step² and by rounding of 1e-16 over step
        np.testing.assert_allclose(gradient[:, :, g], (up - down) / (2 * step), atol=1e-9)


def test_a_single_length_scale_survives_scikit_learns_number():
    kernel = GroupedMatern(np.zeros(2, dtype=int), np.array([0.5]))
    shifted = kernel.clone_with_theta(np.log([0.25]))
    np.testing.assert_allclose(shifted(X[:, :2]), Matern(0.25, nu=2.5)(X[:, :2]), rtol=1e-12)
    assert repr(shifted) == "GroupedMatern(length_scale=[0.25], nu=2.5)"
    assert len(shifted.theta) == 1


def test_it_can_be_cloned_as_scikit_learn_clones():
    kernel = GroupedMatern(TIED, np.array([0.3, 0.7, 1.5]))
    copy = clone(kernel)
    assert copy is not kernel
    np.testing.assert_array_equal(copy(X), kernel(X))
