"""Acquisition functions against their definitions as expectations, and their axioms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.models import (
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    MeanResponse,
    ProbabilityOfImprovement,
    StandardError,
)
from hpo_explain.models.acquisition.protocols import Acquisition, SurrogateBased
from tests.analytic import AnalyticSurrogate, unit_cube

SPACE = unit_cube(2)
SURROGATE = AnalyticSurrogate(
    SPACE, mean=lambda X: 3.0 * X[:, 0] - X[:, 1], std=lambda X: 0.1 + X[:, 1] ** 2
)
X = SPACE.sample(60, seed=1)
M, S = SURROGATE.predict(X)
CRITERIA = [
    LowerConfidenceBound(SURROGATE, kappa=2.5),
    MeanResponse(SURROGATE),
    StandardError(SURROGATE),
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


def test_the_terms_of_the_bound_are_mean_and_uncertainty():
    terms = LowerConfidenceBound(SURROGATE, kappa=2.5).terms(X)
    assert terms["mean"].tolist() == (-M).tolist()
    assert terms["uncertainty"].tolist() == (2.5 * S).tolist()
    # the bound is a quantile of the prediction
    quantile = norm(M, S).ppf(norm.cdf(-2.5))
    np.testing.assert_allclose(-utility(LowerConfidenceBound(SURROGATE, kappa=2.5)), quantile)


def test_log_ei_is_the_logarithm_of_ei_where_that_can_be_computed():
    ei = utility(ExpectedImprovement(SURROGATE, best=0.4, xi=0.1))
    log_ei = utility(LogExpectedImprovement(SURROGATE, best=0.4, xi=0.1))
    near = (0.3 - M) / S > -4  # further off the two terms of EI cancel
    assert near.sum() > 20
    np.testing.assert_allclose(log_ei[near], np.log(ei[near]), rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------- axioms


@pytest.mark.parametrize(
    "make",
    [
        lambda s, sign, d: LowerConfidenceBound(s, kappa=1.3, direction=d),
        lambda s, sign, d: ExpectedImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
        lambda s, sign, d: ProbabilityOfImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
        lambda s, sign, d: LogExpectedImprovement(s, best=sign * 0.4, xi=0.1, direction=d),
        lambda s, sign, d: MeanResponse(s, direction=d),
        lambda s, sign, d: StandardError(s, direction=d),
    ],
    ids=["lcb", "ei", "pi", "logei", "mean", "se"],
)
def test_maximizing_mirrors_minimizing(make):
    negated = AnalyticSurrogate(SPACE, mean=lambda X: X[:, 1] - 3.0 * X[:, 0], std=SURROGATE.std)
    minimized = make(SURROGATE, 1.0, "minimize").terms(X)
    maximized = make(negated, -1.0, "maximize").terms(X)
    for name, values in minimized.items():
        np.testing.assert_array_equal(maximized[name], values)


@pytest.mark.parametrize("acquisition", CRITERIA[:-1], ids=lambda a: a.label)
def test_a_better_mean_or_with_ei_and_lcb_more_uncertainty_is_more_desirable(acquisition):
    surrogate = AnalyticSurrogate(SPACE, lambda X: SURROGATE.mean(X) - 0.01, SURROGATE.std)
    better = replace(acquisition, surrogate=surrogate)
    if not isinstance(acquisition, StandardError):
        assert (utility(better) > utility(acquisition)).all()
    if isinstance(acquisition, (ProbabilityOfImprovement, MeanResponse)):
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


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_bound_is_the_mean_response_and_kappa_times_the_standard_error(direction):
    """mlrMBO's "cb" of its "mean" and its "se"."""
    sign = 1.0 if direction == "minimize" else -1.0
    mean = utility(MeanResponse(SURROGATE, direction))
    np.testing.assert_array_equal(mean, -sign * M)
    np.testing.assert_array_equal(utility(StandardError(SURROGATE, direction)), S)
    bound = LowerConfidenceBound(SURROGATE, 1.7, direction)
    np.testing.assert_allclose(utility(bound), mean + 1.7 * S, rtol=1e-12)


@pytest.mark.parametrize(("progress", "kappa"), [(0.0, 5.0), (0.25, 4.0), (1.0, 1.0)])
def test_the_adaptive_bound_goes_from_start_to_end_in_a_straight_line(progress, kappa):
    bound = LowerConfidenceBound.adaptive(SURROGATE, 5.0, 1.0, progress, "maximize")
    np.testing.assert_allclose(utility(bound), M + kappa * S, rtol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "value"),
    [("start", -1.0), ("end", np.inf), ("progress", 1.5), ("progress", -0.1), ("direction", "up")],
)
def test_an_adaptive_bound_out_of_range_is_refused(wrong, value):
    given = {"start": 2.0, "end": 1.0, "progress": 0.5, wrong: value}
    with pytest.raises(InputError, match=wrong) as caught:
        LowerConfidenceBound.adaptive(SURROGATE, **given)
    assert (caught.value.argument, caught.value.value) == (wrong, value)
    assert caught.value.remedy


@pytest.mark.parametrize(("name", "kind"), [("mean", MeanResponse), ("se", StandardError)])
def test_mean_and_standard_error_are_criteria_by_name(name, kind):
    y = SURROGATE.mean(X)
    run = hx.Run(SPACE, X, y, "minimize")
    chosen = run.chosen_acquisition(before=20, acquisition=name).acquisition
    assert isinstance(chosen, kind)
    found = hx.explain_proposal(run, 20, acquisition=name, background=30)
    mean, std = run.surrogate(before=20).predict(X[[20]])
    assert found.terms == kind.term_names
    assert found.prediction["total"] == pytest.approx({"mean": -mean, "se": std}[name][0])
    assert found.total.sum() == pytest.approx(found.payout["total"], rel=1e-9)
