import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.proposals.desirability_path_result import LATEST
from hpo_explain.reporting import Context
from hpo_explain.reporting.context import _thinned
from tests.methods.test_desirability_path import run_of
from tests.reporting.pages import page_of

pytestmark = pytest.mark.usefixtures("empty_figures")


def written(run, folder):
    return page_of(run, folder, "path")


def test_the_path_and_what_its_parts_mean_are_told(tmp_path):
    run = run_of(17, proposals=range(9, 17))
    page = written(run, tmp_path)
    path = hx.desirability_path(run, progress=False)
    assert path.sentence in page.text
    assert "Above zero, mean: the model predicts a better objective with this value" in page.text
    assert "This is about the optimizer's choices." in page.text


def test_a_long_run_is_thinned_and_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("hpo_explain.reporting.context._MOST_PROPOSALS", 12)
    monkeypatch.setattr("hpo_explain.reporting.context._OF_MANY", 10)
    run = run_of(30, 2, proposals=range(5, 30))
    trials = Context(run).path.trials.tolist()
    assert {*range(25, 30), 5, run.best(range(5, 30))} <= {*trials}
    assert len(trials) <= 10
    (thinned,) = [note for note in Context(run).path_notes if note.kind == "path_thinned"]
    assert (thinned["shown"], thinned["explainable"]) == (len(trials), 25)


def test_of_many_hyperparameters_fewer_proposals_are_explained():
    def shown(d):
        run = run_of(60, d, proposals=range(20, 60))
        return _thinned(run, [*run.proposals])

    assert shown(50) == [*range(20, 60)]
    assert len(shown(200)) <= 25
    few = shown(2000)
    assert len(few) <= 10
    assert few[-LATEST:] == [*range(55, 60)]


@pytest.mark.parametrize("n", [8, 14])
def test_proposals_with_too_few_trials_before_them_are_left_out_by_name(tmp_path, n):
    page = written(run_of(n, 2, proposals=range(n)), tmp_path)
    assert "Does not apply here" not in page.text
    assert "left out: 0-1: fewer than two trials were finished before" in page.text


@pytest.mark.parametrize(
    ("proposals", "text"), [([], "has no proposal"), ([9], "a path needs two proposals")]
)
def test_a_run_without_a_path_says_why(proposals, text, tmp_path):
    assert text in written(run_of(10, 2, proposals=proposals), tmp_path).text


def test_workers_explain_the_same_proposals(monkeypatch):
    monkeypatch.setattr("hpo_explain.reporting.context._WORTH_WORKERS", 3)
    run = run_of(12, 2, proposals=range(7, 12))
    alone, beside = Context(run), Context(run, n_jobs=2)
    beside.begin()
    np.testing.assert_array_equal(
        [e.phi for e in beside.path.explanations], [e.phi for e in alone.path.explanations]
    )
    assert [e.sentence for e in beside.path.explanations] == [
        e.sentence for e in alone.path.explanations
    ]
    assert beside.recommended_space.to_dict() == alone.recommended_space.to_dict()
    assert beside.subspace.to_dict() == alone.subspace.to_dict()
