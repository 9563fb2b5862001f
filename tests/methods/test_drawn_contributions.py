"""Contributions to functions that the objective may be: brute force, draws, pure noise."""

import itertools
import math

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.claim import UNKNOWN
from hpo_explain.belief.draws import as_draws
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.uncertainty import functionals
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import explained, tuning_run
from tests.methods.test_shapley import cube


def fitted(d=3, n=25, noise=0.1, seed=0, space=None):
    space = space or cube(d)
    X = space.sample(n, seed=seed)
    rng = np.random.default_rng(seed)
    y = 2.0 * X[:, 0] + np.sin(4.0 * X[:, -1]) + noise * rng.standard_normal(n)
    return hx.models.GaussianProcessSurrogate.fit(space, X, y, seed=seed)


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
def test_they_are_the_brute_force_for_each_draw(direction):
    surrogate, background = fitted(), cube(3).sample(20, seed=5)
    x = np.array([0.1, 0.7, 0.4])
    belief = as_draws(surrogate, direction)
    found = hx.methods.PredictionExplainer(
        surrogate, direction=direction, background=background
    ).explain(dict(zip(surrogate.space.names, x, strict=True)))
    rows, weights = by_definition(surrogate, x, background)
    expected = belief.draws(rows) @ weights.T
    apart = expected - expected.mean(axis=0)
    np.testing.assert_allclose(found.draws - found.phi, apart, atol=1e-9)
    np.testing.assert_allclose(found.phi, weights @ surrogate.predict(rows)[0], rtol=1e-9)
    bound = hx.models.LowerConfidenceBound(surrogate, direction=direction)
    of_bound = explained(
        bound,
        dict(zip(surrogate.space.names, x, strict=True)),
        background=background,
        belief=belief,
    )
    np.testing.assert_allclose(of_bound.draws, expected, atol=1e-9)


@pytest.mark.thorough
def test_rows_that_are_drawn_come_within_a_tenth_of_all_coalitions():
    """By the root mean square over seeds, and without leaning to one side.

    Of one seed it is rarely true of all: each spread is off by 7 % or so, and with two seeds in
    three one of the 5 by more than 10 %.
    """
    space = cube(5)
    surrogate = fitted(space=space, n=40)
    x = np.full(5, 0.25)
    # so many rows that their own error is small beside that of the rows that are drawn
    background = hx.methods.global_background(space, 200, seed=99)
    rows, weights = by_definition(surrogate, x, background)
    errors = []
    for seed in range(10):
        explanation = hx.methods.PredictionExplainer(surrogate, background=200, seed=seed).explain(
            dict(zip(space.names, x, strict=True))
        )
        draws = as_draws(surrogate, "minimize", seed=seed).draws(rows)
        std = (draws @ weights.T).std(axis=0)
        # t with 9 degrees of freedom
        integration = explanation.half_width / 2.2621571628
        expected = np.hypot(std, integration)
        errors.append(explanation.model_std / expected - 1.0)
    assert np.sqrt(np.mean(np.square(errors))) < 0.1
    assert (np.abs(np.mean(errors, axis=0)) < 0.1).all()


def test_weights_of_drawn_rows_add_up_to_the_payout_and_integrate_additive_functions():
    space = cube(5)
    acquisition = hx.models.LowerConfidenceBound(AnalyticSurrogate(space, lambda X: X[:, 0]))
    x, background = np.full(5, 0.3), hx.methods.global_background(space, 500)
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


def test_inactive_hyperparameters_do_nothing_in_any_draw():
    run = tuning_run()
    absent = next(t for t in sorted(run.proposals) if "rate_drop" not in run.config(t))
    found = hx.explain_proposal(run, absent, acquisition="lcb", background=100)
    assert (found.draws[:, 3] == 0.0).all()
    assert (found.draws[:, :3].std(axis=0) > 0.0).all()


@pytest.mark.parametrize("kind", ["forest", "analytic"])
def test_a_model_that_has_no_draws_is_certain_of_nothing(kind):
    run = tuning_run()
    model = AnalyticSurrogate(run.space, lambda X: X[:, 0])
    model = run.surrogate(kind="forest", n_trees=4) if kind == "forest" else model
    found = hx.methods.PredictionExplainer(model, background=20).explain(run.config(20))
    np.testing.assert_array_equal(found.draws, found.phi[None])
    assert {claim.certain for claim in found.claims} == {False}
    assert found.claims[0].because == (UNKNOWN,)


def test_a_path_does_not_ask_what_is_true_of_the_objective():
    run = tuning_run(12, initial=10)
    path = hx.methods.desirability_path(run, background=20, progress=False)
    assert {len(e.draws) for e in path.explanations} == {1}
    assert hx.explain_proposal(run, 11, background=20).draws.shape == (192, 4)


@pytest.mark.thorough
def test_under_pure_noise_hardly_any_reason_promises_a_better_objective():
    certain, promised = 0, 0
    for seed in range(12):
        space, rng = cube(3), np.random.default_rng(seed)
        X = space.sample(30, seed=seed)
        run = hx.Run(space, X, rng.standard_normal(30), "minimize", proposals=[29])
        for claim in hx.explain_proposal(run, 29, acquisition="lcb", background=60).claims:
            if claim.term == "objective":
                promised, certain = promised + 1, certain + claim.certain
    assert certain <= 1 <= promised


@pytest.mark.thorough
def test_of_noise_alone_no_contribution_is_certain():
    """To constant draws nothing contributes: not even what the mean of all is moved by."""
    space = unit_cube(4)
    for seed in range(3):
        X = space.sample(60, seed=seed)
        y = np.random.default_rng(seed).standard_normal(60)
        run = hx.Run(space, X, y, "minimize")
        flat = np.ptp(run.belief().costs(X), axis=1) == 0.0
        found = hx.explain_prediction(run, int(y.argmin()))
        assert flat.any()
        assert not found.draws[flat].any()
        assert not any(claim.certain for claim in found.claims)
