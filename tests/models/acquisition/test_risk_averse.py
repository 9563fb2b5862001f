"""The risk-averse confidence bound, against closed forms and the axioms of its Shapley values."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.models.acquisition.protocols import (
    Acquisition,
    OfPredictions,
    SupportsParts,
    SurrogateBased,
)
from tests.analytic import AnalyticSurrogate, unit_cube

SPACE = unit_cube(3)
WEIGHTS = np.array([0.5, 0.0, 2.0])
SURROGATE = AnalyticSurrogate(
    SPACE, lambda X: 3.0 * X[:, 0] - X[:, 1], lambda X: 0.1 + X[:, 1]
)
LINEAR = AnalyticSurrogate(SPACE, lambda X: 0.2 + X @ WEIGHTS, 0.05)
X = SPACE.sample(40, seed=1)


def bound(**changes):
    return hx.models.RiskAverseConfidenceBound(
        **{
            "surrogate": SURROGATE,
            "noise": LINEAR,
            "kappa": 2.0,
            "alpha": 1.5,
            **changes,
        }
    )


def fitted_bound(n=25):
    """On two fitted processes, the noise depending on x3 alone."""
    rng = np.random.default_rng(0)
    rows = np.repeat(SPACE.sample(n, seed=3), 4, axis=0)
    noise = np.exp(3.0 * rows[:, 2] - 3.0) * rng.standard_normal(len(rows))
    run = hx.Run(SPACE, rows, rows[:, 0] + rows[:, 1] ** 2 + noise, "minimize")
    assert run.noise().varies
    return hx.models.RiskAverseConfidenceBound(
        run.surrogate(), run.noise(kind="gp"), alpha=2.0
    )


# ---------------------------------------------------------------------- terms


@pytest.mark.parametrize(
    ("direction", "sign"), [("minimize", -1.0), ("maximize", 1.0)]
)
def test_the_terms_are_those_of_the_bound_and_the_noise(direction, sign):
    terms = bound(direction=direction).terms(X)
    assert tuple(terms) == ("mean", "uncertainty", "noise")
    np.testing.assert_allclose(terms["mean"], sign * (3.0 * X[:, 0] - X[:, 1]))
    np.testing.assert_allclose(terms["uncertainty"], 2.0 * (0.1 + X[:, 1]))
    # whatever is better
    np.testing.assert_allclose(terms["noise"], -1.5 * (0.2 + X @ WEIGHTS))


def test_each_of_its_terms_is_that_of_a_part():
    whole = bound()
    assert isinstance(whole, Acquisition)
    assert isinstance(whole, SurrogateBased)
    assert isinstance(whole, SupportsParts)
    # the surrogate's predictions do not tell the noise
    assert not isinstance(whole, OfPredictions)
    names = [name for part in whole.parts() for name in part.term_names]
    assert tuple(names) == whole.term_names
    for part in whole.parts():
        for name, values in part.terms(X).items():
            np.testing.assert_allclose(values, whole.terms(X)[name])


# ---------------------------------------------------------------------- Shapley values


def explain(acquisition, config, background=X, **options):
    return hx.methods.ShapleyExplainer(
        acquisition, background=background, **options
    ).explain(config)


CONFIG = {"x1": 0.9, "x2": 0.3, "x3": 0.8}


@pytest.mark.parametrize("estimator", ["auto", "kernel"])
def test_the_noise_term_of_a_linear_model_has_a_closed_form(estimator):
    """φ_j = -α w_j (x_j - mean of the background's x_j)."""
    found = explain(bound(), CONFIG, estimator=estimator)
    expected = -1.5 * WEIGHTS * (np.array([*CONFIG.values()]) - X.mean(axis=0))
    np.testing.assert_allclose(
        found.contributions["noise"], expected, atol=1e-9
    )


def test_contributions_add_up_and_are_those_of_composed_rows():
    """The exact path, of two games, and shap's on rows that are composed one by one."""
    acquisition = fitted_bound()
    found = explain(acquisition, CONFIG)
    assert found.terms == ("mean", "uncertainty", "noise")
    exact, composed = (
        explain(acquisition, CONFIG, estimator=e) for e in ("exact", "kernel")
    )
    at, base = (
        acquisition.terms(rows) for rows in (np.array([[*CONFIG.values()]]), X)
    )
    for term in found.terms:
        payout = at[term][0] - base[term].mean()
        assert found.contributions[term].sum() == pytest.approx(
            payout, rel=1e-9, abs=1e-12
        )
        expected = composed.contributions[term]
        close = {"atol": 1e-6 * np.abs(expected).max()}
        np.testing.assert_allclose(
            exact.contributions[term], expected, **close
        )


def test_what_only_the_noise_depends_on_takes_part():
    """A surrogate that cannot depend on x3, and a noise that depends on nothing else."""

    class OfTwo(AnalyticSurrogate):
        def relevant(self):
            return np.array([True, True, False])

    class OfThird(AnalyticSurrogate):
        def relevant(self):
            return np.array([False, False, True])

    noise = OfThird(SPACE, lambda X: X[:, 2], 0.0)
    found = explain(
        bound(surrogate=OfTwo(SPACE, SURROGATE.mean, 0.1), noise=noise), CONFIG
    )
    expected = -1.5 * (0.8 - X[:, 2].mean())
    assert found.contributions["noise"].tolist() == pytest.approx(
        [0.0, 0.0, expected]
    )
    assert found.contributions["mean"]["x3"] == 0.0
