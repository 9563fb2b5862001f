"""The criteria's formulas in the far tails and without uncertainty."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from hpo_explain.models.acquisition.criteria import (
    expected_improvement,
    log_expected_improvement,
    probability_of_improvement,
)


def log_h(z):
    """log(φ(z) + z Φ(z)), by an integral whose value stays near 1 however far z lies below 0.

    φ(z) + z Φ(z) = ∫ u φ(u - z) du over u > 0; with u = v / |z| it is φ(z) / z² times
    ∫ v exp(-v - v² / 2z²) dv. Above 0, h(z) = z + h(-z).
    """
    if z >= 0:
        return math.log(z + (math.exp(log_h(-z)) if z > 0 else norm.pdf(0)))
    integral, _ = quad(lambda v: v * math.exp(-v - 0.5 * (v / z) ** 2), 0, 60, epsrel=1e-13)
    return norm.logpdf(z) - 2 * math.log(-z) + math.log(integral)


@pytest.mark.parametrize(
    "z",
    [30.0, 5.0, 1.0, 0.3, 0.0, -0.3, -0.999, -1.0, -1.001, -3.0, -10.0, -37.0, -40.0, -300.0]
    + [-9_999.0, -10_000.0, -10_001.0, -99_999.0, -999_999.0],
)
@pytest.mark.parametrize("s", [1e-8, 1.0, 1e5])
def test_log_ei_is_accurate_where_ei_underflows(z, s):
    value = log_expected_improvement(np.array([-z * s]), np.array([s]), 0.0)
    # quad itself is accurate to about 1e-12
    np.testing.assert_allclose(value, log_h(z) + math.log(s), rtol=1e-11, atol=1e-11)


def test_log_ei_falls_steadily_into_the_tail():
    z = -np.concatenate([np.linspace(-5, 50, 2001), np.geomspace(50.1, 9e5, 2001)])
    values = log_expected_improvement(-z, np.ones_like(z), 0.0)
    assert (np.diff(values) < 0).all()


@given(
    m=st.floats(-1e12, 1e12), s=st.just(0.0) | st.floats(5e-324, 1e12), best=st.floats(-1e12, 1e12)
)
def test_no_prediction_gives_a_warning_or_a_number_that_is_none(m, s, best):
    mean, std = np.array([m]), np.array([s])
    exploitation, exploration = expected_improvement(mean, std, best)
    log_ei = log_expected_improvement(mean, std, best)
    pi = probability_of_improvement(mean, std, best)
    assert np.isfinite([exploitation, exploration, log_ei, pi]).all()
    assert 0.0 <= pi[0] <= 1.0
    assert exploration[0] >= 0.0
    # the two terms cancel to within rounding
    assert (exploitation + exploration)[0] >= -1e-15 * max(s, abs(best - m))


def test_a_certain_prediction_improves_by_its_gain_or_not_at_all():
    m, s = np.array([1.0, 2.0, 2.0 + 1e-12, 7.0]), np.zeros(4)
    exploitation, exploration = expected_improvement(m, s, 2.0)
    assert exploitation.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert exploration.tolist() == [0.0] * 4
    assert probability_of_improvement(m, s, 2.0).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert log_expected_improvement(m, s, 2.0)[0] == 0.0  # log 1


def test_what_surely_does_not_improve_stands_below_what_hardly_may():
    m, s = np.array([2.0, 2.5, 3.0, 3.0]), np.array([0.0, 0.0, 0.0, 1e-4])
    surely_not, hardly = np.split(log_expected_improvement(m, s, 2.0), [3])
    assert (surely_not < hardly).all()  # z = -10,000
    assert np.isfinite(surely_not).all()
