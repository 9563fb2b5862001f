"""Criteria against their definitions as expectations, and in the far tails."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from hpo_explain import (
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    ProbabilityOfImprovement,
)
from hpo_explain.acquisition import (
    Acquisition,
    SurrogateBased,
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    probability_of_improvement,
)
from tests.analytic import AnalyticSurrogate, unit_cube

SPACE = unit_cube(2)
SURROGATE = AnalyticSurrogate(
    SPACE, mean=lambda X: 3.0 * X[:, 0] - X[:, 1], std=lambda X: 0.1 + X[:, 1] ** 2
)
X = SPACE.sample(60, seed=1)
M, S = SURROGATE.predict(X)
CRITERIA = [
    LowerConfidenceBound(SURROGATE, kappa=2.5),
    ExpectedImprovement(SURROGATE, best=0.4),
    ProbabilityOfImprovement(SURROGATE, best=0.4, xi=0.1),
    LogExpectedImprovement(SURROGATE, best=0.4),
]


def utility(acquisition, rows=X):
    return sum(acquisition.terms(rows).values())


# ---------------------------------------------------------------------- definitions


@pytest.mark.parametrize("xi", [0.0, 0.3])
def test_ei_is_the_expectation_of_the_improvement(xi):
    total = utility(ExpectedImprovement(SURROGATE, best=0.4, xi=xi))
    for m, s, value in zip(M, S, total, strict=True):
        threshold = 0.4 - xi
        low = m - 12 * s  # below lies less than 1e-30 of the distribution
        expected = 0.0
        if low < threshold:
            expected, _ = quad(
                lambda y, m=m, s=s, t=threshold: (t - y) * norm.pdf(y, m, s),
                low,
                min(threshold, m + 12 * s),
                epsabs=1e-13,
                epsrel=1e-11,
                points=[m] if low < m < threshold else None,
            )
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("xi", [0.0, 0.3])
def test_pi_is_the_probability_of_the_improvement(xi):
    value = utility(ProbabilityOfImprovement(SURROGATE, best=0.4, xi=xi))
    np.testing.assert_allclose(value, norm(M, S).cdf(0.4 - xi), rtol=1e-12, atol=0)


def test_the_terms_of_ei_are_exploitation_and_exploration():
    terms = ExpectedImprovement(SURROGATE, best=0.4, xi=0.1).terms(X)
    gain = 0.4 - 0.1 - M
    np.testing.assert_allclose(terms["exploitation"], gain * norm.cdf(gain / S), rtol=1e-12)
    np.testing.assert_allclose(terms["exploration"], S * norm.pdf(gain / S), rtol=1e-12)


def test_the_terms_of_the_bound_are_mean_and_uncertainty():
    terms = LowerConfidenceBound(SURROGATE, kappa=2.5).terms(X)
    assert terms["mean"].tolist() == (-M).tolist()
    assert terms["uncertainty"].tolist() == (2.5 * S).tolist()
    quantile = norm(M, S).ppf(norm.cdf(-2.5))  # the bound is a quantile of the prediction
    np.testing.assert_allclose(-utility(LowerConfidenceBound(SURROGATE, kappa=2.5)), quantile)


def test_log_ei_is_the_logarithm_of_ei_where_that_can_be_computed():
    ei = utility(ExpectedImprovement(SURROGATE, best=0.4, xi=0.1))
    log_ei = utility(LogExpectedImprovement(SURROGATE, best=0.4, xi=0.1))
    near = (0.3 - M) / S > -4  # further off the two terms of EI cancel
    assert near.sum() > 20
    np.testing.assert_allclose(log_ei[near], np.log(ei[near]), rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------- far tails


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
    m=st.floats(-1e12, 1e12),
    s=st.just(0.0) | st.floats(5e-324, 1e12),
    best=st.floats(-1e12, 1e12),
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


def test_criteria_approach_their_value_without_uncertainty():
    for m in (1.0, 3.0):
        certain = expected_improvement(np.array([m]), np.zeros(1), 2.0)
        nearly = expected_improvement(np.array([m]), np.array([1e-9]), 2.0)
        np.testing.assert_allclose(sum(nearly), sum(certain), atol=1e-9)


# ---------------------------------------------------------------------- axioms


@pytest.mark.parametrize(
    "make",
    [
        lambda s, sign, d: LowerConfidenceBound(s, kappa=1.3, direction=d),
        lambda s, sign, d: ExpectedImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
        lambda s, sign, d: ProbabilityOfImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
        lambda s, sign, d: LogExpectedImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
    ],
    ids=["lcb", "ei", "pi", "logei"],
)
def test_maximizing_mirrors_minimizing(make):
    negated = AnalyticSurrogate(SPACE, mean=lambda X: X[:, 1] - 3.0 * X[:, 0], std=SURROGATE.std)
    minimized = make(SURROGATE, 1.0, "minimize").terms(X)
    maximized = make(negated, -1.0, "maximize").terms(X)
    for name, values in minimized.items():
        np.testing.assert_array_equal(maximized[name], values)


@pytest.mark.parametrize("acquisition", CRITERIA, ids=lambda a: a.label)
def test_a_better_mean_or_with_ei_and_lcb_more_uncertainty_is_more_desirable(acquisition):
    surrogate = AnalyticSurrogate(SPACE, lambda X: SURROGATE.mean(X) - 0.01, SURROGATE.std)
    better = replace(acquisition, surrogate=surrogate)
    assert (utility(better) > utility(acquisition)).all()
    if isinstance(acquisition, ProbabilityOfImprovement):
        return
    surrogate = AnalyticSurrogate(SPACE, SURROGATE.mean, lambda X: SURROGATE.std(X) + 0.01)
    wider = replace(acquisition, surrogate=surrogate)
    assert (utility(wider) > utility(acquisition)).all()


@pytest.mark.parametrize("acquisition", CRITERIA, ids=lambda a: a.label)
def test_every_criterion_keeps_the_protocols(acquisition):
    assert isinstance(acquisition, Acquisition)
    assert isinstance(acquisition, SurrogateBased)
    assert acquisition.space is SPACE
    terms = acquisition.terms(X)
    assert tuple(terms) == acquisition.term_names
    assert {values.shape for values in terms.values()} == {(len(X),)}
    from_predictions = acquisition.terms_of(M, S)
    for name, values in terms.items():
        np.testing.assert_array_equal(from_predictions[name], values)


def test_criteria_do_not_write_into_predictions():
    m, s = M.copy(), np.where(np.arange(len(S)) % 2, S, 0.0)
    kept = m.copy(), s.copy()
    lower_confidence_bound(m, s, 2.0)
    expected_improvement(m, s, 0.4)
    probability_of_improvement(m, s, 0.4)
    log_expected_improvement(m, s, 0.4)
    np.testing.assert_array_equal((m, s), kept)


@pytest.mark.parametrize(
    ("acquisition", "label"),
    [
        (LowerConfidenceBound(SURROGATE), "LCB (κ = 1.96)"),
        (LowerConfidenceBound(SURROGATE, kappa=10, direction="maximize"), "UCB (κ = 10)"),
        (ExpectedImprovement(SURROGATE, best=0.0), "EI"),
        (ExpectedImprovement(SURROGATE, best=0.0, xi=0.01), "EI (ξ = 0.01)"),
        (ProbabilityOfImprovement(SURROGATE, best=0.0, xi=0.01), "PI (ξ = 0.01)"),
        (LogExpectedImprovement(SURROGATE, best=0.0), "log EI"),
    ],
)
def test_a_criterion_is_named_with_its_settings(acquisition, label):
    assert acquisition.label == label


def test_criteria_are_frozen():
    with pytest.raises(AttributeError):
        CRITERIA[0].kappa = 3.0


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LowerConfidenceBound(SURROGATE, kappa=-1), ["kappa", "at least 0", "-1"]),
        (lambda: LowerConfidenceBound(SURROGATE, kappa=math.nan), ["kappa", "nan"]),
        (lambda: LowerConfidenceBound(SURROGATE, kappa=math.inf), ["kappa", "finite", "inf"]),
        (
            lambda: LowerConfidenceBound(SURROGATE, direction="min"),
            ["direction", "'minimize', 'maximize'", "'min'"],
        ),
        (lambda: ExpectedImprovement(SURROGATE, best=math.nan), ["best", "finite", "nan"]),
        (lambda: ExpectedImprovement(SURROGATE, best=-math.inf), ["best", "finite", "-inf"]),
        (lambda: ExpectedImprovement(SURROGATE, best=0, xi=math.nan), ["xi", "finite", "nan"]),
        (
            lambda: ProbabilityOfImprovement(SURROGATE, best=0, direction=None),
            ["direction", "'minimize', 'maximize'", "None"],
        ),
        (lambda: LogExpectedImprovement(SURROGATE, best=math.inf), ["best", "finite", "inf"]),
    ],
)
def test_a_wrong_setting_is_refused_with_argument_and_value(make, words):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        make()
    for word in words:
        assert word in str(caught.value)
