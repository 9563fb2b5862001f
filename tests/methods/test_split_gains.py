"""Gains of a criterion shared between mean and standard deviation, by brute force over all orders.

The criteria are written again here, from their definitions.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.models.acquisition.split import split_of
from tests.all_orders import by_all_orders
from tests.analytic import AnalyticSurrogate, space_of, unit_cube

BEST, XI = 0.3, 0.05


def ei(m, s, best=BEST):
    z = (best - m) / s
    return (best - m) * norm.cdf(z) + s * norm.pdf(z)


CRITERIA = {
    "EI": (
        lambda model, **given: hx.models.ExpectedImprovement(model, xi=XI, **given),
        lambda m, s: ei(m, s, BEST - XI),
    ),
    "PI": (hx.models.ProbabilityOfImprovement, lambda m, s: norm.cdf((BEST - m) / s)),
    "log EI": (hx.models.LogExpectedImprovement, lambda m, s: np.log(ei(m, s))),
}


def smooth(d):
    """A model whose mean and standard deviation both depend on products of hyperparameters."""
    space = unit_cube(d)
    weights = np.linspace(0.5, -0.4, d)
    return AnalyticSurrogate(
        space,
        lambda X: X @ weights + X[:, 0] * X[:, -1],
        lambda X: 0.2 + 0.5 * X[:, 0] * (1.0 - X[:, -1]) + 0.2 * X[:, -1],
    )


def fitted(fit):
    space = space_of(
        booster=["linear", "tree"],
        depth=range(1, 4),
        rate=(0.0, 1.0),
        when={"depth": {"booster": ["tree"]}},
    )
    X = space.sample(40, seed=1)
    filled = np.where(np.isnan(X), 0.4, X)
    return fit(space, X, filled @ [0.5, -0.2, 0.7] - filled[:, 0] * X[:, 2])


@pytest.mark.parametrize("name", CRITERIA)
def test_of_one_hyperparameter_it_is_the_formula(name):
    make, a = CRITERIA[name]
    surrogate = AnalyticSurrogate(
        unit_cube(1), lambda X: X[:, 0] ** 2, lambda X: 0.6 - 0.5 * X[:, 0]
    )
    found = hx.methods.ShapleyExplainer(make(surrogate, best=BEST), background={"x1": 0.9}).explain(
        {"x1": 0.2}
    )
    m0, s0, m1, s1 = 0.81, 0.15, 0.04, 0.5
    of_mean = (a(m1, s0) - a(m0, s0) + a(m1, s1) - a(m0, s1)) / 2.0
    of_std = (a(m0, s1) - a(m0, s0) + a(m1, s1) - a(m1, s0)) / 2.0
    assert found.terms == ("mean", "uncertainty")
    np.testing.assert_allclose(found.phi[0], [of_mean, of_std], rtol=1e-9)
    np.testing.assert_allclose(found.moves[0], [m1 - m0, s1 - s0], rtol=1e-9)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("d", [2, pytest.param(3, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", CRITERIA)
def test_all_coalitions_equal_all_orders(name, d, direction):
    make, a = CRITERIA[name]
    sign = 1.0 if direction == "minimize" else -1.0
    model = smooth(d)
    surrogate = AnalyticSurrogate(model.space, lambda X: sign * model.mean(X), model.std)
    x, background = np.full(d, 0.3), model.space.sample(5, seed=2)
    found = hx.methods.ShapleyExplainer(
        make(surrogate, best=sign * BEST, direction=direction), background=background
    ).explain(dict.fromkeys(model.space.names, 0.3))
    expected = by_all_orders(a, surrogate, x, background, sign)
    np.testing.assert_allclose(found.phi, expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.total, expected.sum(axis=1), rtol=1e-9)
    assert found.phi.sum() == pytest.approx(found.payout["total"], rel=1e-9)
    assert found.payout["mean"] == pytest.approx(expected[:, 0].sum())
    own = found.criterion_terms
    assert tuple(own) == found.own_terms
    np.testing.assert_allclose(own.sum(axis=1), found.total, rtol=1e-9)
    assert own.sum().to_dict() == pytest.approx(
        {term: found.payout[term] for term in own}, abs=1e-12
    )


@pytest.mark.parametrize("estimator", ["exact", "kernel"])
@pytest.mark.parametrize(
    "fit", [hx.models.GaussianProcessSurrogate.fit, hx.models.ForestSurrogate.fit]
)
def test_fast_paths_of_conditional_spaces_equal_all_orders(fit, estimator):
    surrogate = fitted(fit)
    config = {"booster": "tree", "depth": 2, "rate": 0.3}
    x = surrogate.space.encode(config)[0]
    background = surrogate.space.sample(6, seed=3, latent=True)
    found = hx.methods.ShapleyExplainer(
        hx.models.ExpectedImprovement(surrogate, best=BEST),
        background=background,
        estimator=estimator,
    ).explain(config)

    def certain(m, s):
        return ei(m, s) if s > 0.0 else max(BEST - m, 0.0)

    expected = by_all_orders(certain, surrogate, x, background)
    np.testing.assert_allclose(found.phi, expected, rtol=1e-6, atol=1e-9)


@dataclass(frozen=True, eq=False)
class OneTermBound:
    """The confidence bound as a criterion of which nothing else is known."""

    bound: hx.models.LowerConfidenceBound
    label = "bound"
    term_names = ("bound",)

    @property
    def space(self):
        return self.bound.space

    @property
    def surrogate(self):
        return self.bound.surrogate

    @property
    def direction(self):
        return self.bound.direction

    def terms(self, X):
        return self.terms_of(*self.surrogate.predict(X))

    def terms_of(self, mean, std):
        return {"bound": sum(self.bound.terms_of(mean, std).values())}


@pytest.mark.parametrize("estimator", ["auto", "kernel", "sampling"])
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_of_the_confidence_bound_the_shares_are_its_terms(direction, estimator):
    """Eq. 8 of the thesis: what is linear in both predictions has been split all along."""
    bound = hx.models.LowerConfidenceBound(smooth(4), 2.5, direction)
    assert split_of(bound) is None
    known, found = (
        hx.methods.ShapleyExplainer(acquisition, background=50, estimator=estimator).explain(
            dict.fromkeys(bound.space.names, 0.3)
        )
        for acquisition in (bound, OneTermBound(bound))
    )
    assert found.terms == known.terms
    for number in ("phi", "standard_error", "difference_error"):
        np.testing.assert_allclose(getattr(found, number), getattr(known, number), atol=1e-9)
    np.testing.assert_allclose(found.own["bound"], known.total, atol=1e-9)
    # what a term of the bound says of the prediction, the prediction says
    assert [c.text for c in found.claims] == [c.text for c in known.claims]


def test_terms_of_one_prediction_or_of_none_stay_as_they_are():
    model = smooth(2)
    for acquisition in (hx.models.MeanResponse(model), hx.models.StandardError(model)):
        found = hx.methods.ShapleyExplainer(acquisition, background=20).explain(
            {"x1": 0.1, "x2": 0.2}
        )
        assert found.terms == found.own_terms == acquisition.term_names
        assert found.moves is None


# ---------------------------------------------------------------------- estimates


def by_all_coalitions(a, surrogate, x, background):
    """Return what `by_all_orders` does, where there are too many: pair by pair of coalitions."""
    d = len(x)
    codes = np.arange(2**d)
    joined = (codes[:, None] >> np.arange(d)) & 1 == 1
    rows = np.where(joined[:, None], x, background)
    mean, std = (v.reshape(len(codes), -1) for v in surrogate.predict(rows.reshape(-1, d)))
    size = joined.sum(axis=1)
    shares = np.empty((d, 2))
    for j in range(d):
        before = np.flatnonzero(~joined[:, j])
        after = before + 2**j
        weight = 1.0 / (d * comb(d - 1, size[before]))
        m0, s0, m1, s1 = mean[before], std[before], mean[after], std[after]
        gain, crossed = a(m1, s1) - a(m0, s0), a(m1, s0) - a(m0, s1)
        for k, share in enumerate((gain + crossed, gain - crossed)):
            shares[j, k] = weight @ share.mean(axis=1) / 2.0
    return shares


def test_both_brute_forces_agree():
    surrogate, x = smooth(4), np.full(4, 0.3)
    background = surrogate.space.sample(3, seed=0)
    np.testing.assert_allclose(
        by_all_orders(ei, surrogate, x, background),
        by_all_coalitions(ei, surrogate, x, background),
        rtol=1e-9,
    )


@pytest.mark.parametrize(
    ("d", "estimator", "how"),
    [
        (12, "kernel", "KernelExplainer, sampled coalitions"),
        (12, "auto", "KernelExplainer, sampled coalitions"),
        (8, "sampling", "4000 draws"),
    ],
)
def test_estimates_come_close_to_all_coalitions(d, estimator, how):
    surrogate = smooth(d)
    background = surrogate.space.sample(20, seed=1)
    found = hx.methods.ShapleyExplainer(
        hx.models.LogExpectedImprovement(surrogate, best=BEST),
        background=background,
        estimator=estimator,
        orders=4000,
    ).explain(dict.fromkeys(surrogate.space.names, 0.3))
    assert how in str(found.estimator)
    expected = by_all_coalitions(CRITERIA["log EI"][1], surrogate, np.full(d, 0.3), background)
    error = 0.04 * np.abs(expected).max()
    np.testing.assert_allclose(found.phi, expected, atol=error)
    np.testing.assert_allclose(found.total, found.phi.sum(axis=1))


@pytest.mark.parametrize("fit", ["gp", "analytic"])
def test_walks_of_a_background_that_grows_are_within_their_intervals(fit):
    """Of 8 hyperparameters, as is the truth over 500 rows of its own: 4.5 standard errors."""
    surrogate = smooth(8)
    if fit == "gp":
        X = surrogate.space.sample(60, seed=1)
        surrogate = hx.models.GaussianProcessSurrogate.fit(surrogate.space, X, surrogate.mean(X))
    found = hx.methods.ShapleyExplainer(
        hx.models.ExpectedImprovement(surrogate, best=0.0), background="auto"
    ).explain(dict.fromkeys(surrogate.space.names, 0.3))
    assert str(found.estimator) == "sampled orders of 8 hyperparameters"
    parts = [
        by_all_coalitions(lambda m, s: ei(m, s, 0.0), surrogate, np.full(8, 0.3), background)
        for background in (surrogate.space.sample(50, seed=seed) for seed in range(10))
    ]
    error = np.std(parts, axis=0, ddof=1) / np.sqrt(10)
    both = np.hypot(error, found.standard_error[:, :2])
    apart = np.abs(found.phi - np.mean(parts, axis=0))
    assert (apart <= 4.5 * both + 1e-12).all()


# ---------------------------------------------------------------------- what holds the shares


def test_own_terms_stay_available_and_payouts_are_theirs():
    space = unit_cube(2)
    X = space.sample(14, seed=0)
    run = hx.Run(space, X, (X**2).sum(axis=1), "minimize", proposals=[12, 13])
    path = hx.methods.desirability_path(run, acquisition="ei", background=40)
    assert path.terms == ("mean", "uncertainty")
    own = ("exploitation", "exploration")
    assert path.payouts()["term"].unique().tolist() == ["total", *own]
    assert [panel.heading for panel in path.described("payouts").panels] == ["total: EI", *own]
    explanation = path.explanation(13)
    frame, first = explanation.criterion_terms, explanation.records()[0]
    assert list(first["terms"]) == ["mean", "uncertainty"]
    assert first["criterion_terms"] == frame.iloc[0].to_dict()
    assert list(explanation.contributions) == ["value", "total", "mean", "uncertainty"]
    lead = explanation.by_term["mean"] - explanation.by_term["uncertainty"]
    np.testing.assert_array_equal(path.phi[1, :, 0] - path.phi[1, :, 1], lead)


def test_only_what_can_be_predicted_has_an_efficiency_error():
    """Of Algorithm 4: nothing but contributions says how large a share should be."""
    acquisition = hx.models.ExpectedImprovement(smooth(3), best=BEST)
    explanation = hx.methods.ShapleyExplainer(
        acquisition, background=50, estimator="sampling", orders=200
    ).explain(dict.fromkeys(acquisition.space.names, 0.3))
    by_gap = hx.methods.check_sample_size(explanation, error="efficiency")
    by_pairs = hx.methods.check_sample_size(explanation)
    assert by_gap.by == ["total"]
    assert by_pairs.by == ["mean", "uncertainty", "total"]


# ---------------------------------------------------------------------- words


def shapley_of(values, surrogate, x, background):
    """Return Shapley values of a function of encoded rows by all coalitions, (d,)."""
    d = len(x)
    codes = np.arange(2**d)
    joined = (codes[:, None] >> np.arange(d)) & 1 == 1
    rows = np.where(joined[:, None], x, background).reshape(-1, d)
    of_coalition = values(*surrogate.predict(rows)).reshape(len(codes), -1)
    v, size = of_coalition.mean(axis=1), joined.sum(axis=1)
    phi = np.empty(d)
    for j in range(d):
        before = np.flatnonzero(~joined[:, j])
        weight = 1.0 / (d * comb(d - 1, size[before]))
        phi[j] = weight @ (v[before + 2**j] - v[before])
    return phi


@pytest.mark.alike
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.parametrize("name", ["ei", "logei", "pi"])
def test_what_is_said_of_the_prediction_is_true_of_it(name, direction):
    """A better value, or a larger standard deviation, is what the model predicts on average."""
    rng = np.random.default_rng(3)
    space = unit_cube(3)
    X = space.sample(30, seed=4)
    sign = 1.0 if direction == "minimize" else -1.0
    y = ((X - [0.2, 0.5, 0.7]) ** 2).sum(axis=1) + 0.05 * rng.random(30)
    run = hx.Run(space, X, sign * y, direction, proposals=range(10, 30))
    path = hx.methods.desirability_path(run, acquisition=name, background=space.sample(40, seed=5))
    said = 0
    for explanation in path.explanations:
        surrogate = run.surrogate(before=explanation.trial)
        x = space.encode(explanation.config)[0]
        background = space.sample(40, seed=5)
        better = shapley_of(lambda m, s: -sign * m, surrogate, x, background)
        wider = shapley_of(lambda m, s: s, surrogate, x, background)
        np.testing.assert_allclose(
            explanation.moves, np.column_stack([-sign * better, wider]), atol=1e-6
        )
        for claim in explanation.claims:
            j = space.index(claim.hyperparameters[0])
            is_true = {
                "a better objective is predicted": better[j] > 0.0,
                "a worse objective is predicted": better[j] < 0.0,
                "the model is unsure there": wider[j] > 0.0,
                "the model is already certain there": wider[j] < 0.0,
            }
            why = claim.text.partition("(")[2].rstrip(")")
            if why in is_true:
                said += 1
                assert is_true[why], (explanation.trial, claim.text)
                t = explanation.terms.index(claim.term)
                assert explanation.phi[j, t] * claim.estimate > 0.0
            else:
                assert why.startswith("by the")
    assert said >= 20


def test_where_a_criterion_likes_certainty_uncertainty_is_not_the_reason():
    """PI of what is better than the best rises as the standard deviation falls."""
    surrogate = AnalyticSurrogate(unit_cube(1), 0.0, lambda X: 0.1 + 0.5 * X[:, 0])
    found = hx.methods.ShapleyExplainer(
        hx.models.ProbabilityOfImprovement(surrogate, best=BEST), background=50
    ).explain({"x1": 0.0})
    assert found.phi[0, 1] > 0.0 > found.moves[0, 1]
    assert "x1 = 0 (by the model's uncertainty)" in found.sentence
    assert found.sentence.startswith(
        f"For a model of yours with PI, this configuration would have been {found.total[0]:.2g} "
        "more desirable"
    )
