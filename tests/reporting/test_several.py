"""What a report says of several runs together."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.reporting import Report, Status
from tests.analytic import unit_cube

pytestmark = pytest.mark.usefixtures("empty_figures", "few_draws")
SPACE = unit_cube(2)


@pytest.fixture(autouse=True)
def no_other_section(monkeypatch):
    monkeypatch.setattr("hpo_explain.reporting.page.SECTIONS", ())


def run_of(weights, *, seed=0, n=20, space=SPACE):
    X = space.sample(n, seed=seed)
    return hx.Run(space, X, X @ np.asarray(weights), "minimize")


@pytest.mark.merge
def test_runs_of_other_trials_are_compared():
    runs = {"seed 0": run_of([1.0, 0.2]), "seed 1": run_of([1.0, 0.2], seed=1)}
    report = Report.of(runs)
    assert [tab.name for tab in report.tabs] == ["seed 0", "seed 1"]
    (card,) = report.joint
    assert card.status is Status.SHOWN
    assert card.finding == hx.compare(runs).sentence
    assert card.body.count("<figure") == 2


def test_runs_that_share_nothing_stand_beside_each_other_only():
    other = hx.SearchSpace([hx.FloatParameter("z", 0.0, 1.0)])
    runs = {"one": run_of([1.0, 0.0]), "two": run_of([1.0], space=other)}
    report = Report.of(runs)
    assert [tab.name for tab in report.tabs] == ["one", "two"]
    assert report.joint == ()
