"""How certain a model is of a contribution: closed forms, brute force, draws of its posterior."""

import itertools
import math

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.uncertainty import functionals
from tests.analytic import AnalyticSurrogate
from tests.handmade import explained, tuning_run
from tests.methods.test_shapley import cube


def fitted(d=3, n=25, noise=0.1, seed=0, space=None):
    space = space or cube(d)
    X = space.sample(n, seed=seed)
    rng = np.random.default_rng(seed)
    y = 2.0 * X[:, 0] + np.sin(4.0 * X[:, -1]) + noise * rng.standard_normal(n)
    return hx.GaussianProcessSurrogate.fit(space, X, y, seed=seed)


def by_definition(surrogate, x, background):
    """Rows and Shapley weights (player, row), coalition by coalition (thesis, Definition 8)."""
    d, rows, weights = len(x), [], []
    for b in background:
        for size in range(d + 1):
            for coalition in itertools.combinations(range(d), size):
                z = b.copy()
                z[list(coalition)] = x[list(coalition)]
                w = np.empty(d)
                for j in range(d):
                    s = size - 1 if j in coalition else size
                    w[j] = math.factorial(s) * math.factorial(d - s - 1) / math.factorial(d)
                    w[j] *= 1.0 if j in coalition else -1.0
                rows.append(z)
                weights.append(w / len(background))
    return np.array(rows), np.array(weights).T


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_it_is_the_brute_force_over_the_posterior_covariance(direction):
    surrogate, background = fitted(), cube(3).sample(20, seed=5)
    x = np.array([0.1, 0.7, 0.4])
    acquisition = hx.LowerConfidenceBound(surrogate, direction=direction)
    found = explained(
        acquisition, dict(zip(surrogate.space.names, x, strict=True)), background=background
    )
    rows, weights = by_definition(surrogate, x, background)
    covariance = surrogate.posterior_covariance(rows)
    expected = [np.sqrt(w @ covariance @ w) for w in weights]
    np.testing.assert_allclose(found.objective.model_std, expected, rtol=1e-6)
    np.testing.assert_allclose(found.objective.phi, weights @ surrogate.predict(rows)[0], rtol=1e-9)
    np.testing.assert_allclose(found.model_std[:, [0, 2]], np.c_[expected, expected], rtol=1e-6)
    assert (found.model_std[:, 1] == 0.0).all()  # that the model is unsure is known
    half = 1.959964 * np.array(expected)
    interval = found.model_interval()["mean"]
    np.testing.assert_allclose(interval["upper"] - interval["lower"], 2.0 * half, rtol=1e-6)


def test_it_is_the_spread_of_the_contributions_to_posterior_draws():
    surrogate, background = fitted(2), cube(2).sample(12, seed=3)
    x = np.array([0.2, 0.9])
    found = explained(surrogate, {"t1": 0.2, "t2": 0.9}, background=background)
    rows, weights = by_definition(surrogate, x, background)
    mean = surrogate.predict(rows)[0]
    root = np.linalg.cholesky(surrogate.posterior_covariance(rows) + 1e-10 * np.eye(len(rows)))
    draws = mean + np.random.default_rng(0).standard_normal((20_000, len(rows))) @ root.T
    phi = draws @ weights.T
    np.testing.assert_allclose(found.objective.phi, phi.mean(axis=0), atol=0.005)
    np.testing.assert_allclose(found.objective.model_std, phi.std(axis=0), rtol=0.03)


def test_a_single_hyperparameter_against_one_configuration_in_closed_form():
    surrogate = fitted(1)
    found = explained(surrogate, {"t1": 0.3}, background={"t1": 0.9})
    (a, b), (_, c) = surrogate.posterior_covariance(np.array([[0.3], [0.9]]))
    assert found.objective.model_std == pytest.approx([np.sqrt(a + c - 2.0 * b)])


def test_rows_that_are_drawn_come_within_a_tenth_of_all_coalitions():
    space = cube(5)
    surrogate = fitted(space=space, n=40)
    acquisition = hx.LowerConfidenceBound(surrogate)
    config = dict.fromkeys(space.names, 0.25)
    drawn = hx.ShapleyExplainer(acquisition, background=200).explain(config).objective.model_std
    background = hx.global_background(space, 50, seed=7)
    rows, weights = by_definition(surrogate, np.full(5, 0.25), background)
    covariance = surrogate.posterior_covariance(rows)
    expected = np.sqrt(np.vecdot(weights @ covariance, weights))
    np.testing.assert_allclose(drawn, expected, rtol=0.1, atol=0.02 * expected.max())


def test_weights_of_drawn_rows_add_up_to_the_payout_and_integrate_additive_functions():
    space = cube(5)
    acquisition = hx.LowerConfidenceBound(AnalyticSurrogate(space, lambda X: X[:, 0]))
    x, background = np.full(5, 0.3), hx.global_background(space, 500)
    game = CoalitionGame.of(acquisition, x, estimator="auto", seed=0)
    rows, weights = functionals(game, background, seed=1)
    n = weights.shape[1]
    values = np.exp(rows.sum(axis=1)).reshape(n, -1)
    starts = rows.reshape(n, -1, 5)[:, 0]
    payout = np.exp(x.sum()) - np.exp(starts.sum(axis=1)).mean()
    assert (weights * values).sum() == pytest.approx(payout)
    linear = np.vecdot(weights, (rows @ np.arange(5.0)).reshape(n, -1)).sum(axis=1)
    np.testing.assert_allclose(linear, np.arange(5.0) * (x - starts.mean(axis=0)), atol=1e-12)
    assert len(np.unique(starts, axis=0)) == n


def test_inactive_hyperparameters_are_certain_to_do_nothing():
    run = tuning_run()
    absent = next(t for t in sorted(run.proposals) if "rate_drop" not in run.config(t))
    found = hx.explain_proposal(run, absent, acquisition="lcb", background=100)
    assert found.objective.model_std[3] == 0.0
    assert (found.objective.model_std[:3] > 0.0).all()


def test_a_forest_has_the_std_over_its_trees():
    run = tuning_run()
    forest = run.surrogate(kind="forest", n_trees=4)
    config = run.config(20)
    background = run.space.sample(3, seed=2, latent=True)
    found = explained(forest, config, background=background)
    one_by_one = []
    for t in range(4):
        tree = AnalyticSurrogate(run.space, lambda X, t=t: forest.predict_trees(X)[:, t])
        bound = hx.LowerConfidenceBound(tree)
        part = hx.ShapleyExplainer(bound, background=background).explain(config)
        one_by_one.append(part.phi[:, 0])
    np.testing.assert_allclose(found.objective.model_std, np.std(one_by_one, axis=0), atol=1e-9)


def test_a_model_that_does_not_know_claims_nothing_of_the_objective():
    found = explained(
        AnalyticSurrogate(cube(2), lambda X: X[:, 0]), {"t1": 0.0, "t2": 0.5}, background=100
    )
    assert found.objective is None
    assert found.model_std is None
    (claim,) = found.claims
    assert not claim.certain
    assert claim.because == (fact("uncertainty_unknown"),)


def test_expected_improvement_is_judged_by_what_it_says_of_the_objective():
    surrogate = fitted(2, n=30, noise=0.02)
    acquisition = hx.ExpectedImprovement(surrogate, best=0.0)
    found = hx.ShapleyExplainer(acquisition, background=300).explain({"t1": 0.05, "t2": 0.98})
    assert found.model_std is None  # its terms are not linear in the objective
    bound = hx.ShapleyExplainer(hx.LowerConfidenceBound(surrogate), background=300)
    same = bound.explain({"t1": 0.05, "t2": 0.98}).objective
    np.testing.assert_array_equal(found.objective.model_std, same.model_std)
    far = np.abs(found.objective.phi - same.phi)
    assert (far <= 4.0 * np.hypot(found.objective.standard_error, same.standard_error)).all()


def test_under_pure_noise_hardly_any_reason_promises_a_better_objective():
    certain, promised = 0, 0
    for seed in range(12):
        space, rng = cube(3), np.random.default_rng(seed)
        X = space.sample(30, seed=seed)
        run = hx.Run(space, X, rng.standard_normal(30), "minimize", proposals=[29])
        for claim in hx.explain_proposal(run, 29, acquisition="lcb", background=60).claims:
            if claim.term == "mean":
                promised, certain = promised + 1, certain + claim.certain
    assert certain <= 1 <= promised
