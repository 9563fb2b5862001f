"""The functions around one configuration: defaults, trials by number, acquisitions, directions."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.handmade import tuning_run
from tests.noted import noted

pytestmark = pytest.mark.usefixtures("few_draws")


def test_ablation_leads_from_the_first_trial_to_the_incumbent():
    run = tuning_run()
    found = hx.methods.ablation(run)
    assert (found.source, found.target) == (run.config(0), run.incumbent)
    assert found.subject.objective_name == "loss"
    assert [note.trials for note in found.notes if "as none was given" in str(note)] == [(0,)]
    assert (found.source_trial, found.target_trial) == (0, run.incumbent_trial)
    again = hx.methods.ablation(run, run.config(0), run.incumbent_trial)
    np.testing.assert_array_equal(found.gains, again.gains)


def test_ablation_starts_in_the_middle_where_the_first_trial_is_the_incumbent():
    run = tuning_run()
    order = np.argsort(run.objective)
    sorted_run = hx.Run(run.space, run.X[order], run.objective[order], "minimize")
    assert hx.methods.ablation(sorted_run).source == sorted_run.config(15)


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_ablation_starts_at_a_trial_that_is_not_as_good_as_its_target(kind):
    space = hx.SearchSpace([hx.IntParameter("k", 1, 9), hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(30, seed=0)
    # the first is one of the best
    X = X[np.argsort(X[:, 0] < 0.3, kind="stable")]
    run = hx.Run(space, X, np.where(X[:, 0] < 0.3, 0.9, 1.0), "maximize")
    found = hx.methods.ablation(run, kind=kind)
    assert found.source["k"] <= 3
    assert found.steps[0] == ("k",)
    tied = hx.methods.ablation(run, 0, 1, kind=kind)
    assert not any(claim.certain and claim.side == "above" for claim in tied.claims)
    assert not tied.order_matters


def test_ablation_of_the_acquisition_as_it_was_then():
    run = tuning_run()
    found = hx.methods.ablation(run, target=20, acquisition="lcb", before=20)
    acquisition = hx.models.LowerConfidenceBound(run.surrogate(before=20))
    ends = acquisition.space.encode([run.config(0), run.config(20)])
    utility = sum(acquisition.terms(ends).values())
    assert found.total_gain == pytest.approx(utility[1] - utility[0])
    assert noted(found.notes, "assumed")


def test_an_ablation_knows_the_trials_that_its_ends_are():
    run = tuning_run(20)
    best = run.incumbent_trial
    other = 3 if best != 3 else 4
    for source, target, trials in (
        (other, None, (other, best)),
        (run.config(other), best, (None, best)),
        (other, run.config(best), (other, None)),
        (run.config(other), run.config(best), (None, None)),
    ):
        found = hx.methods.ablation(run, source, target)
        assert (found.source_trial, found.target_trial) == trials
        assert found.to_dict()["source_trial"] == trials[0]
