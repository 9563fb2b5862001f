"""Whose eyes, which reference set, which trial: the choices of `explain_proposal`."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.explainers.test_path import run_of


def test_another_models_view_is_the_same_criterion_through_that_model():
    run = run_of(proposals=[6, 9, 13])
    final = run.surrogate()
    found = hx.explain_proposal(run, 6, surrogate=final, background=60)
    expected = hx.ShapleyExplainer(hx.LowerConfidenceBound(final), background=60).explain(
        run.config(6)
    )
    np.testing.assert_array_equal(found.phi, expected.phi)
    assert found.assumed
    assert any("another model's view" in note for note in found.notes)
    own = hx.explain_proposal(run, 6, background=60)
    assert (own.phi != found.phi).any()


def test_another_models_view_keeps_the_optimizers_criterion():
    skopt = pytest.importorskip("skopt")
    result = skopt.gp_minimize(
        lambda x: (x[0] - 0.3) ** 2, [(0.0, 1.0)], n_calls=8, n_initial_points=4,
        acq_func="LCB", kappa=3.25, random_state=0,
    )  # fmt: skip
    run = hx.from_skopt(result)
    found = hx.explain_proposal(run, 6, surrogate=run.surrogate(kind="gp"), background=60)
    assert found.acquisition == "LCB (κ = 3.25)"


def test_a_model_of_another_space_is_refused():
    run = run_of(proposals=[6])
    with pytest.raises(ValueError, match=r"surrogate is a model of \['x1', 'x2'\]"):
        hx.explain_proposal(run, 6, surrogate=run_of(d=2).surrogate())


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_best_predicted_proposal_is_that_of_the_final_surrogate(direction):
    run = run_of(proposals=[3, 6, 9, 13], direction=direction)
    mean = run.surrogate().predict(run.X[[3, 6, 9, 13]])[0]
    best = [3, 6, 9, 13][int(np.argmin(mean) if direction == "minimize" else np.argmax(mean))]
    assert hx.explain_proposal(run, "best-predicted", background=20).trial == best


def test_the_incumbent_of_the_time_is_the_adaptive_baseline():
    run = run_of(proposals=[6, 9, 13])
    found = hx.explain_proposal(run, 9, background="incumbent")
    best = int(np.argmin(run.objective[:9]))
    expected = hx.ShapleyExplainer(run.acquisition(before=9), background=run.config(best))
    np.testing.assert_allclose(found.phi, expected.explain(run.config(9)).phi)
    assert f"background: trial {best}, the incumbent by then" in found.notes
    assert found.background_size == 1


def test_no_incumbent_where_nothing_was_feasible():
    run = run_of(6)
    run = hx.Run(run.space, run.X, run.objective, "minimize", feasible=[False] * 6)
    with pytest.raises(ValueError, match="no feasible trial was finished before trial 4"):
        hx.explain_proposal(run, 4, background="incumbent")


@pytest.mark.parametrize("word", ["global", "local", "hybrid", "thesis"])
def test_every_reference_set_can_be_named(word):
    run = run_of(8, 2, proposals=[6])
    found = hx.explain_proposal(run, 6, background=word)
    assert abs(found.efficiency_gap["total"]) < 1e-9
    assert found.standard_error is not None
    if word == "global":
        np.testing.assert_array_equal(found.phi, hx.explain_proposal(run, 6).phi)
    if word == "thesis":
        assert found.background_size == 2000


def test_a_default_configuration_is_a_baseline():
    run = run_of(8, 2, proposals=[6])
    default = {"x1": 0.5, "x2": 0.5}
    found = hx.explain_proposal(run, 6, background=default)
    acquisition = run.acquisition(before=6)
    at = {
        key: sum(acquisition.terms(run.space.encode(config)).values())[0]
        for key, config in (("here", run.config(6)), ("default", default))
    }
    assert found.payout["total"] == pytest.approx(at["here"] - at["default"])


def test_the_sampling_estimator_from_the_facade():
    run = run_of(8, 2, proposals=[6])
    found = hx.explain_proposal(run, 6, estimator="sampling", draws=300)
    exact = hx.explain_proposal(run, 6, background="thesis")
    assert found.draws == 300
    off = np.abs(found.total - exact.total)
    assert (off <= 4.0 * found.half_width()[:, -1]).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"background": "somewhere"}, "background must be one of"),
        ({"background": {"x1": 7.0, "x2": 0.5}}, "x1"),
        ({"background": np.array([[7.0, 0.5]])}, "background has a row outside the space"),
        ({"estimator": "sampling", "draws": 1}, "draws"),
        ({"estimator": "guess"}, "estimator must be one of"),
        ({"trial": "worst"}, "trial must be one of"),
        ({"acquisition": "ucb"}, "acquisition must be one of"),
    ],
)
def test_bad_options_name_the_argument(options, text):
    run = run_of(8, 2, proposals=[6])
    with pytest.raises(ValueError, match=text):
        hx.explain_proposal(run, **({"trial": 6} | options))
