"""The functions around one configuration: defaults, trials by number, acquisitions, directions."""

import pytest

import hpo_explain as hx
from tests.handmade import tuning_run
from tests.noted import noted

pytestmark = pytest.mark.usefixtures("few_draws")


def test_changes_of_the_acquisition_as_it_was_then():
    run = tuning_run()
    found = hx.changes(run, 0, 20, acquisition="lcb", before=20)
    acquisition = hx.models.LowerConfidenceBound(run.surrogate(before=20))
    ends = acquisition.space.encode([run.config(0), run.config(20)])
    utility = sum(acquisition.terms(ends).values())
    assert found.gains.sum() == pytest.approx(utility[1] - utility[0])
    assert all(claim.certain for claim in found.claims)
    assert noted(found.notes, "assumed")


def test_the_ends_of_changes_know_the_trials_that_they_are():
    run = tuning_run(20)
    best = run.incumbent_trial
    other = 3 if best != 3 else 4
    for start, end, trials in (
        (other, best, (other, best)),
        (run.config(other), best, (None, best)),
        (other, run.config(best), (other, None)),
    ):
        found = hx.changes(run, start, end)
        assert (found.start.trial, found.best.trial) == trials
        assert found.to_dict()["start"]["trial"] == trials[0]
