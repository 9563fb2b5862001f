"""What is equal but for rounding is equal to a search, in whatever unit and order it was summed."""

import numpy as np
import pytest

from hpo_explain.space import Ties

UNITS = {"as it is": (1.0, 0.0), "small": (1e-6, 0.0), "moved": (1.0, 1e6), "negated": (-1e6, 3e6)}


@pytest.mark.parametrize(("scale", "shift"), UNITS.values(), ids=UNITS)
def test_means_of_the_same_leaves_are_equal_in_any_order_and_unit(scale, shift):
    rng = np.random.default_rng(0)
    leaves = scale * rng.normal(size=(5, 64)) + shift
    costs = np.array([rng.permutation(row).mean() for _ in range(200) for row in leaves])
    settled = Ties.among(costs).settled(costs)
    assert len(np.unique(settled)) == 5 < len(np.unique(costs))
    np.testing.assert_array_equal(settled.reshape(200, 5), settled[:5][None, :].repeat(200, 0))
    np.testing.assert_allclose(settled - shift, costs - shift, atol=1e-6 * abs(scale))


def test_what_differs_by_more_than_rounding_stays_apart():
    costs = 1e6 + np.linspace(0.0, 1.0, 1000)
    assert len(np.unique(Ties.among(costs).settled(costs))) == 1000


@pytest.mark.parametrize("costs", [[np.inf, np.inf], [0.0, 0.0], [7.0], []], ids=str)
def test_without_a_spread_costs_are_as_they_are(costs):
    costs = np.array(costs)
    np.testing.assert_array_equal(Ties.among(costs).settled(costs), costs)


def test_extremes_of_floating_point_neither_overflow_nor_vanish():
    for size in (2.0**1023, 5e-324):
        costs = np.array([-size, 0.0, size])
        np.testing.assert_array_equal(Ties.among(costs).settled(costs), costs)
