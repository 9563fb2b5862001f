"""What is equal but for rounding is equal to a search, in whatever unit and order it was summed."""

import numpy as np
import pytest

from hpo_explain.space import Ties, lowest, ranked, size_of

UNITS = {"as it is": (1.0, 0.0), "small": (1e-6, 0.0), "moved": (1.0, 1e6), "both": (1e6, 3e6)}


@pytest.mark.parametrize(("scale", "shift"), UNITS.values(), ids=UNITS)
def test_means_of_the_same_leaves_are_equal_in_any_order_and_unit(scale, shift):
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(5, 64))
    leaves = scale * plain + shift
    costs = np.array([rng.permutation(row).mean() for _ in range(200) for row in leaves])
    ties = Ties.among(costs)
    settled = ties.settled(costs)
    assert len(np.unique(settled)) == 5 < len(np.unique(costs))
    np.testing.assert_array_equal(settled.reshape(200, 5), settled[:5][None, :].repeat(200, 0))
    means = plain.mean(axis=1)
    np.testing.assert_allclose(settled[:5] * ties.step / scale, means - means.min(), atol=1e-7)
    np.testing.assert_array_equal(ranked(costs)[::200] % 5, np.argsort(means))
    assert lowest(costs) == np.argmin(means)


def test_what_differs_by_more_than_rounding_stays_apart():
    costs = 1e6 + np.linspace(0.0, 1.0, 1000)
    assert len(np.unique(Ties.among(costs).settled(costs))) == 1000


def test_what_is_infeasible_or_far_worse_does_not_hide_differences():
    costs = np.array([np.inf, 3e-7, 2e-7, 1.0, 1e6, np.inf, 1e-7])
    assert ranked(costs).tolist() == [6, 2, 1, 3, 4, 0, 5]


@pytest.mark.parametrize("costs", [[np.inf, np.inf], [0.0, 0.0], [7.0], []], ids=str)
def test_without_a_spread_the_first_is_the_lowest(costs):
    np.testing.assert_array_equal(ranked(np.array(costs)), np.arange(len(costs)))


def test_extremes_of_floating_point_neither_overflow_nor_vanish():
    for size in (2.0**1023, 5e-324):
        assert ranked(np.array([size, 0.0, -size])).tolist() == [2, 1, 0]


@pytest.mark.parametrize("far", [1e6, 1e14, 1e16, 1e100, 1e307])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_value_decides_no_order(far, sign):
    costs = np.array([1.0, 0.5, 0.0, sign * far])
    others = [2, 1, 0]
    assert ranked(costs).tolist() == ([*others, 3] if sign > 0 else [3, *others])
    assert lowest(costs) == ranked(costs)[0]
    for n in (5, 40):
        rng = np.random.default_rng(n)
        plain = rng.permutation(np.linspace(-1.0, 1.0, n))
        found = ranked(np.append(plain, sign * far)).tolist()
        found.remove(n)
        assert found == np.argsort(plain).tolist()


@pytest.mark.parametrize("rounding", [1e-16, 2.0**-52, 3e-17])
@pytest.mark.parametrize("others", [[1.0], [0.0, 1.0], [0.0, 0.0, 5.0], [0.5, 1.0, 2.0]], ids=str)
def test_what_rounding_leaves_beside_zero_is_no_signal(rounding, others):
    assert lowest(np.array([rounding, 0.0, *others])) == 0
    assert lowest(np.array([0.0, -rounding, *others])) == 0
    assert ranked(np.array([rounding, 0.0, *others])).tolist()[:2] == [0, 1]


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_the_size_of_costs_is_that_of_most(unit):
    assert size_of(unit * np.array([3.0, -2.0, 1.0, 1e9])) == 3.0 * unit
    assert size_of(unit * np.array([0.0, 0.0, 0.0, 0.0, 7.0])) == 7.0 * unit
    assert size_of(np.array([np.inf, 2.0 * unit])) == 2.0 * unit
    assert size_of(np.zeros(3)) == 0.0
