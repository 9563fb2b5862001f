"""The Matérn kernel of numbers and categories: scikit-learn's, and finite differences."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from hpo_explain.models._scaled_matern import ScaledMatern
from tests.models.as_sklearn import MixedMatern

RNG = np.random.default_rng(0)
X = RNG.random((30, 4))
Y = RNG.random((7, 4))
SCALES = np.array([0.05, 0.3, 1.1, 2.0])
NUMBERS = np.zeros(4)
# of 3 and of 5 categories
MIXED = np.array([0.0, (1 - 1 / 3) / 2, 0.0, (1 - 1 / 5) / 2])


def mixed(n, seed=0):
    """Rows of two numbers and two categories, some of which are inactive."""
    rng = np.random.default_rng(seed)
    categories = [rng.integers(-1, size, n).astype(float) for size in (3, 5)]
    return np.column_stack([rng.random(n), categories[0], rng.random(n), categories[1]])


def one_hot(Z):
    """The same in columns of numbers: categories one-hot over √2, inactive ones amid all."""
    parts = [Z[:, [0]], amid_of(Z[:, 1], 3), Z[:, [2]], amid_of(Z[:, 3], 5)]
    return np.hstack(parts), np.repeat(np.arange(4), [1, 3, 1, 5])


def amid_of(codes, size):
    block = (codes[:, None] == np.arange(size)).astype(float)
    block[codes < 0] = 1 / size
    return block / np.sqrt(2)


def test_of_numbers_it_is_scikit_learns_ard_matern():
    ours = MixedMatern(NUMBERS, SCALES)
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


def test_times_a_signal_it_is_scikit_learns_product():
    ours = ScaledMatern(1.7, SCALES, NUMBERS)
    theirs = ConstantKernel(1.7) * Matern(SCALES, nu=2.5)
    np.testing.assert_allclose(ours(X), theirs(X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours(Y, X), theirs(Y, X), rtol=1e-12)
    np.testing.assert_allclose(ours.diag(X), theirs.diag(X), rtol=0)
    np.testing.assert_allclose(ours.theta, theirs.theta)


def test_of_categories_it_is_that_of_one_hot_columns_that_share_a_length_scale():
    Z, T = mixed(30), mixed(9, seed=1)
    wide, of = one_hot(Z)
    theirs = Matern(SCALES[of], nu=2.5)
    ours = MixedMatern(MIXED, SCALES)
    np.testing.assert_allclose(ours(Z), theirs(wide), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours(Z, T), theirs(wide, one_hot(T)[0]), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("amid", "Z"), [(NUMBERS, X), (MIXED, mixed(30))], ids=["numbers", "categories"]
)
def test_the_gradient_is_that_of_finite_differences(amid, Z):
    kernel = MixedMatern(amid, SCALES)
    value, gradient = kernel(Z, eval_gradient=True)
    np.testing.assert_allclose(value, kernel(Z), rtol=1e-12, atol=1e-15)
    assert gradient.shape == (30, 30, 4)
    step = 1e-6
    for g in range(4):
        shift = np.where(np.arange(4) == g, step, 0.0)
        up = kernel.clone_with_theta(kernel.theta + shift)(Z)
        down = kernel.clone_with_theta(kernel.theta - shift)(Z)
        # central differences err by step² and by rounding of 1e-16 over step
        np.testing.assert_allclose(gradient[:, :, g], (up - down) / (2 * step), atol=1e-9)


def test_a_single_length_scale_survives_scikit_learns_number():
    kernel = MixedMatern(np.zeros(1), np.array([0.5]))
    shifted = kernel.clone_with_theta(np.log([0.25]))
    np.testing.assert_allclose(shifted(X[:, :1]), Matern(0.25, nu=2.5)(X[:, :1]), rtol=1e-12)
    assert repr(shifted) == "MixedMatern(length_scale=[0.25], nu=2.5)"
    assert len(shifted.theta) == 1
