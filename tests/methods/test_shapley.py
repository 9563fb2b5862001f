"""Shapley values of an acquisition: closed forms, brute force, axioms, KernelExplainer's habits."""

import itertools
import math

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from tests.analytic import AnalyticSurrogate, space_of


def cube(d):
    return hx.SearchSpace([hx.FloatParameter(f"t{j + 1}", 0.0, 1.0) for j in range(d)])


def brute_force(acquisition, x, background):
    """Return Shapley values by their definition, coalition by coalition (thesis, Definition 8)."""
    space = acquisition.space
    players = np.flatnonzero(~np.isnan(x))

    def value(coalition):
        rows = background.copy()
        for j in coalition:
            rows[:, j] = x[j]
        return np.array([t.mean() for t in acquisition.terms(space.project(rows)).values()])

    phi = np.zeros((len(space), len(acquisition.term_names)))
    n = len(players)
    for j in players:
        others = [k for k in players if k != j]
        for size in range(n):
            weight = math.factorial(size) * math.factorial(n - size - 1) / math.factorial(n)
            for coalition in itertools.combinations(others, size):
                phi[j] += weight * (value((*coalition, j)) - value(coalition))
    return phi


ORIGIN = {"t1": 0.0, "t2": 0.0, "t3": 0.0}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_table_2_of_the_thesis_lies_within_the_interval(direction):
    space = cube(3)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] + X[:, 1] * X[:, 2])
    acquisition = hx.models.LowerConfidenceBound(surrogate, direction=direction)
    explanation = hx.methods.ShapleyExplainer(acquisition, background=2000).explain(ORIGIN)
    # the utility grows with a smaller objective, so the thesis's values turn their sign
    sign = 1.0 if direction == "minimize" else -1.0
    truth = sign * np.array([0.5, 0.125, 0.125])
    interval = explanation.interval(0.999)["total"]
    assert (interval["lower"] <= truth).all()
    assert (truth <= interval["upper"]).all()
    assert (interval["upper"] - interval["lower"]).max() < 0.02


@pytest.mark.thorough
def test_the_interval_covers_the_truth_as_often_as_it_says():
    """95 % intervals over 300 repetitions: between 91 % and 98 % contain the closed form.

    300 Bernoulli draws at 95 % lie in this range with probability 0.99.
    """
    space = cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] * X[:, 1])
    acquisition = hx.models.LowerConfidenceBound(surrogate)
    covered = []
    for seed in range(300):
        explanation = hx.methods.ShapleyExplainer(acquisition, background=100, seed=seed).explain(
            {"t1": 0.0, "t2": 0.0}
        )
        lower, upper = explanation.interval()["total"].to_numpy().T
        covered.append((lower <= 0.125) & (0.125 <= upper))  # E[xy] = 1/4, split in two
    assert 0.91 <= np.mean(covered, axis=0)[0] <= 0.98
    assert 0.91 <= np.mean(covered, axis=0)[1] <= 0.98


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_axioms_hold_for_every_term(direction):
    space = cube(4)
    surrogate = AnalyticSurrogate(
        space,
        lambda X: 1e3 + X[:, 0] * X[:, 1] + X[:, 2] ** 2,  # t1 and t2 alike, t4 a dummy
        lambda X: 0.1 * (1.0 + X[:, 0] + X[:, 1]) * (1.0 + X[:, 2]),
    )
    acquisition = hx.models.ExpectedImprovement(surrogate, best=1000.3, direction=direction)
    background = hx.methods.global_background(space, 60)
    # symmetric in t1 and t2
    background[30:] = background[:30][:, [1, 0, 2, 3]]
    config = {"t1": 0.3, "t2": 0.3, "t3": 0.1, "t4": 0.7}
    explanation = hx.methods.ShapleyExplainer(acquisition, background=background).explain(config)
    for t, term in enumerate(explanation.terms):
        payout = explanation.payout[term]
        assert explanation.phi[:, t].sum() == pytest.approx(payout, rel=1e-9)  # efficiency
        assert explanation.phi[0, t] == pytest.approx(explanation.phi[1, t], rel=1e-9)  # symmetry
        assert abs(explanation.phi[3, t]) <= 1e-9 * abs(payout)  # dummy
    # linearity
    np.testing.assert_allclose(explanation.phi.sum(axis=1), explanation.total)
    assert explanation.payout["total"] == pytest.approx(
        sum(explanation.payout[term] for term in explanation.terms)
    )


def test_tiny_contributions_are_not_rounded_away():
    space = cube(3)
    surrogate = AnalyticSurrogate(space, lambda X: 1e-13 * X[:, 0] + X[:, 1] + 2e-13 * X[:, 2])
    explanation = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(surrogate), background=np.ones((1, 3))
    ).explain({"t1": 0.0, "t2": 0.5, "t3": 0.0})
    np.testing.assert_allclose(explanation.total, [1e-13, 0.5, 2e-13], rtol=1e-2)


def nested_space():
    return space_of(
        booster=["linear", "tree", "dart"],
        depth=range(1, 4),
        drop=(0.0, 1.0),
        n_layers=range(1, 4),
        units_1=(0.0, 1.0),
        inner=(0.0, 1.0),
        when={
            "depth": {"booster": ["tree", "dart"]},
            "drop": {"booster": ["dart"]},
            "units_1": {"n_layers": [2, 3]},
            "inner": {"depth": [2, 3], "n_layers": [3]},
        },
    )


def conditional_mean(X):
    filled = np.where(np.isnan(X), 0.37, X)
    return (
        filled[:, 0]
        + filled[:, 1] * filled[:, 3]
        - 2.0 * filled[:, 2] * filled[:, 0]
        + filled[:, 4] ** 2
        + filled[:, 5] * filled[:, 4]
    )


@pytest.mark.parametrize(
    "config",
    [
        {"booster": "linear", "n_layers": 1},
        {"booster": "dart", "depth": 1, "drop": 0.2, "n_layers": 3, "units_1": 0.9},
        {"booster": "tree", "depth": 3, "n_layers": 3, "units_1": 0.1, "inner": 0.8},
    ],
)
def test_conditional_spaces_equal_brute_force_over_latent_rows(config):
    space = nested_space()
    surrogate = AnalyticSurrogate(
        space, conditional_mean, lambda X: 0.2 + np.isnan(X).sum(axis=1).astype(float)
    )
    acquisition = hx.models.LowerConfidenceBound(surrogate)
    background = hx.methods.global_background(space, 70, seed=3)
    explanation = hx.methods.ShapleyExplainer(acquisition, background=background).explain(config)
    x = space.encode(config)[0]
    np.testing.assert_allclose(
        explanation.phi, brute_force(acquisition, x, background), rtol=1e-9, atol=1e-12
    )
    assert (explanation.phi[np.isnan(x)] == 0.0).all()
    assert max(abs(gap) for gap in explanation.efficiency_gap.values()) < 1e-9


def test_an_optional_hyperparameter_left_out_plays_with_its_absence():
    space = hx.SearchSpace(
        [hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("maybe", 0.0, 1.0, optional=0.5)]
    )
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] + np.isnan(X[:, 1]))
    background = np.array([[0.5, 0.3], [0.5, np.nan]])
    explanation = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(surrogate), background=background
    ).explain({"x": 0.0})
    # absent here, absent in half of the background: it costs 1 - 1/2
    np.testing.assert_allclose(explanation.total, [0.5, -0.5], atol=1e-12)


def test_beyond_eleven_hyperparameters_coalitions_are_sampled_and_the_sum_still_holds():
    space = cube(13)
    surrogate = AnalyticSurrogate(space, lambda X: X @ np.arange(13.0) + X[:, 0] * X[:, 12])
    background = hx.methods.global_background(space, 40)
    config = dict.fromkeys(space.names, 0.25)
    explanation = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(surrogate), background=background
    ).explain(config)
    how = "KernelExplainer, sampled coalitions of 13 hyperparameters"
    assert explanation.estimator == fact(how, sampled=True)
    assert explanation.total.sum() == pytest.approx(explanation.payout["total"], rel=1e-9)
    # the product's two Shapley values by hand: mean of the other's value over both orders
    a, b = background[:, 0], background[:, 12]
    product = 0.25 * b.mean() - (a * b).mean() + 0.25**2 - 0.25 * a.mean()
    linear = np.arange(13.0) * (background.mean(axis=0) - 0.25)
    linear[0] -= product / 2
    product_12 = 0.25 * a.mean() - (a * b).mean() + 0.25**2 - 0.25 * b.mean()
    linear[12] -= product_12 / 2
    np.testing.assert_allclose(explanation.total, linear, atol=0.02)


@pytest.mark.merge
def test_same_seed_same_result_and_the_global_random_state_is_left_alone():
    space = cube(12)
    surrogate = AnalyticSurrogate(space, lambda X: np.prod(1.0 + X, axis=1))
    acquisition = hx.models.LowerConfidenceBound(surrogate)
    config = dict.fromkeys(space.names, 0.5)
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    first = hx.methods.ShapleyExplainer(acquisition, background=20, seed=0).explain(config)
    assert np.random.random() == expected  # noqa: NPY002
    second = hx.methods.ShapleyExplainer(acquisition, background=20, seed=0).explain(config)
    other = hx.methods.ShapleyExplainer(acquisition, background=20, seed=1).explain(config)
    np.testing.assert_array_equal(first.phi, second.phi)
    assert (first.phi != other.phi).any()


def test_claims_are_the_main_contributions_with_their_intervals_and_terms():
    space = cube(4)
    surrogate = AnalyticSurrogate(
        space, lambda X: X @ np.array([8.0, 1.0, 0.5, -4.0]), lambda X: 0.1 + X[:, 1]
    )
    config = {"t1": 0.0, "t2": 1.0, "t3": 0.4, "t4": 0.0}
    found = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(surrogate), background=400
    ).explain(config)
    first, against = found.claims
    assert (first.kind, first.hyperparameters, first.values) == ("contribution", ("t1",), (0.0,))
    assert first.estimate == found.total[0]
    assert first.interval == pytest.approx(tuple(found.interval()["total"].loc["t1"]))
    assert first.term == "mean"
    assert (against.hyperparameters, against.estimate < 0.0 < first.estimate) == (("t4",), True)
    unsure = hx.models.LowerConfidenceBound(
        AnalyticSurrogate(space, lambda X: 0.0 * X[:, 0], lambda X: X[:, 1])
    )
    (reason,) = hx.methods.ShapleyExplainer(unsure, background=400).explain(config).claims
    assert (reason.hyperparameters, reason.term) == (("t2",), "uncertainty")
    flat = hx.models.LowerConfidenceBound(AnalyticSurrogate(space, lambda X: 4.0 + 0.0 * X[:, 0]))
    (nothing,) = hx.methods.ShapleyExplainer(flat, background=40).explain(config).claims
    assert (nothing.side, nothing.hyperparameters) == ("below", space.names)


def large_conditional_space():
    return hx.SearchSpace(
        [
            *(hx.FloatParameter(f"x{j}", 1e-3, 1.0, log=j % 2 == 0) for j in range(8)),
            hx.CategoricalParameter("booster", ["linear", "tree", "dart"]),
            hx.IntParameter("depth", 1, 3, active_when={"booster": ["tree", "dart"]}),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"booster": ["dart"]}),
            hx.FloatParameter("inner", 0.0, 1.0, active_when={"depth": [2, 3]}),
            hx.CategoricalParameter("kernel", [None, True, 1]),
        ]
    )


@pytest.mark.parametrize("model", [hx.models.GaussianProcessSurrogate, hx.models.ForestSurrogate])
def test_sampled_coalitions_have_the_value_of_the_rows_they_compose(model):
    space = large_conditional_space()
    X = space.sample(60, seed=1)
    surrogate = model.fit(space, X, np.nansum(X * np.arange(1.0, 14.0), axis=1))
    config = {f"x{j}": 0.1 for j in range(8)}
    config.update(booster="dart", depth=3, drop=0.4, inner=0.2, kernel=True)
    acquisition = hx.models.LowerConfidenceBound(surrogate)
    ours, kernel = (
        hx.methods.ShapleyExplainer(
            acquisition,
            background=hx.methods.global_background(space, 20),
            estimator=estimator,
            seed=3,
        ).explain(config)
        for estimator in ("auto", "kernel")
    )
    assert ours.estimator["sampled"]  # the same coalitions, as the seed is the same
    np.testing.assert_allclose(ours.phi, kernel.phi, rtol=0, atol=1e-6 * np.abs(kernel.phi).max())


@pytest.mark.merge
@pytest.mark.parametrize(
    ("d", "estimator", "background", "calls"),
    [
        (9, "auto", "auto", False),
        (9, "auto", 50, False),
        (9, "kernel", "auto", True),
        (9, "kernel", 50, True),
        (12, "auto", "auto", False),
        (12, "auto", 50, True),
        (12, "kernel", 50, True),
    ],
)
def test_shaps_kernel_explainer_is_called_where_it_is_said(
    d, estimator, background, calls, monkeypatch
):
    import shap

    called = []
    explain = shap.KernelExplainer.__init__
    monkeypatch.setattr(
        shap.KernelExplainer,
        "__init__",
        lambda self, *some, **more: (called.append(d), explain(self, *some, **more))[1],
    )
    space = cube(d)
    model = AnalyticSurrogate(space, lambda X: X[:, 0] + X[:, 1] ** 2)
    options = {"background": background, "estimator": estimator}
    config = dict.fromkeys(space.names, 0.25)
    prediction = hx.methods.PredictionExplainer(model, **options)
    found = prediction.explain(config)
    assert bool(called) == calls
    assert str(found.estimator).startswith("KernelExplainer") == calls
    called.clear()
    bound = hx.models.LowerConfidenceBound(model)
    hx.methods.ShapleyExplainer(bound, **options).explain(config)
    assert bool(called) == calls
    # the mean of x1 is 1/2, that of the square of x2 is 1/3
    np.testing.assert_allclose(found.phi[0], -0.25, atol=0.02)
    np.testing.assert_allclose(found.phi[1], 1 / 16 - 1 / 3, atol=0.02)


def test_functions_ask_for_kernel_explainer():
    space = cube(2)
    X = space.sample(20, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize")
    found = hx.explain_prediction(
        run, 3, estimator="kernel", background=20, surrogate=run.surrogate()
    )
    assert str(found.estimator).startswith("KernelExplainer")
