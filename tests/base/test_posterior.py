"""Draws of whole functions: closed forms, axioms, and whether probabilities come true."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.base.options import GAMES
from hpo_explain.base.posterior import PosteriorDraws
from tests.analytic import unit_cube


def run_of(f, n=40, d=3, noise=0.1, seed=0, direction="minimize"):
    X = unit_cube(d).sample(n, seed=seed)
    y = f(X) + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(unit_cube(d), X, y, direction)


@pytest.fixture(scope="module")
def run():
    return run_of(lambda X: 2.0 * X[:, 0] + X[:, 1] ** 2)


# ---------------------------------------------------------------------- the draws


def test_the_probability_of_two_normal_numbers_is_that_of_their_difference():
    mean, rng = np.array([1.0, 1.3, 0.2]), np.random.default_rng(0)
    root = rng.standard_normal((3, 3))
    K = root @ root.T / 4.0
    found = PosteriorDraws(tuple("abc"), rng.multivariate_normal(mean, K, 1000))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        std = np.sqrt(K[i, i] + K[j, j] - 2.0 * K[i, j])
        expected = norm.cdf((mean[i] - mean[j]) / std)
        assert found.probability("abc"[i], "abc"[j]) == pytest.approx(expected, abs=0.04)
    np.testing.assert_allclose(np.cov(found.values.T), K, atol=0.25 * np.abs(K).max())
    low, high = found.interval("a")
    assert low == pytest.approx(1.0 - 1.96 * np.sqrt(K[0, 0]), abs=0.2 * np.sqrt(K[0, 0]))
    assert high > low


def test_numbers_that_are_equal_come_first_equally_often():
    found = PosteriorDraws(("a", "b", "c"), np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    assert found.probability("a", "b") == 0.5
    assert found.probability("a", "c") == 0.75
    assert found.probability("a") == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_names_that_there_are_not_are_refused():
    found = PosteriorDraws(("lr", "depth"), np.zeros((2, 2)))
    with pytest.raises(hx.base.InputError, match="Did you mean 'depth'"):
        found.probability("lr", "depht")


# ---------------------------------------------------------------------- results


SECOND = run_of(lambda X: X[:, 0] - 2.0 * X[:, 1], noise=0.05)
OTHER = {"x1": 0.9, "x2": 0.9, "x3": 0.9}
RESULTS = {
    "importance": lambda run, **kind: hx.importance(run, **kind),
    "partial dependence": lambda run, kind: hx.partial_dependence(
        run, "x1", grid_size=5, sample=40, surrogate=kind
    ),
    "accumulated local effects": lambda run, kind: hx.partial_dependence(
        run, "x1", kind="accumulated", grid_size=5, surrogate=kind
    ),
    "changes": lambda run, **kind: hx.changes(run, OTHER, **kind),
    "local importance": lambda run, **kind: hx.methods.local_importance(run, **kind),
    "H-statistic": lambda run, **kind: hx.methods.h_statistic(run, **kind),
    "lime": lambda run, **kind: hx.methods.lime(run, sample=100, **kind),
    "prediction": lambda run, **kind: hx.explain_prediction(run, background=20, **kind),
    "proposal": lambda run, kind: hx.explain_proposal(
        run, 30, background=20, surrogate=run.surrogate(kind=kind)
    ),
    "interactions": lambda run, **kind: hx.methods.shapley_interactions(run, background=20, **kind),
    **{
        game: lambda run, kind, game=game: hx.methods.tunability(
            run, OTHER, kind=game, surrogate=kind
        )
        for game in GAMES
    },
    "marginal": lambda run, **kind: hx.importance(run, **kind).marginal("x1"),
    "pareto": lambda run, **kind: hx.pareto({"a": run, "b": SECOND}, **kind),
    "compare": lambda run, **kind: hx.compare({"a": run, "b": SECOND}, **kind),
}


@pytest.mark.parametrize("name", RESULTS)
def test_probabilities_of_each_result_add_up(run, name):
    result = RESULTS[name](run, kind="gp")
    names = result.posterior.names
    assert sum(result.probability(one) for one in names) == pytest.approx(1.0)
    assert result.probability(names[0], names[1]) + result.probability(
        names[1], names[0]
    ) == pytest.approx(1.0)
    assert result.posterior.to_frame().shape == (len(result.posterior), len(names))


def test_of_an_importance_they_are_the_shares_themselves(run):
    found = hx.importance(run, 2, kind="gp")
    assert found.posterior.names == tuple(found.importance.index)
    assert found.probability("x1", "x3") == 1.0
    assert found.probability("x1", "x2") > 0.95
    np.testing.assert_allclose(found.posterior.values.mean(axis=0), found.importance["importance"])


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_of_an_effect_the_better_value_comes_first(direction):
    run = run_of(lambda X: np.sin(6.0 * X[:, 0]), n=20, d=2, noise=0.4, direction=direction)
    found = hx.partial_dependence(run, "x1", surrogate="gp", grid_size=5, sample=40)
    sign = -1.0 if direction == "minimize" else 1.0
    for i, j in ((0, 1), (1, 2), (3, 4)):
        gap = sign * (found.draws[i] - found.draws[j])
        expected = norm.cdf(gap.mean() / gap.std())
        got = found.probability(found.grid[i], found.grid[j])
        assert got == pytest.approx(expected, abs=0.05)
    pair = hx.partial_dependence(run, ["x1", "x2"], surrogate="gp", grid_size=3, sample=20)
    assert len(pair.posterior.names) == 9
    assert (0.5, 1.0) in pair.posterior.names


def test_of_changes_they_are_the_contributions(run):
    found = hx.changes(run, {"x1": 0.9, "x2": 0.9, "x3": 0.9}, kind="gp")
    np.testing.assert_allclose(found.posterior.values.mean(axis=0), found.contributions)
    assert found.posterior.names == found.names
    assert found.probability("x1", "x3") > 0.99


def test_of_local_importance_they_have_its_std(run):
    found = hx.methods.local_importance(run, kind="gp")
    np.testing.assert_allclose(found.posterior.values.std(axis=0), found.std, atol=1e-9)


def covariance_at(run, rows):
    return run.surrogate(kind="gp").posterior_covariance(np.array(rows))


def test_of_accumulated_effects_a_step_has_the_covariance_of_its_rows():
    """Of a hyperparameter with two values: the mean difference over all rows (closed form)."""
    space = hx.SearchSpace([hx.IntParameter("k", 1, 2), hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(20, seed=0)
    y = X[:, 0] * X[:, 1] + 0.2 * np.random.default_rng(0).normal(size=20)
    run = hx.Run(space, X, y, "minimize")
    found = hx.partial_dependence(run, "k", kind="accumulated", surrogate="gp")
    low, high = (np.column_stack([np.full(20, at), X[:, 1]]) for at in (0.0, 1.0))
    difference = np.r_[np.full(20, -1 / 20), np.full(20, 1 / 20)]
    std = np.sqrt(difference @ covariance_at(run, np.vstack([low, high])) @ difference)
    step = found.posterior.values[:, 1] - found.posterior.values[:, 0]
    assert step.std() == pytest.approx(std, rel=0.1)
    assert step.mean() == pytest.approx(found.mean[1] - found.mean[0], abs=0.1 * std)
    chance = norm.cdf((found.mean[0] - found.mean[1]) / std)
    assert found.probability(2, 1) == pytest.approx(chance, abs=0.05)


@pytest.mark.parametrize("name", ["prediction", "proposal"])
def test_contributions_of_each_function_drawn_add_up_to_its_own_difference(run, name):
    """Efficiency, function by function: the sum is f(x) minus f's mean over the background."""
    rows = hx.methods.global_background(run.space, 20, seed=1)
    if name == "prediction":
        found = hx.explain_prediction(run, 30, kind="gp", background=rows)
    else:
        model = run.surrogate(kind="gp")
        found = hx.explain_proposal(run, 30, surrogate=model, background=rows)
    weights = np.r_[1.0, np.full(20, -1 / 20)]
    K = covariance_at(run, np.vstack([run.X[30], rows]))
    sums = found.posterior.values.sum(axis=1)
    assert sums.std() == pytest.approx(np.sqrt(weights @ K @ weights), rel=0.1)
    mean = weights @ run.surrogate(kind="gp").predict(np.vstack([run.X[30], rows]))[0]
    assert sums.mean() == pytest.approx(mean, abs=0.15 * sums.std())


def test_interactions_of_each_function_drawn_are_those_of_its_values():
    """Two hyperparameters, one baseline: a linear map of the function at four rows."""
    run = run_of(lambda X: X[:, 0] * X[:, 1], d=2, n=12, noise=0.3)
    found = hx.methods.shapley_interactions(run, kind="gp", background={"x1": 0.1, "x2": 0.2})
    x, b = run.space.encode(found.config)[0], np.array([0.1, 0.2])
    K = covariance_at(run, [b, [x[0], b[1]], [b[0], x[1]], x])
    W = np.array([[-1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [1.0, -1.0, -1.0, 1.0]])
    expected = W @ K @ W.T
    assert found.posterior.names == ("x1", "x2", "x1 × x2")
    got = np.cov(found.posterior.values.T)
    np.testing.assert_allclose(got, expected, atol=0.1 * expected.max())
    np.testing.assert_allclose(
        found.posterior.values.mean(axis=0), found.values, atol=0.1 * found.model_std.max()
    )


@pytest.mark.alike
@pytest.mark.parametrize("game", ["tunability", "mistunability", "optimizer_bias"])
def test_gains_of_each_function_drawn_add_up_to_its_own_gain_of_all(run, game):
    """Efficiency, function by function."""
    found = hx.methods.tunability(run, OTHER, kind=game, surrogate="gp")
    sums = found.posterior.values.sum(axis=1)
    draws = found.coalition_draws
    np.testing.assert_allclose(sums, draws[:, -1] - draws[:, 0], atol=1e-9)


def test_effects_of_a_readable_model_have_their_std_and_are_certain_where_it_is_small(run):
    found = hx.methods.lime(run, kind="gp", sample=200)
    std = np.array([statement.model_std for statement in found.statements])
    np.testing.assert_allclose(found.posterior.values.std(axis=0), std, rtol=0.12)
    first, last = found.statements[0].text, found.statements[-1].text
    assert found.probability(first, last) > 0.99


def test_of_the_h_statistic_each_function_drawn_is_more_likely_to_have_the_pair_that_acts():
    run = run_of(lambda X: 3.0 * X[:, 0] * X[:, 1] + X[:, 2], n=40)
    found = hx.methods.h_statistic(run, kind="gp")
    assert found.probability("x1 × x2", "x1 × x3") > 0.95
    assert ((found.posterior.values >= 0.0) & (found.posterior.values <= 1.0)).all()


def test_marginals_of_each_function_drawn_have_the_same_mean_over_the_space(run):
    """Axiom: whatever is averaged last, the mean of a function is one number."""
    found = hx.importance(run, kind="gp")
    means = []
    for name in ("x1", "x2", "x3"):
        marginal = found.marginal(name)
        curves = CubicSpline(marginal.grid, marginal.posterior.values, axis=1)
        means.append(curves.integrate(0.0, 1.0))
    np.testing.assert_allclose(means[1], means[0], atol=1e-3 * np.std(run.objective))
    np.testing.assert_allclose(means[2], means[0], atol=1e-3 * np.std(run.objective))
    of_pair = found.marginal("x2", "x1").posterior
    assert len(of_pair.names) == of_pair.values.shape[1]
    low, high = (found.marginal("x2", "x1").grid[1][i] for i in (0, -1))
    middle = found.marginal("x2", "x1").grid[0][7]
    assert of_pair.probability((middle, low), (middle, high)) == 1.0  # of 2 x1


@pytest.mark.thorough
def test_shares_over_runs_scatter_by_what_differs_and_what_is_left_open():
    """Closed form: the variance of a mean of runs drawn anew, and of a function of each."""
    runs = {
        "a": run_of(lambda X: 2.0 * X[:, 0] + X[:, 1], noise=0.4, d=2),
        "b": run_of(lambda X: X[:, 0] + 2.0 * X[:, 1], noise=0.4, d=2, seed=1),
    }
    found = hx.compare(runs, kind="gp")
    shares = np.stack([one.shares[:, 0] for one in found.importances])
    expected = np.sqrt(shares.mean(axis=1).var() / 2 + shares.var(axis=1).mean() / 2)
    assert found.posterior.values[:, 0].std() == pytest.approx(expected, rel=0.1)
    turned = hx.compare(dict([*runs.items()][::-1]), kind="gp")
    np.testing.assert_allclose(turned.default.upper, found.default.upper[::-1], atol=1e-6)
    np.testing.assert_allclose(turned.posterior.values, found.posterior.values, atol=1e-6)


@pytest.mark.parametrize("name", RESULTS)
def test_a_forest_has_no_posterior(run, name):
    result = RESULTS[name](run, kind="forest")
    with pytest.raises(hx.base.NothingToExplain, match="has no draws from a posterior"):
        result.probability("x1", "x2")


def test_the_larger_contribution_comes_first_whatever_its_sign():
    found = PosteriorDraws(("a", "b"), np.array([[-3.0, 1.0], [2.0, -1.0]]), "farthest from 0")
    assert found.probability("a", "b") == 1.0
    assert PosteriorDraws(("a", "b"), found.values, "smallest").probability("a", "b") == 0.5


# ---------------------------------------------------------------------- real runs


@pytest.mark.thorough
def test_probabilities_of_what_matters_more_come_true_as_often_as_they_say():
    """Slopes drawn at random: among statements of 80 % and more, at least 70 % are right."""
    rng = np.random.default_rng(0)
    said, right = [], []
    for seed in range(40):
        a, b = rng.uniform(0.0, 2.0, 2)
        run = run_of(lambda X, a=a, b=b: a * X[:, 0] + b * X[:, 1], 25, 2, 0.6, seed)
        p = hx.importance(run, kind="gp").probability("x1", "x2")
        said.append(max(p, 1.0 - p))
        right.append((p > 0.5) == (a > b))
    said, right = np.array(said), np.array(right)
    assert (said > 0.8).sum() >= 10
    assert right[said > 0.8].mean() >= 0.7
    assert abs(said.mean() - right.mean()) < 0.15
