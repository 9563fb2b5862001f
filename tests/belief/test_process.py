"""How well a scale predicts held-out trials, and what follows from it."""

import numpy as np
import pytest
from scipy.stats import lognorm, norm

from hpo_explain import FloatParameter, SearchSpace
from hpo_explain.belief.belief import Belief
from hpo_explain.belief.mixture import shared_out
from hpo_explain.belief.scales import (
    SCALES,
    Process,
    doubt,
    identity,
    logarithm,
    weights_by_skill,
    weights_by_stacking,
)
from hpo_explain.models.product_kernel import Pairs, Prior, posterior


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))
    return X, (2 * X[:, 0] - 1) ** 2 + 4 * (2 * X[:, 1] - 1) ** 2


def process_of(scale_of, trials):
    X, cost = trials
    scale = scale_of(cost)
    pairs = Pairs(X, scale.z, Prior(np.zeros(2, int), scale.additive), 0.5)
    return Process(scale, pairs, posterior(pairs, seed=0), (cost.min() - 1.0, cost.max() + 5.0))


def test_held_out_predictions_are_those_of_the_others_alone(trials):
    process = process_of(identity, trials)
    mean, variance = process.held_out
    kernel, i = process.kernels[0], 7
    lower = process.pairs.gram(kernel)[0]
    K = np.tril(lower) + np.tril(lower, -1).T
    others = np.arange(len(K)) != i
    solved = np.linalg.solve(K[np.ix_(others, others)], K[others, i])
    np.testing.assert_allclose(mean[0, i], solved @ process.scale.z[others], rtol=1e-4)
    np.testing.assert_allclose(variance[0, i], K[i, i] - solved @ K[others, i], rtol=1e-4)


def test_score_is_the_crps_of_a_normal_prediction(trials):
    """On the identity scale the prediction is normal, of which the CRPS has a closed form [Gneiting
    and Raftery 2007, Eq. 21].
    """
    process = process_of(identity, trials)
    cost = trials[1]
    mean, variance = process.held_out
    sd, unit = np.sqrt(variance), cost.std()
    z = (process.scale.z - mean) / sd
    crps = sd * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(process.score(cost), unit * crps.mean(), rtol=0.02)


def test_density_of_a_cost_on_the_logarithmic_scale_is_lognormal(trials):
    process = process_of(logarithm, trials)
    mean, variance = process.held_out
    cost = trials[1]
    zero = cost.min() - 0.5 * (np.median(cost) - cost.min())
    center, spread = np.log(cost - zero).mean(), np.log(cost - zero).std()
    expected = lognorm.pdf(
        cost - zero, s=spread * np.sqrt(variance), scale=np.exp(center + spread * mean)
    ).mean(axis=0)
    np.testing.assert_allclose(process.density, expected, rtol=0.02)


def test_a_smooth_function_is_believed_on_its_own_scale(trials):
    """Both other scales bend it."""
    processes = tuple(process_of(scale_of, trials) for scale_of in SCALES)
    weights = weights_by_skill(processes, trials[1])
    assert weights.argmax() == 2
    assert weights[2] > 0.8
    assert weights.sum() == pytest.approx(1.0)


def test_stacking_maximizes_the_log_density_with_a_trial_more_for_each(trials):
    processes = tuple(process_of(scale_of, trials) for scale_of in SCALES)
    among = np.arange(30) < 12
    weights = weights_by_stacking(processes, among)
    density = np.array([process.density[among] for process in processes])

    def value(w):
        return np.log(w @ density).sum() + np.log(w).sum()

    rng = np.random.default_rng(1)
    others = weights + 0.02 * rng.standard_normal((200, 3))
    others = np.maximum(others, 1e-3)
    others /= others.sum(axis=1, keepdims=True)
    assert all(value(weights) >= value(w) - 1e-6 for w in others)


def test_weights_are_shared_out_by_largest_remainders():
    assert shared_out(np.array([0.5, 0.5, 0.0]), 16) == [8, 8, 0]
    assert shared_out(np.array([1.0, 1.0, 1.0]), 16) == [6, 5, 5]
    assert sum(shared_out(np.random.default_rng(0).random(3), 16)) == 16


def test_share_of_a_smooth_function_is_known_after_few_trials_of_a_converged_run():
    """x0² + 4 x1² where a Gaussian process searches: its true share of x1 is 16/17."""
    rng = np.random.default_rng(3)
    space = SearchSpace([FloatParameter("x0", -1.0, 1.0), FloatParameter("x1", -1.0, 1.0)])
    X = np.concatenate([rng.random((10, 2)), 0.5 + 0.05 * rng.standard_normal((50, 2))]).clip(0, 1)
    cost = (2 * X[:, 0] - 1) ** 2 + 4 * (2 * X[:, 1] - 1) ** 2
    share = Belief(space, X, cost, "minimize").anova.mains[:, 1]
    assert np.mean(share) == pytest.approx(16 / 17, abs=0.1)
    assert np.quantile(share, 0.025) <= 16 / 17 <= np.quantile(share, 0.975)


def test_minima_are_looked_for_around_each_draws_own():
    """A bowl's minimum lies between the rows that stand for the space."""
    rng = np.random.default_rng(0)
    space = SearchSpace([FloatParameter(f"x{i}", 0.0, 1.0) for i in range(4)])
    X = rng.random((80, 4))
    belief = Belief(space, X, ((X - 0.43) ** 2).sum(axis=1), "minimize")
    land = belief.at_best.landscape
    assert (land.least_around <= land.least).all()
    assert (land.least_around < land.least).any()


def test_own_costs_are_those_of_each_draw_alone():
    rng = np.random.default_rng(0)
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    X = rng.random((20, 2))
    belief = Belief(space, X, X.sum(axis=1) ** 2, "minimize")
    rows = rng.random((192, 3, 2))
    own = belief.own_costs(rows)
    for draw in (0, 57, 191):
        np.testing.assert_allclose(own[draw], belief.costs(rows[draw])[draw], rtol=1e-5)


@pytest.mark.merge
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2, 3))]
)
def test_trials_that_are_noise_alone_are_doubted_and_others_are_not(seed):
    """With noise as large as the function 60 trials show it; without the function, nothing."""
    space = SearchSpace([FloatParameter(name, 0.0, 1.0) for name in "xyz"])
    X = space.sample(60, seed=seed)
    noise = np.random.default_rng(seed).standard_normal(60)
    nothing = Belief(space, X, noise, "minimize")
    assert 0.25 <= doubt(nothing.processes, nothing.whole.weights) <= 0.5
    flat = np.ptp(nothing.costs(X), axis=1) == 0.0
    assert flat.mean() >= 0.25
    np.testing.assert_array_equal(flat, nothing.whole.constant)
    assert (np.ptp(nothing.at_best.costs(X), axis=1) == 0.0).mean() >= 0.25
    moved = nothing.costs_at(X[:5], [0], np.array([[0.1], [0.9]]))
    np.testing.assert_array_equal(np.ptp(moved[:, flat], axis=(0, 2)), 0.0)
    assert nothing.anova.variance[flat].max() < 1e-290
    assert not nothing.anova.mains[flat].any()
    signal = 3.0 * X[:, 0]
    known = Belief(space, X, signal + noise * signal.std(), "minimize")
    assert doubt(known.processes, known.whole.weights) < 0.01
    assert not (np.ptp(known.costs(X), axis=1) == 0.0).any()


def test_noise_that_grows_with_the_cost_is_no_doubt():
    """Few trials are missed by far, which the logarithm of a density would not forgive."""
    rng = np.random.default_rng(0)
    space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    X = np.repeat(space.sample(30, seed=0), 3, axis=0)
    cost = ((X - 0.4) ** 2).sum(axis=1)
    noise = 0.05 * rng.standard_normal(90) * (1.0 + 5.0 * (cost > 0.2))
    belief = Belief(space, X, cost + noise, "minimize")
    assert doubt(belief.processes, belief.whole.weights) < 0.01


def test_where_all_trials_are_the_same_there_is_no_doubt():
    space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    same = Belief(space, space.sample(9, seed=0), np.ones(9), "minimize")
    assert doubt(same.processes, same.whole.weights) == 0.0
