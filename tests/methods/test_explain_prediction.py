"""Shapley values of the prediction: closed forms, the acquisition's own engine, and bad input."""

import re

import numpy as np
import pytest
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.belief.decisions import STRETCH
from hpo_explain.methods.proposals.contributions_result import PredictionExplanation
from hpo_explain.methods.proposals.explain_predictions_result import PredictionOverview
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube
from tests.handmade import normal, subject_of, tuning_run


def test_a_linear_prediction_is_divided_into_its_terms():
    space = unit_cube(3)
    weights = np.array([3.0, -1.0, 0.5])
    surrogate = AnalyticSurrogate(space, lambda X: 10.0 + X @ weights)
    background = space.sample(40, seed=2)
    found = hx.methods.PredictionExplainer(surrogate, background=background).explain(
        {"x1": 1.0, "x2": 0.2, "x3": 0.0}
    )
    expected = weights * (np.array([1.0, 0.2, 0.0]) - background.mean(axis=0))
    np.testing.assert_allclose(found.phi, expected)
    assert found.prediction == pytest.approx(12.8)
    assert found.baseline == pytest.approx(10.0 + background.mean(axis=0) @ weights)
    assert np.isnan(found.half_width).all()
    assert found.efficiency_gap == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", [hx.models.GaussianProcessSurrogate, hx.models.ForestSurrogate])
def test_it_is_the_mean_term_of_the_confidence_bound_in_the_users_units(kind):
    space = nested_space()
    X = space.sample(40, seed=1)
    surrogate = kind.fit(space, X, np.nan_to_num(X, nan=0.3).sum(axis=1))
    for direction, sign in (("minimize", -1.0), ("maximize", 1.0)):
        bound = hx.models.LowerConfidenceBound(surrogate, direction=direction)
        (config,) = space.decode(X[:1])
        expected = hx.methods.ShapleyExplainer(bound, background=60).explain(config)
        found = hx.methods.PredictionExplainer(
            surrogate, direction=direction, background=60
        ).explain(config)
        size = np.abs(found.phi).max()
        np.testing.assert_allclose(found.phi, sign * expected.phi[:, 0], atol=1e-9 * size)
        assert found.phi.sum() == pytest.approx(found.prediction - found.baseline)
        assert (found.half_width >= 0).all()
        assert not found.phi[[n not in config and n != "warmup" for n in space.names]].any()


def test_many_configurations_share_a_background():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] * X[:, 1])
    configs = space.decode(space.sample(6, seed=3))
    explainer = hx.methods.PredictionExplainer(surrogate, background=20, seed=5)
    found = explainer.explain_all(configs)
    for i, config in enumerate(configs):
        np.testing.assert_allclose(found.phi[i], explainer.explain(config).phi)
    np.testing.assert_allclose(found.phi.sum(axis=1), found.predictions - found.baseline)
    np.testing.assert_allclose(found.importance, np.abs(found.phi).mean(axis=0))
    np.testing.assert_array_equal(found.positions, space.encode(configs))
    assert len(found.to_frame()) == 12


def test_claims_are_the_contributions_and_what_moves_most_on_average():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 3.0 * X[:, 0] - X[:, 1])
    explainer = hx.methods.PredictionExplainer(surrogate, background=20)
    one = explainer.explain({"x1": 1.0, "x2": 0.5})
    assert one.to_frame().index.tolist() == ["x1", "x2"]
    assert [(claim.kind, claim.estimate) for claim in one.claims] == [
        ("contribution", phi) for phi in one.phi
    ]
    many = explainer.explain_all([{"x1": 1.0, "x2": 0.5}, {"x1": 0.0, "x2": 0.5}])
    assert [(c.kind, c.hyperparameters, c.estimate) for c in many.claims] == [
        ("contribution", (name,), size)
        for name, size in zip(many.names, many.importance, strict=True)
    ]


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_results_name_what_they_are_about(direction):
    run = tuning_run(20, direction=direction)
    explainer = hx.methods.PredictionExplainer(run.surrogate(), direction=direction, background=40)
    best = explainer.explain(run.incumbent)
    assert best.subject.lower_is_better == (direction == "minimize")
    sign = 1.0 if direction == "minimize" else -1.0
    assert sign * best.prediction < sign * best.baseline
    assert sign * best.claims[0].estimate < 0.0
    assert all(claim.interval[0] < claim.estimate < claim.interval[1] for claim in best.claims)
    assert (best.subject.acquisition, best.subject.model) == ("", "a GP")
    subject = Subject.of(run, trial=3)
    named = hx.methods.PredictionExplainer(run.surrogate(), background=40, subject=subject)
    assert named.explain(run.config(3)).subject.objective_name == "loss"
    assert named.explain_all([run.config(3)], [3]).subject.direction == direction


# ---------------------------------------------------------------------- shap's own plots


@pytest.fixture
def pyplot():
    from matplotlib import pyplot

    with pyplot.rc_context():
        yield pyplot
    pyplot.close("all")


def labels_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_shap_draws_a_prediction_and_its_bars_end_at_it(pyplot):
    import shap

    space = nested_space()
    surrogate = AnalyticSurrogate(space, lambda X: 2.0 + np.nan_to_num(X) @ np.arange(len(space)))
    (config,) = space.decode(space.sample(1, seed=4))
    found = hx.methods.PredictionExplainer(surrogate, background=50).explain(config)
    given = found.to_shap()
    assert given.base_values + given.values.sum() == pytest.approx(found.prediction)
    assert given.lower_bounds == pytest.approx(found.phi - found.half_width)
    assert given.upper_bounds == pytest.approx(found.phi + found.half_width)
    assert given.values is not found.phi
    axes = shap.plots.waterfall(given, max_display=20, show=False)
    labels = labels_of(axes)
    inactive = {*space.names} - {*config}
    assert inactive
    for name in space.names:
        value = "inactive" if name in inactive else found.value(space.names.index(name))
        assert f"{value} = {name}" in labels
    ends = [
        re.findall(r"= ([-0-9.]+)", label.get_text().replace("\u2212", "-"))
        for drawn in axes.figure.axes
        for label in drawn.get_xticklabels()
    ]
    expected = [found.baseline, found.prediction]
    assert sorted(float(end) for (end,) in filter(None, ends)) == [
        pytest.approx(end, abs=1e-3) for end in sorted(expected)
    ]


def test_what_a_proposal_was_for_adds_up_in_shap_too(pyplot):
    import shap

    run = tuning_run(20)
    found = hx.explain_proposal(run, background=40)
    given = found.to_shap()
    assert given.base_values == found.baseline["total"]
    assert given.base_values + given.values.sum() == pytest.approx(found.prediction["total"])
    assert given.feature_names == list(run.space.names)
    axes = shap.plots.waterfall(given, show=False)
    first = run.space.names[found.order()[0]]
    assert any(label.endswith(f"= {first}") for label in labels_of(axes))


@pytest.mark.merge
def test_shap_draws_a_swarm_of_many_the_largest_on_top(pyplot):
    import shap

    found = hx.methods.explain_predictions(tuning_run(20), background=20)
    given = found.to_shap()
    assert given.base_values + given.values.sum(axis=1) == pytest.approx(
        found.predictions, abs=1e-6
    )
    axes = shap.plots.beeswarm(given, show=False)
    assert labels_of(axes)[::-1] == [found.names[j] for j in found.order()]
    points = [drawn for drawn in axes.collections if len(drawn.get_offsets())]
    assert sum(len(p.get_offsets()) for p in points) >= found.phi.size
    axes = shap.plots.waterfall(given[0], show=False)
    assert len(labels_of(axes)) >= len(found.names)


# ---------------------------------------------------------------------- words and figures


def prediction(phi, *, std=0.01, half=None, **subject):
    names = tuple(f"x{j}" for j in range(len(phi)))
    return PredictionExplanation(
        subject=subject_of(names, **subject),
        config=dict.fromkeys(names[:2], 0.5),
        phi=np.array(phi),
        half_width=np.full(len(phi), np.nan if half is None else half),
        interval=(np.nan, np.nan),
        prediction=1.0 + sum(phi),
        baseline=1.0,
        efficiency_gap=0.0,
        draws=np.array(phi)[None] if std is None else np.array(phi) + std * normal(len(phi)),
    )


def overview(phi, positions=None, **subject):
    phi = np.array(phi)
    names = tuple(f"x{j}" for j in range(phi.shape[1]))
    return PredictionOverview(
        subject=subject_of(names, **subject),
        configs=tuple(dict.fromkeys(names, 0.5) for _ in phi),
        phi=phi,
        positions=np.full(phi.shape, 0.5) if positions is None else np.array(positions),
        predictions=phi.sum(axis=1),
        baseline=0.5,
    )


def test_sentences():
    found = prediction([0.25, -0.13, 0.0], objective_name="loss", trial=3)
    assert found.sentence == (
        "The loss predicted for trial 3 is 1.12, on average 1, mainly because of x0 = 0.5 "
        "(raises it by 0.25 ± 0.03) and x1 = 0.5 (lowers it by 0.13 ± 0.03)."
    )
    unsure = prediction([0.25, -0.125], std=0.1)
    assert [claim.certain for claim in unsure.claims] == [True, False]
    assert unsure.claims[1].probability == pytest.approx(norm.cdf(1.25), abs=0.005)
    assert not any(claim.certain for claim in prediction([0.25, -0.125], std=None).claims)
    assert prediction([0.0, 0.0]).sentence == (
        "The objective predicted for this configuration is 1, the average: no hyperparameter "
        "changes it."
    )
    assert overview([[0.25, 0.0], [-0.5, 0.0]], objective_name="loss").sentence == (
        "Over 2 configurations the predicted loss changes most with x0 (by 0.375 on average)."
    )
    assert overview([[0.0, 0.0]]).sentence == (
        "Over 1 configuration no hyperparameter changes the predicted objective."
    )


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_bars_are_the_contributions_and_those_that_make_it_worse_differ(direction):
    half = np.array([0.02, 0.01, 0.0])
    figure = prediction([0.25, -0.5, 0.0], half=half, direction=direction).described()
    assert figure.labels == [("x1", "= 0.5"), ("x0", "= 0.5")]
    worse = [0, 1] if direction == "minimize" else [1, 0]
    assert [(bar.end, bar.fill) for bar in figure.bars] == [(-0.5, worse[0]), (0.25, worse[1])]
    # whiskers are what the model does not know, not the error of averaging
    known = STRETCH["average"] * 0.0196
    np.testing.assert_allclose([bar.half for bar in figure.bars], known, rtol=0.03)
    assert figure.fills == {0: "better", 1: "worse"}
    assert figure.label.endswith("left is better" if direction == "minimize" else "right is better")
    assert figure.footer.endswith("Not shown: 1 inactive.")
    assert figure.subtitle.startswith("predicted 0.75, on average 1")


def test_points_are_contributions_colored_by_values_the_largest_on_top():
    phi = [[0.1, 0.0], [0.2, 3.0], [0.0, -3.0], [0.0, -3.0]]
    figure = overview(phi, [[0.1, 0.9], [0.9, 0.5], [np.nan, 0.2], [0.3, 0.4]]).described()
    assert figure.labels == [("x1",), ("x0",)]
    first, second = figure.dots
    np.testing.assert_array_equal(first.x, [0.0, 3.0, -3.0, -3.0])
    np.testing.assert_array_equal(first.colors, [0.9, 0.5, 0.2, 0.4])
    # inactive: no point
    np.testing.assert_array_equal(second.x, [0.1, 0.2, 0.0])
    assert first.y[2] != first.y[3]  # points at the same place stand over each other
    assert (np.abs(first.y) < 0.5).all()
    assert figure.scale == ("low", "high", "value")
    assert (
        "Not shown: 10 with smaller contributions" in overview(np.ones((2, 30))).described().footer
    )


def test_what_draws_leave_out_is_divided_equally(monkeypatch):
    """v(S) of white noise is 0 but for all of S: its Shapley values are 1 / d each."""
    space = unit_cube(2)
    X = space.sample(30, seed=0)
    noise = np.random.default_rng(0).standard_normal(30)

    run = hx.Run(space, X, 4.0 * X[:, 0] + 0.3 * noise, "minimize")
    belief = run.belief()

    def explained():
        explainer = hx.methods.PredictionExplainer(belief, background=40)
        return explainer.explain(run.config(3))

    found = explained()
    assert belief.roughness > 0.1
    monkeypatch.setattr(type(belief), "roughness", 0.0)
    smooth = explained()
    apart = found.draws - smooth.draws
    varies = smooth.draws.any(axis=1)
    assert np.ptp(apart, axis=1).max() < 1e-9
    assert not apart[~varies].any()
    monkeypatch.undo()
    left_out = belief.at_one(np.zeros(len(apart)))
    np.testing.assert_allclose(apart.sum(axis=1)[varies], left_out[varies])
    np.testing.assert_array_equal(found.phi, smooth.phi)
