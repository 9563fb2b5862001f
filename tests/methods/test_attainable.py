"""The attainable effect: closed forms, the joint posterior, and a family that wins at its best."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods._engines.attainable import attainable
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube


def rows_of(space, n=200):
    return space.sample(n, seed=0, latent=True)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_best_over_the_others_is_found(sign):
    space = unit_cube(4)

    def cost(X):
        others = ((X[:, 1:] - [0.21, 0.87, 0.5]) ** 2).sum(axis=1)
        return sign * (X[:, 0] ** 2 + 5.0 * others * (1.0 + X[:, 0]))

    grid = np.linspace(0, 1, 5)
    surrogate = AnalyticSurrogate(space, cost, 0.1)
    found = attainable(surrogate, 0, grid, rows_of(space), sign=sign)
    np.testing.assert_allclose(found.mean, sign * grid**2, atol=0.02)
    np.testing.assert_allclose(found.std, 0.1)
    assert found.covariance is None
    for value, config in zip(grid, found.configurations, strict=True):
        assert config["x1"] == value
        assert config["x3"] == pytest.approx(0.87, abs=0.1)


def test_what_is_not_feasible_is_not_attained():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 1])

    def feasible(X):
        return np.where((X[:, 1] > 0.4) & (X[:, 0] < 0.6), 0.9, 0.1)

    grid = np.array([0.0, 0.5, 1.0])
    found = attainable(surrogate, 0, grid, rows_of(space), sign=1.0, feasible=feasible)
    np.testing.assert_allclose(found.mean[:2], 0.4, atol=0.02)
    assert np.isnan(found.mean[2])
    assert found.configurations[2] == {}


@pytest.mark.parametrize("name", ["optimizer", "momentum", "n_layers", "units_1", "lr", "warmup"])
def test_every_kind_of_hyperparameter_stays_a_configuration(name):
    space = nested_space()
    surrogate = AnalyticSurrogate(space, lambda X: np.nan_to_num(X).sum(axis=1))
    explainer = PartialDependenceExplainer(surrogate, sample=80, grid_size=4, attainable=True)
    effect = explainer.explain(name)
    found = effect.attainable
    lowest = np.nanmin(effect.ice_mean, axis=0)
    assert (found.mean <= lowest + 1e-9).all()
    X = space.encode(list(found.configurations))
    assert space.is_valid(X).all()
    assert space.decode(X) == list(found.configurations)
    np.testing.assert_allclose(surrogate.predict(X)[0], found.mean)


def test_the_uncertainty_of_the_best_is_the_posteriors():
    space = unit_cube(1)
    X = np.linspace(0, 1, 8)[:, None]
    surrogate = hx.GaussianProcessSurrogate.fit(space, X, np.sin(6 * X[:, 0]))
    grid = np.array([0.1, 0.33, 0.9])
    found = attainable(surrogate, 0, grid, rows_of(space, 20), sign=1.0)  # nothing else to choose
    mean, std = surrogate.predict(grid[:, None])
    joint = surrogate.posterior_covariance(grid[:, None])
    np.testing.assert_allclose(found.mean, mean, atol=4 * std.max() / np.sqrt(2000))
    np.testing.assert_allclose(found.covariance, joint, atol=0.15 * joint.max())


def two_families(n=90, seed=0):
    """Family b is worse on average, and reaches the best objective."""
    space = space_of(
        family=["a", "b"],
        a_width=(0.0, 1.0),
        b_rate=(0.0, 1.0),
        when={"a_width": {"family": ["a"]}, "b_rate": {"family": ["b"]}},
    )
    X = space.sample(n, seed=seed)
    rest = np.nan_to_num(X)
    b = 0.2 + 5.0 * (rest[:, 2] - 0.7) ** 2  # 0.2 at best, 0.82 on average
    y = np.where(X[:, 0] == 0, 0.5 + 0.1 * rest[:, 1], b)
    noise = 0.02 * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, X, y + noise, "minimize", objective_name="loss")


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_a_family_that_is_worse_on_average_wins_at_its_best(kind):
    effect = hx.partial_dependence(two_families(), "family", kind=kind, sample=300)
    average = next(c for c in effect.claims if c.kind == "best_at" and not c.term)
    best = next(c for c in effect.claims if c.kind == "best_at" and c.term == "attainable")
    # the intervals of a forest cover too few of the trials that it has not seen
    certain = effect.trust.everywhere.enough
    assert certain or kind == "forest"
    assert (average.values, average.certain) == ((("a",),), certain)
    assert (best.values, best.certain) == ((("b",),), certain)
    assert effect.attainable.mean == pytest.approx([0.5, 0.2], abs=0.08)
    assert effect.attainable.configurations[1]["b_rate"] == pytest.approx(0.7, abs=0.1)
    assert "With all others at their best the loss is best at family = b" in effect.sentence
    assert "attainable: the others at their best" in effect.described().means.values()
