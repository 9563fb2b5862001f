"""Shapley values of the prediction: closed forms, the acquisition's own engine, and bad input."""

import json
import pickle

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube
from tests.handmade import tuning_run


def test_a_linear_prediction_is_divided_into_its_terms():
    space = unit_cube(3)
    weights = np.array([3.0, -1.0, 0.5])
    surrogate = AnalyticSurrogate(space, lambda X: 10.0 + X @ weights)
    background = space.sample(40, seed=2)
    found = hx.PredictionExplainer(surrogate, background=background).explain(
        {"x1": 1.0, "x2": 0.2, "x3": 0.0}
    )
    expected = weights * (np.array([1.0, 0.2, 0.0]) - background.mean(axis=0))
    np.testing.assert_allclose(found.phi, expected)
    assert found.prediction == pytest.approx(12.8)
    assert found.baseline == pytest.approx(10.0 + background.mean(axis=0) @ weights)
    assert found.half_width is None
    assert found.efficiency_gap == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", [hx.GaussianProcessSurrogate, hx.ForestSurrogate])
def test_it_is_the_mean_term_of_the_confidence_bound_in_the_users_units(kind):
    space = nested_space()
    X = space.sample(40, seed=1)
    surrogate = kind.fit(space, X, np.nan_to_num(X, nan=0.3).sum(axis=1))
    for direction, sign in (("minimize", -1.0), ("maximize", 1.0)):
        bound = hx.LowerConfidenceBound(surrogate, direction=direction)
        (config,) = space.decode(X[:1])
        expected = hx.ShapleyExplainer(bound, background=60).explain(config)
        found = hx.PredictionExplainer(surrogate, direction=direction, background=60).explain(
            config
        )
        size = np.abs(found.phi).max()
        np.testing.assert_allclose(found.phi, sign * expected.phi[:, 0], atol=1e-9 * size)
        assert found.phi.sum() == pytest.approx(found.prediction - found.baseline)
        assert (found.half_width >= 0).all()
        assert not found.phi[[n not in config and n != "warmup" for n in space.names]].any()


def test_many_configurations_share_a_background():
    space = unit_cube(2)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0] * X[:, 1])
    configs = space.decode(space.sample(6, seed=3))
    explainer = hx.PredictionExplainer(surrogate, background=20, seed=5)
    found = explainer.explain_all(configs)
    for i, config in enumerate(configs):
        np.testing.assert_allclose(found.phi[i], explainer.explain(config).phi)
    np.testing.assert_allclose(found.phi.sum(axis=1), found.predictions - found.baseline)
    np.testing.assert_allclose(found.importance, np.abs(found.phi).mean(axis=0))
    np.testing.assert_array_equal(found.positions, space.encode(configs))
    assert len(found.to_frame()) == 12


def test_positions_of_categories_span_the_scale_and_inactive_ones_have_none():
    space = nested_space()
    X = space.sample(8, seed=1)
    surrogate = AnalyticSurrogate(space, lambda X: X[:, 0])
    found = hx.PredictionExplainer(surrogate, background=10).explain_all(space.decode(X))
    np.testing.assert_array_equal(np.isnan(found.positions), np.isnan(X))
    np.testing.assert_allclose(found.positions[:, 0], X[:, 0] / 2.0)
    assert np.nanmax(found.positions) <= 1.0


def test_a_constant_prediction_has_no_contributions():
    explainer = hx.PredictionExplainer(AnalyticSurrogate(unit_cube(2), 4.0), background=10)
    found = explainer.explain({"x1": 0.5, "x2": 0.5})
    np.testing.assert_array_equal(found.phi, 0.0)
    many = explainer.explain_all([{"x1": 0.5, "x2": 0.5}])
    for result in (found, many):
        assert [claim.kind for claim in result.claims] == ["no_effect"]
        assert result.plot().figure is not None


def test_bad_input_is_refused():
    surrogate = AnalyticSurrogate(unit_cube(2), 0.0)
    explainer = hx.PredictionExplainer(surrogate, background=10)
    with pytest.raises(ValueError, match="outside its range"):
        explainer.explain({"x1": 2.0, "x2": 0.5})
    with pytest.raises(ValueError, match="configs is empty"):
        explainer.explain_all([])
    with pytest.raises(ValueError, match="direction must be one of"):
        hx.PredictionExplainer(surrogate, direction="down")
    with pytest.raises(ValueError, match="background must be at least 1"):
        hx.PredictionExplainer(surrogate, background=0)


def test_the_results_can_be_stored_and_shown():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: 3.0 * X[:, 0] - X[:, 1])
    explainer = hx.PredictionExplainer(surrogate, background=20)
    one = explainer.explain({"x1": 1.0, "x2": 0.5})
    many = explainer.explain_all([{"x1": 1.0, "x2": 0.5}, {"x1": 0.0, "x2": 0.5}])
    for result in (one, many):
        json.dumps(result.to_dict(), allow_nan=False)
        assert pickle.loads(pickle.dumps(result)).sentence == result.sentence
        assert "<svg" in result._repr_html_()
    assert one.to_frame().index.tolist() == ["x1", "x2"]
    assert [claim.kind for claim in one.claims] == ["reason", "reason"]
    assert [claim.estimate for claim in one.claims] == one.phi.tolist()
    first, second = many.claims
    assert (first.kind, first.hyperparameters, first.estimate) == (
        "effect", ("x1",), many.importance[0],
    )  # fmt: skip
    assert second.hyperparameters == ("x2",)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_results_name_what_they_are_about(direction):
    run = tuning_run(20, direction=direction)
    explainer = hx.PredictionExplainer(run.surrogate(), direction=direction, background=40)
    best = explainer.explain(run.incumbent)
    assert best.subject.lower_is_better == (direction == "minimize")
    sign = 1.0 if direction == "minimize" else -1.0
    assert sign * best.prediction < sign * best.baseline
    assert sign * best.claims[0].estimate < 0.0
    assert all(claim.interval[0] < claim.estimate < claim.interval[1] for claim in best.claims)
    assert (best.subject.acquisition, best.subject.model) == ("", "a GP")
    subject = Subject.of(run, trial=3)
    named = hx.PredictionExplainer(run.surrogate(), background=40, subject=subject)
    assert named.explain(run.config(3)).subject.objective_name == "loss"
    assert named.explain_all([run.config(3)], [3]).subject.direction == direction
