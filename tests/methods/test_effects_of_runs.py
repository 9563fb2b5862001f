"""The functions about effects: the explainers' results for a run, with what the run knows."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from tests.handmade import tuning_run

h_statistic, partial_dependence = hx.methods.h_statistic, hx.partial_dependence
QUICK = {"sample": 60, "grid_size": 5}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_an_effect_knows_the_run_it_is_of(direction):
    run = tuning_run(direction=direction)
    found = partial_dependence(run, "rate_drop", surrogate="gp", variance="covariance", **QUICK)
    explainer = hx.methods.PartialDependenceExplainer(
        run.surrogate(kind="gp"),
        variance="covariance",
        attainable=True,
        subject=Subject.of(run),
        **QUICK,
    )
    expected = explainer.explain("rate_drop")
    np.testing.assert_array_equal(found.std, expected.std)
    assert found.claims == expected.claims
    assert (found.subject.objective_name, found.subject.direction) == ("loss", direction)
    assert found.subject.model == "a GP"
    best = run.incumbent.get("rate_drop")
    assert found.incumbent == (None if best is None else (best,))
    active = [c["rate_drop"] for c in run.space.decode(run.X) if "rate_drop" in c]
    assert found.tried == (tuple(active),)


def test_the_incumbents_region_is_the_first_and_regions_know_the_trials_in_them():
    run = tuning_run()
    found = partial_dependence(run, "lr", regions=True, max_depth=2, sample=120, grid_size=4)
    assert len(found.regions) > 1
    assert found.regions[0].holds(run.incumbent)
    tried = [value for region in found.regions for value in region.effect.tried[0]]
    assert sorted(tried) == sorted(config["lr"] for config in run.space.decode(run.X))
    assert {region.effect.incumbent for region in found.regions} == {(run.incumbent["lr"],)}


def test_interactions_are_those_of_the_surrogate_or_the_acquisition():
    run = tuning_run()
    found = h_statistic(run, kind="forest", seed=2)
    assert found.subject.objective_name == "loss"
    expected = hx.methods.InteractionExplainer(run.surrogate(kind="forest", seed=2), seed=2)
    np.testing.assert_array_equal(found.values, expected.explain().values)
    focused = h_statistic(run, "booster", acquisition="lcb")
    assert focused.focus == "booster"
    assert focused.subject.acquisition == "LCB (κ = 1.96)"
    assert str(focused.notes[-1]).endswith("assumed")
    with pytest.raises(ValueError, match="name must be a hyperparameter, but 'boosters'"):
        h_statistic(run, "boosters")
