"""The attainable effect: closed forms, draws, and a family that wins at its best."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods._engines.effect_kinds import attainable
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_best_over_the_others_is_found(sign):
    space = unit_cube(4)

    def cost(X):
        others = ((X[:, 1:] - [0.21, 0.87, 0.5]) ** 2).sum(axis=1)
        return sign * (X[:, 0] ** 2 + 5.0 * others * (1.0 + X[:, 0]))

    grid = np.linspace(0, 1, 5)
    surrogate = AnalyticSurrogate(space, cost, 0.1)
    found = attainable(surrogate, 0, grid, "minimize" if sign > 0.0 else "maximize")
    # of parts of the range
    np.testing.assert_allclose(found.mean, sign * grid**2, atol=0.1)
    assert np.isnan(found.std).all()
    np.testing.assert_array_equal(found.draws[:, 0], found.mean)
    for value, config in zip(grid, found.configurations, strict=True):
        assert config["x1"] == value
        assert config["x3"] == pytest.approx(0.87, abs=0.1)


def test_what_is_not_feasible_is_not_attained():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 1])

    def feasible(X):
        return np.where((X[:, 1] > 0.4) & (X[:, 0] < 0.6), 0.9, 0.1)

    grid = np.array([0.0, 0.5, 1.0])
    found = attainable(surrogate, 0, grid, "minimize", feasible=feasible)
    np.testing.assert_allclose(found.mean[:2], 0.4, atol=0.05)
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
    assert (found.mean <= lowest + 0.1).all()
    X = space.encode(list(found.configurations))
    assert space.is_valid(X).all()
    assert space.decode(X) == list(found.configurations)
    # between the middles of twelfths of a range
    np.testing.assert_allclose(surrogate.predict(X)[0], found.mean, atol=0.15)


def test_the_best_is_that_of_each_function():
    space = unit_cube(1)
    X = np.linspace(0, 1, 8)[:, None]
    belief = hx.Run(space, X, np.sin(6 * X[:, 0]), "minimize").belief()
    grid = belief.landscape.axes[0].centers[[1, 4, 9]]
    found = attainable(belief, 0, grid, "minimize")  # nothing else to choose
    assert (found.draws <= belief.at_best.draws(grid[:, None]).T + 1e-6).all()
    np.testing.assert_allclose(found.mean, belief.draws(grid[:, None]).mean(axis=0), atol=0.3)


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


def test_a_family_that_is_worse_on_average_wins_at_its_best():
    effect = hx.partial_dependence(two_families(), "family", sample=300)
    average = next(c for c in effect.claims if c.kind == "best" and not c.term)
    best = next(c for c in effect.claims if c.kind == "best" and c.term == "attainable")
    assert (average.values, average.certain) == ((("a",),), True)
    assert (best.values, best.certain) == ((("b",),), True)
    assert effect.attainable.mean == pytest.approx([0.5, 0.2], abs=0.08)
    assert effect.attainable.configurations[1]["b_rate"] == pytest.approx(0.7, abs=0.1)
    assert "With all others at their best the loss is best at family = b" in effect.sentence
    figure = effect.described()
    assert figure.means["main"] == "reachable, the others at their best"
    # the family that reaches more is green, the other one is not
    best = next(d for d in figure.dots if d.look == "best")
    assert figure.x.names[int(best.x[0])].startswith("b ")


@pytest.mark.thorough
def test_the_attainable_best_is_inside_its_interval_as_often_as_it_is_said():
    """Of x₁² + 4 (x₂ - x₁)² with noise, a(x₁) = x₁²: 95 % of the intervals hold it."""
    space, inside = unit_cube(2), []
    for seed in range(6):
        X = space.sample(40, seed=seed)
        cost = X[:, 0] ** 2 + 4.0 * (X[:, 1] - X[:, 0]) ** 2
        y = cost + 0.1 * np.random.default_rng(seed).standard_normal(40)
        effect = hx.partial_dependence(hx.Run(space, X, y, "minimize"), "x1", attainable=True)
        low, high = effect.reached.band()
        truth = effect.positions[0] ** 2
        inside += ((low - 0.01 <= truth) & (truth <= high + 0.01)).tolist()
    assert np.mean(inside) >= 0.92
