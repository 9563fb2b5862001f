"""The Gaussian process against scikit-learn, and in the user's units."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from skopt.learning import GaussianProcessRegressor as SkoptGaussianProcess
from skopt.learning.gaussian_process import kernels as skopt_kernels

from hpo_explain.models import GaussianProcessSurrogate, _gp_fit
from hpo_explain.models._gp_fit import KERNEL_TRIALS
from hpo_explain.models._likelihood import MarginalLikelihood
from tests.analytic import unit_cube
from tests.models.as_sklearn import regressor_of

RNG = np.random.default_rng(0)
SPACE = unit_cube(2)
X = SPACE.sample(40, seed=1)
Y = 50.0 + 8.0 * np.sin(5 * X[:, 0]) + 3.0 * X[:, 1] + RNG.normal(0, 0.4, 40)
NEW = SPACE.sample(100, seed=2)
FITTED = GaussianProcessSurrogate.fit(SPACE, X, Y)


def user_gp(*, noise, alpha=1e-10, normalize_y=True):
    kernel = ConstantKernel(2.0) * Matern([0.4, 0.9], nu=1.5) + RBF(0.3)
    kernel = kernel + WhiteKernel(noise) if noise else kernel
    gp = GaussianProcessRegressor(kernel, alpha=alpha, normalize_y=normalize_y, optimizer=None)
    return gp.fit(X, Y)


USER = {
    "white noise": (user_gp(noise=0.05), 0.05),
    "alpha": (user_gp(noise=0.0, alpha=0.02), 0.0),
    "alpha by trial": (user_gp(noise=0.03, alpha=np.linspace(0.01, 0.05, 40)), 0.03),
    "not normalized": (user_gp(noise=0.05, normalize_y=False), 0.05),
}


# ---------------------------------------------------------------------- predictions


@pytest.mark.parametrize(("gp", "white"), USER.values(), ids=USER)
def test_predictions_and_their_covariance_are_scikit_learns_without_the_noise(gp, white):
    surrogate, scale = (GaussianProcessSurrogate(SPACE, gp), np.ravel(gp._y_train_std).item())
    mean, std = surrogate.predict(NEW)
    their_mean, their_std = gp.predict(NEW, return_std=True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-9)
    np.testing.assert_allclose(std**2, their_std**2 - white * scale**2, rtol=1e-6)
    covariance = surrogate.posterior_covariance(NEW)
    theirs = gp.predict(NEW, return_cov=True)[1] - white * scale**2 * np.eye(len(NEW))
    np.testing.assert_allclose(covariance, theirs, atol=1e-9 * scale**2)
    np.testing.assert_allclose(np.diag(covariance), std**2, atol=1e-9 * scale**2)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9 * scale**2
    # the noise is the white noise and alpha, in the objective's units
    assert surrogate.noise_std == pytest.approx(
        scale * np.sqrt(white + np.mean(gp.alpha)), rel=1e-6
    )


def test_the_noise_of_a_skopt_process_is_found_although_skopt_takes_it_out_of_the_kernel():
    kernel = skopt_kernels.ConstantKernel(1.0) * skopt_kernels.Matern([0.4, 0.9], nu=2.5)
    gp = SkoptGaussianProcess(kernel, noise="gaussian", normalize_y=True).fit(X, Y)
    surrogate = GaussianProcessSurrogate(SPACE, gp)
    expected = gp._y_train_std * np.sqrt(gp.noise_ + gp.alpha)
    assert surrogate.noise_std == pytest.approx(expected, rel=1e-6)
    mean, std = surrogate.predict(NEW)
    # skopt leaves the noise out
    their_mean, their_std = gp.predict(NEW, return_std=True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-9)
    np.testing.assert_allclose(std, their_std, rtol=1e-6)


def test_predictions_in_parts_are_those_of_the_whole(monkeypatch):
    mean, std = FITTED.predict(NEW)
    monkeypatch.setattr("hpo_explain.models.gaussian_process._PAIRS", 7 * len(X))
    in_parts = FITTED.predict(NEW)
    np.testing.assert_allclose(in_parts[0], mean, rtol=1e-12)
    np.testing.assert_allclose(in_parts[1], std, rtol=1e-9)


def test_a_process_of_the_negated_objective_predicts_the_objective():
    gp, _ = USER["white noise"]
    mirrored = GaussianProcessRegressor(
        gp.kernel_, alpha=gp.alpha, normalize_y=True, optimizer=None
    ).fit(X, -Y)
    ours = GaussianProcessSurrogate(SPACE, mirrored, negated=True)
    theirs = GaussianProcessSurrogate(SPACE, gp)
    for mine, other in zip(ours.predict(NEW), theirs.predict(NEW), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)


# ---------------------------------------------------------------------- fitting


def test_the_objectives_units_and_direction_only_rescale_the_predictions():
    mean, std = FITTED.predict(NEW)
    scaled = GaussianProcessSurrogate.fit(SPACE, X, 1000.0 * Y + 5.0)
    mirrored = GaussianProcessSurrogate.fit(SPACE, X, -Y)
    # the standardized objectives differ by rounding, which the optimizer's path may magnify
    np.testing.assert_allclose(scaled.predict(NEW)[0], 1000.0 * mean + 5.0, rtol=1e-6)
    np.testing.assert_allclose(scaled.predict(NEW)[1], 1000.0 * std, rtol=1e-3)
    np.testing.assert_allclose(mirrored.predict(NEW)[0], -mean, rtol=1e-6)
    np.testing.assert_allclose(mirrored.predict(NEW)[1], std, rtol=1e-3)
    assert scaled.noise_std == pytest.approx(1000.0 * FITTED.noise_std, rel=1e-3)


def test_the_same_seed_gives_the_same_fit_and_nothing_is_written_into_the_data():
    rows, y = X.copy(), Y.copy()
    rows.setflags(write=False)
    y.setflags(write=False)
    again = GaussianProcessSurrogate.fit(SPACE, rows, y, seed=0)
    np.testing.assert_array_equal(again.predict(NEW)[0], FITTED.predict(NEW)[0])
    np.testing.assert_array_equal(again.predict(NEW)[1], FITTED.predict(NEW)[1])
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(y, Y)


def test_a_fit_has_a_maximum_and_shares_the_search_for_it_with_fits_to_more_trials(monkeypatch):
    space = unit_cube(3)
    X = space.sample(26, seed=3)
    y = np.sin(5.0 * X[:, 0]) + X[:, 1] + np.random.default_rng(0).normal(0.0, 0.1, len(X))
    alone = [
        regressor_of(GaussianProcessSurrogate.fit(space, X[:n], y[:n]).gp) for n in (26, 21, 25, 20)
    ]
    _gp_fit._from_scratch.cache_clear()
    steps, maximize = [], MarginalLikelihood.maximize
    monkeypatch.setattr(
        MarginalLikelihood, "maximize", lambda *given, **s: steps.append(1) or maximize(*given, **s)
    )
    again = {
        n: regressor_of(GaussianProcessSurrogate.fit(space, X[:n], y[:n]).gp)
        for n in (20, 21, 25, 26)
    }
    for n, gp in zip((26, 21, 25, 20), alone, strict=True):
        np.testing.assert_array_equal(again[n].kernel_.theta, gp.kernel_.theta)
    assert len(steps) == 2 + 1 + 2 + 1  # from scratch of 20 and of 25, and on from there
    for n, gp in again.items():
        Z, target = X[:n], (y[:n] - y[:n].mean()) / y[:n].std()
        theta = np.append(gp.kernel_.theta, np.log(gp.alpha))
        gradient = MarginalLikelihood(np.zeros(3), Z, target, jitter=1e-10)(theta)[1]
        inside = np.abs(theta - np.clip(theta, -2.9, 0.6)) < 1e-9
        assert inside.any()
        assert np.abs(gradient[inside]).max() < 1e-2


def test_many_trials_share_the_kernel_of_some_but_all_count():
    n = KERNEL_TRIALS + 60
    rows = SPACE.sample(n, seed=8)
    y = np.sin(5 * rows[:, 0]) * rows[:, 1]
    surrogate = GaussianProcessSurrogate.fit(SPACE, rows, y)
    assert len(surrogate.gp.X_train_) == n
    # noise-free: the process passes through every trial, drawn for the kernel or not
    np.testing.assert_allclose(surrogate.predict(rows)[0], y, atol=0.01)


@pytest.mark.parametrize(
    ("rows", "y"),
    [
        (X, np.full(40, 0.1)),
        (np.repeat(X[:1], 40, axis=0), Y),
        (np.repeat(X[:1], 40, axis=0), np.full(40, -3.0)),
        (np.vstack([X[:20], X[:20]]), np.concatenate([Y[:20], Y[:20]])),
        (X[:2], Y[:2]),
        (X, 1e-12 * Y),
        (X, 1e12 * Y),
    ],
    ids=["constant", "one row", "one row, constant", "twice", "two trials", "tiny", "huge"],
)
def test_degenerate_trials_give_finite_predictions(rows, y):
    surrogate = GaussianProcessSurrogate.fit(SPACE, rows, y)
    mean, std = surrogate.predict(NEW)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std >= 0).all()
    # a process with a constant mean does not predict far beyond what it saw
    spread = np.ptp(y)
    assert (mean >= y.min() - spread - 1e-9 * np.abs(y).max()).all()
    assert (mean <= y.max() + spread + 1e-9 * np.abs(y).max()).all()
