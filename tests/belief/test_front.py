"""Draws of several objectives: by brute force, and where areas are known in closed form."""

import numpy as np
import pytest

from hpo_explain.belief import Dominated, Dominators, HypervolumeGain, OneFunction, as_draws
from hpo_explain.run import hypervolume, pareto_ranks
from tests.analytic import Known, unit_cube

SPACE = unit_cube(2)


def along(scale=1.0, n=2):
    """Draws of x, and of 1 - x + y, in any unit."""
    first = Known(SPACE, [lambda X: scale * X[:, 0]] * n)
    return [first, Known(SPACE, [lambda X: 1.0 - X[:, 0] + X[:, 1]] * n)]


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [None, 1.5])
def test_rows_that_dominate_are_those_by_definition(m, epsilon):
    rng = np.random.default_rng(m)
    rows, costs = (rng.integers(0, 6, (n, m)).astype(float) for n in (40, 30))
    least = None if epsilon is None else np.full(m, epsilon)
    expected = [
        sum((row <= own).all() and (row < own - (epsilon or 0.0)).any() for row in rows)
        for own in costs
    ]
    assert Dominators.of(rows).count(costs, least).tolist() == expected


def test_a_share_of_the_plane_dominates_in_closed_form():
    """Of (x, y) all (u, v) with u ≤ x and v ≤ y - x + u: a triangle that the plane cuts off."""
    X = np.random.default_rng(0).random((50, 2))
    x, y = X.T
    area = np.where(x >= y, y**2 / 2.0, x * y - x**2 / 2.0)
    found = Dominated(along()).costs(X)
    np.testing.assert_allclose(found, [area, area], atol=0.005)
    # nothing that counts depends on the unit of an objective
    np.testing.assert_array_equal(Dominated(along(scale=1024.0)).costs(X), found)


def test_what_matters_is_known_in_closed_form():
    x, y = np.meshgrid(*[(np.arange(400) + 0.5) / 400] * 2, indexing="ij")
    area = np.where(x >= y, y**2 / 2.0, x * y - x**2 / 2.0)
    expected = [area.mean(axis=k).var() / area.var() for k in (1, 0)]
    np.testing.assert_allclose(Dominated(along()).anova.mains[0], expected, atol=0.01)


def test_differences_that_do_not_count_are_none():
    """y changes the second objective by less than 1 % of what x does: nothing is dominated."""
    flat = Known(SPACE, [lambda X: X[:, 0], lambda X: X[:, 0]])
    nearly = Known(SPACE, [lambda X: -X[:, 0] + 0.004 * X[:, 1]] * 2)
    assert not Dominated([flat, nearly]).costs(SPACE.sample(50)).any()


def test_noise_of_an_evaluation_is_one_of_the_share():
    noisy = along()
    for one in noisy:
        one.noise_std = 0.05
    assert Dominated(along()).noise_std == 0.0
    assert 0.005 < Dominated(noisy).noise_std < 0.05


def test_a_single_function_of_one_objective_leaves_the_means():
    one = OneFunction(SPACE, lambda X: X[:, 0], "minimize")
    both = Dominated([one, along()[1]])
    assert not both.joint
    assert both.costs(SPACE.sample(5)).shape == (1, 5)
    assert as_draws(both, "minimize") is both


@pytest.mark.parametrize("m", [2, 3])
def test_the_gain_is_the_difference_of_two_hypervolumes(m):
    space = unit_cube(m)
    each = [Known(space, [lambda X, k=k: X[:, k] ** 2] * 40) for k in range(m)]
    X = 0.3 + 0.7 * space.sample(6, seed=1)
    costs = X**2
    origin, unit = np.zeros(m), np.linspace(1.0, 2.0, m)
    draws = Dominated(each)
    gain = HypervolumeGain(draws, X, draws.costs_of_each(X), origin, unit, 0.8)
    rows = space.sample(30, seed=2)
    edge = np.full(m, 0.8)

    def volume(points):
        return hypervolume((points - origin) / unit, edge)

    expected = [volume(np.vstack([costs, row**2])) - volume(costs) for row in rows]
    np.testing.assert_allclose(gain(rows), expected, atol=0.01)
    assert max(expected) > 0.05
    for row in rows:
        joins = pareto_ranks(np.vstack([costs, row**2]))[-1] == 1
        assert (gain.extends(row) == joins).all()
    best = rows[int(np.argmax(expected))]
    assert gain.believing(best)(best[None])[0] == 0.0
